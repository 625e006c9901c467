// solc: 0.5.17 0.4.26
// run: add(115792089237316195423570985008687907853269984665640564039457584007913129639935)
// needs: source map
library SafeMath {
    function add(uint256 a, uint256 b) internal pure returns (uint256 c) {
        c = a + b;
        assert(c >= a); // refuses the sum
    }
}

contract Sum {
    uint256 public sum = 1;

    function add(uint256 x) external {
        sum = SafeMath.add(sum, x);
    }
}
