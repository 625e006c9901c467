// solc: 0.5.17
// run: resize(115792089237316195423570985008687907853269984665640564039457584007913129639935); close(26842713413170863328756289966543961759937608354851058504318434377382126217742)
contract Book {
    struct Order {
        uint256 amount;
        bool closed;
    }

    Order[] orders;

    function resize(uint256 length) external {
        orders.length = length;
    }

    function close(uint256 at) external {
        orders[at].closed = true; // want the input chooses the storage slot
    }
}
