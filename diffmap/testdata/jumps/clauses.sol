// compile: 0.6.12 0.7.6 0.8.17 0.8.30 0.8.30-ir
pragma solidity >=0.6.0 <0.9.0;

// What a catch clause leaves behind is taken from the stack at its end, under the
// range of the whole clause.
contract Run {
    function leave(uint a) external view returns (uint r) { // if: any
        try this.other(a) returns (uint v) {
            r = v; // if: a > 8
        } catch (bytes memory reason) { // if: a < 9
            if (a == 3) {
                revert("three"); // if: a == 3
            }
            r = reason.length;
        }
    }

    function other(uint a) external pure returns (uint) { // if: any
        require(a > 8, "low"); // if: any
        return a; // if: a > 8
    }
}
