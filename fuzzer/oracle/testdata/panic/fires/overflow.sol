// solc: 0.8.30 0.8.17
// run: pay(101)
// run: share(0)
contract Fund {
    uint256 balance = 100;

    function pay(uint256 amount) external {
        balance -= amount; // want arithmetic overflows or underflows (Panic 0x11)
    }

    function share(uint256 holders) external view returns (uint256) {
        return balance / holders; // want a division by zero (Panic 0x12)
    }
}
