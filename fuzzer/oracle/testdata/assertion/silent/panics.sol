// solc: 0.8.30 0.8.17
// run: overflow(5)
// run: divide(0)
// run: index(7)
// run: pop()
// run: convert(9)
// run: holds(1)
contract Panics {
    enum Side {
        Left,
        Right
    }

    uint256[] list;

    function overflow(uint256 x) external pure returns (uint256) {
        return 4 - x;
    }

    function divide(uint256 x) external pure returns (uint256) {
        return 4 / x;
    }

    function index(uint256 x) external view returns (uint256) {
        return list[x];
    }

    function pop() external {
        list.pop();
    }

    function convert(uint256 x) external pure returns (Side) {
        return Side(x);
    }

    function holds(uint256 x) external pure {
        assert(x == 1);
    }
}
