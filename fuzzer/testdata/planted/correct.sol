// Nothing to find.
contract Correct {
    mapping(address => uint256) balance;
    uint256 total;

    function deposit() external payable {
        balance[msg.sender] += msg.value;
        total += msg.value; // target reached
    }

    function withdraw(uint256 amount) external {
        balance[msg.sender] -= amount;
        total -= amount;
        assert(address(this).balance >= total);
        payable(msg.sender).transfer(amount);
    }

    function echidna_solvent() external view returns (bool) {
        return address(this).balance >= total;
    }
}
