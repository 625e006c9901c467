// What may become of a target.
contract Statuses {
    uint256 state;

    function set(uint256 x) external {
        state = x; // target reached
        if (x == 77) {
            state = 1; // target reached
        }
    }

    function undone(uint256 x) external {
        state = x + 1; // target entered
        revert("always");
    }

    function never() external {
        if (state > 5 && state < 5) {
            state = 2; // target unreached
        }
    }
}
