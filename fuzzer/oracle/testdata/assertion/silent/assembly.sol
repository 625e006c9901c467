// solc: 0.8.30 0.5.17
// run: trap(1)
// needs: source map
contract Trap {
    function trap(uint256 x) external view {
        if (x > gasleft() / 63 || x == 1) {
            assembly {
                invalid() // takes all gas, which neither a revert nor an assert of 0.8 does
            }
        }
    }
}
