// solc: 0.5.17
// run: divide(0)
// run: add(115792089237316195423570985008687907853269984665640564039457584007913129639935)
contract Before {
    uint256 total = 5;

    function divide(uint256 x) external {
        total = total / x;
    }

    function add(uint256 x) external {
        total += x;
    }
}
