// A line that no execution reaches, which the analysis proves.
contract Proved {
    bool constant LOCKED = true;
    uint256 state;

    function set(uint256 x) external {
        if (!LOCKED) {
            state = 9; // target unreachable
        }
        state = x; // target reached
    }
}
