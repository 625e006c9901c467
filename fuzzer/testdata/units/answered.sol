// A contract that believes what others say: only what answers again, and otherwise, gets further.
interface Token {
    function balanceOf(address account) external view returns (uint256);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract Answered {
    uint256 private credit;

    function pay(Token token, uint256 amount) external {
        uint256 before = token.balanceOf(address(this));
        require(token.transferFrom(msg.sender, address(this), amount), "refused");
        require(token.balanceOf(address(this)) >= before + amount, "not paid");
        credit += amount;
        assert(credit < 1e30);
    }
}
