// What is opened gets the next number; only who opens, uses and closes six after each
// other gets there.
contract Rounds {
    uint256 opened;
    uint256 closed;
    mapping(uint256 => uint256) state;

    function open(uint256 fee) external {
        require(fee >= 50 && fee <= 900, "fee");
        state[opened++] = fee;
    }

    function use(uint256 id) external {
        require(state[id] >= 50, "closed");
        state[id] += 1000;
    }

    function close(uint256 id) external {
        require(state[id] >= 1000, "unused");
        state[id] = 0;
        closed++;
        if (closed == 6) {
            assert(false);
        }
    }
}
