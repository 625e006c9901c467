// solc: 0.7.6 0.5.17 0.4.26
// run: withdraw(7)
contract Wallet {
    uint256 balance = 5;

    function withdraw(uint256 amount) external {
        balance -= amount;
        assert(balance <= 5); // want assert fails (INVALID)
    }
}
