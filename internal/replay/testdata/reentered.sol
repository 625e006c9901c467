pragma solidity 0.8.30;

interface Member {
    function onJoined(address by, uint256 fee) external returns (bool);
}

contract Bank {
    mapping(address => uint256) public balances;
    mapping(address => uint256) public paid;
    uint256 public members;

    function join() external {
        require(Member(msg.sender).onJoined(address(this), 7), "no");
        members++;
    }

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(balances[msg.sender] - paid[msg.sender] >= amount, "too much");
        (bool ok, ) = msg.sender.call{value: amount}("");
        require(ok, "refused");
        paid[msg.sender] += amount;
        assert(paid[msg.sender] <= balances[msg.sender]);
    }
}
