// The word that decides is an argument of an earlier call.
contract EarlierWord {
    uint256 y;

    function setY(uint256 value) external {
        y = value;
    }

    function check() external view {
        if (y == 0x2a17) {
            assert(false); // want assertion
        }
    }
}
