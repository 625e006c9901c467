// solc: 0.8.30
// run: testFuzz_loop(7)
contract LoopTest {
    bool public IS_TEST = true;

    // forge gives a test 64 times the gas
    function testFuzz_loop(uint256 n) public pure {
        uint256 sum;
        for (uint256 i = 0; i < 10 ** 9; i++) {
            unchecked {
                sum += n * i;
            }
        }
        require(sum > 0);
    }
}
