// solc: 0.8.30 0.5.17
// run: trap(1)
contract Trap {
    function trap(uint256 x) external pure {
        assembly {
            if eq(x, 1) { invalid() } // want assert fails (INVALID)
        }
    }
}
