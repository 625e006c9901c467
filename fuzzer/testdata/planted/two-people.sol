// The owner appoints somebody, who is not the owner.
contract TwoPeople {
    address immutable owner = msg.sender;
    address guest;

    function invite(address who) external {
        require(msg.sender == owner, "not the owner");
        require(who != owner, "not a guest"); // target reached
        guest = who;
    }

    function visit() external view {
        require(msg.sender == guest, "not the guest");
        assert(guest == address(0)); // want assertion
    }
}
