// solc: 0.8.30 0.8.17
// run: add(1)
// run: divide(0)
// run: remainder(0)
// run: index(7)
// run: memoryIndex(7)
// run: drop()
// run: convert(9)
// run: spread(5)
// run: callUnset()
// run: helped(1)
// run: tooMuch(100000000000000000000)
contract Checks {
    enum Side {
        Left,
        Right
    }

    uint256[] list;
    uint256 total = type(uint256).max;
    function(uint256) internal unset;

    function add(uint256 x) external {
        total += x; // want arithmetic overflows or underflows (Panic 0x11)
    }

    function divide(uint256 x) external {
        total = total / x; // want a division by zero (Panic 0x12)
    }

    function remainder(uint256 x) external {
        total = total % x; // want a division by zero (Panic 0x12)
    }

    function index(uint256 x) external {
        list[x] = 1; // want an array index is out of bounds (Panic 0x32)
    }

    function memoryIndex(uint256 x) external pure returns (uint256) {
        uint256[3] memory three;
        return three[x]; // want an array index is out of bounds (Panic 0x32)
    }

    function drop() external {
        list.pop(); // want pop on an empty array (Panic 0x31)
    }

    function convert(uint256 x) external pure returns (Side) {
        return Side(x); // want a number is not a value of its enum (Panic 0x21)
    }

    function spread(uint256 x) external {
        uint256 twice = x * 2;
        total =
            twice +
            (4 - x); // want arithmetic overflows or underflows (Panic 0x11)
    }

    function callUnset() external {
        unset(1); // want an uninitialized function is called (Panic 0x51)
    }

    function helped(uint256 x) external view returns (uint256) {
        return sum(total, x);
    }

    function sum(uint256 a, uint256 b) internal pure returns (uint256) {
        return a + b; // want arithmetic overflows or underflows (Panic 0x11)
    }

    function tooMuch(uint256 n) external pure returns (uint256) {
        return new uint256[](n).length; // want too much memory is allocated (Panic 0x41)
    }
}
