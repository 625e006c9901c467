// compile: 0.4.26 0.5.17 0.6.12 0.7.6 0.8.17 0.8.30 0.8.30-ir
pragma solidity >=0.4.22 <0.9.0;

// Statements that are nothing but a jump, and a header that more than the
// function stands under: a line that ends with "// if: …" runs exactly when the
// argument is such.
contract Run {
    uint public x;

    function leave(uint a) external returns (uint r) { // if: any
        for (uint i = 0; i < 9; i++) {
            if (i == a) {
                break; // if: a < 9
            }
            if (a > 20) {
                continue; // if: a > 20
            }
            r += i;
        }
        if (r == 36 || a > 20) {
            return r; // if: a > 8
        }
        nothing(a);
    }

    function nothing(uint a) internal { // if: a < 9
        if (a == 3) {
            return; // if: a == 3
        } else if (a == 4) {
            revert("four"); // if: a == 4
        }
        x = a;
    }
}
