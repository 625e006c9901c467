// Each call has to name another number, within a band that depends on the one before.
contract Raised {
    uint256 highest = 100;
    uint256 bids;

    function bid(uint256 amount) external {
        require(amount >= highest + highest / 20 && amount <= highest + highest / 10);
        highest = amount;
        bids++;
    }

    function close() external {
        require(bids >= 8);
        bids = 0;
        assert(false); // want assertion
    }
}
