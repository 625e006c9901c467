// solc: 0.8.30 0.8.17
// run: run(1)
// OpenZeppelin's Panic library takes the code as an argument.
library Errors {
    function panics(uint256 code) internal pure {
        assembly {
            mstore(0, 0x4e487b71)
            mstore(32, code)
            revert(28, 36)
        }
    }
}

contract Computed {
    function run(uint256 x) external pure {
        if (x == 1) { // want assert fails (Panic 0x01)
            Errors.panics(x);
        }
    }
}
