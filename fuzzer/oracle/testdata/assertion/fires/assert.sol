// solc: 0.8.30 0.8.17
// run: withdraw(7)
contract Wallet {
    uint256 balance = 5;

    function withdraw(uint256 amount) external {
        unchecked {
            balance -= amount;
        }
        assert(balance <= 5); // want assert fails (Panic 0x01)
    }
}
