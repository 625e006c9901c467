// A quotient with many digits: its divisor has to be larger than any that chance draws.
contract Scaled {
    uint256 at;

    function enter(uint256 assets, uint256 supply) external {
        if (supply > 1e6 && assets < 1e30 && (assets * 1e18) / supply == 1234567890123456789) {
            at = supply;
            assert(false); // want assertion
        }
    }
}
