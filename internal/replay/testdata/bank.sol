pragma solidity 0.8.30;

contract Journal {
    uint256 public entries;

    event Noted(address indexed by, uint256 amount);

    function note(uint256 amount) external returns (uint256) {
        entries += amount;
        emit Noted(msg.sender, amount);
        return entries;
    }

    function refuse() external pure {
        revert("refused");
    }
}

contract Bank {
    Journal public immutable journal;
    address public immutable owner = msg.sender;

    constructor(Journal journal_) {
        journal = journal_;
    }

    function pay(uint256 amount) external payable {
        require(msg.value == 1 ether, "not one ether");
        journal.note(amount);
        (bool ok, ) = owner.call{value: 1 ether}("");
        try journal.refuse() {} catch {}
        assert(!ok);
    }
}
