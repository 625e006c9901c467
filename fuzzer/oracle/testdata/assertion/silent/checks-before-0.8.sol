// solc: 0.7.6 0.5.17 0.4.26
// run: divide(0)
// run: remainder(0)
// run: modular(0)
// run: product(0)
// run: list(7)
// run: index(7)
// run: write(7)
// run: fixedIndex(7)
// run: memoryIndex(7)
// run: byteOf(77)
// run: nested(3,3)
contract Checks {
    uint256[] public list; // its getter checks the bounds, too
    uint256[3] three;
    uint256[][] grid;

    function divide(uint256 x) external returns (uint256) {
        return 4 / x;
    }

    function remainder(int256 x) external returns (int256) {
        int256 y = 4 % x;
        return y;
    }

    function modular(uint256 x) external returns (uint256) {
        return addmod(4, 5, x);
    }

    function product(uint256 x) external returns (uint256) {
        return mulmod(4, 5, x);
    }

    function index(uint256 i) external returns (uint256) {
        return list[i] + 1;
    }

    function write(uint256 i) external {
        list[i] = 4;
    }

    function fixedIndex(uint256 i) external returns (uint256) {
        return three[i];
    }

    function memoryIndex(uint256 i) external returns (uint256) {
        uint256[] memory some = new uint256[](2);
        some[i] = 1;
        return some[0];
    }

    function byteOf(uint256 i) external returns (bytes1) {
        return bytes32(uint256(5))[i];
    }

    function nested(uint256 i, uint256 j) external returns (uint256) {
        return grid[i][j];
    }
}
