// solc: 0.8.30 0.5.17
// run: testFuzz_holds(7)
// run: testOnce()
// run: testFailHalf(7)
// run: half(7)
// run: testFuzz_half(8); testFuzz_half(7)
contract OthersTest {
    bool public IS_TEST = true;

    function testFuzz_holds(uint256 n) public pure {
        require(n / 2 <= n, "grew");
    }

    // without parameters there is nothing to fuzz
    function testOnce() public pure {
        revert("always");
    }

    // forge has not run these since its version 1.0
    function testFailHalf(uint256 n) public pure {
        half(n);
    }

    function half(uint256 n) public pure {
        require(n % 2 == 0, "odd");
    }

    // behind another call it is not in the state in which forge calls it
    function testFuzz_half(uint256 n) public pure {
        half(n);
    }
}
