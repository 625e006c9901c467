// solc: 0.8.30 0.5.17
// run: testFuzz_half(4)
// run: testFuzz_half(7)
// run: testFuzz_sum(1, 2)
// run: testFuzz_sum(2, 2)
contract HalfTest {
    bool public IS_TEST = true;

    function half(uint256 n) internal pure returns (uint256) {
        return n / 2;
    }

    function testFuzz_half(uint256 n) public pure { // want fuzz test testFuzz_half fails
        require(half(n) + half(n) == n, "lost one");
    }

    function testFuzz_sum(uint256 a, uint256 b) external pure { // want fuzz test testFuzz_sum fails
        assert(a != b);
    }
}
