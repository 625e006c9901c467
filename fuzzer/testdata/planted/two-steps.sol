// The first call opens, the second breaks.
contract TwoSteps {
    bool opened;

    function open(uint256 key) external {
        if (key == 0xc0ffee) opened = true; // target reached
    }

    function enter() external view {
        assert(!opened); // want assertion
    }
}
