// solc: 0.8.30
// run: pay(101)
// run: pay(3); share(0)
// run: refuse(3)
contract Fund {
    uint256 balance = 100;

    function pay(uint256 amount) external {
        require(amount <= balance, "not enough");
        balance -= amount;
    }

    function share(uint256 holders) external view returns (uint256) {
        return holders == 0 ? 0 : balance / holders;
    }

    // an assert, and code that checks nothing
    function refuse(uint256 amount) external view returns (uint256 left) {
        unchecked {
            left = balance - 2 * balance - amount;
        }
        assert(amount == 0);
    }
}
