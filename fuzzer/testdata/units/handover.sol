// Who is in charge names who comes next, and that one has to accept.
contract Handover {
    address owner = msg.sender;
    address next;

    function offer(address to) external {
        require(msg.sender == owner, "not the owner");
        next = to;
    }

    function accept() external {
        require(msg.sender == next, "not offered to you");
        owner = msg.sender;
    }
}
