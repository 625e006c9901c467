// The same code checks three numbers. When the first passes, both sides of its branch have been taken: only the place that it
// returns to is new. The product is such that chance does not pass it again.
contract Shared {
    uint256 at;

    function enter(uint64 a, uint64 b, uint64 c) external {
        check(a, b, 15_485_863 * 32_452_843);
        check(b, c, 32_452_843 * 49_979_687);
        check(c, a, 49_979_687 * 15_485_863);
        at = a;
        assert(at == 0); // want assertion
    }

    function check(uint256 x, uint256 y, uint256 product) private pure {
        require(x > 1 && y > 1 && x * y == product);
    }
}
