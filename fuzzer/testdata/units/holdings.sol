// The contract itself has to hold something, and be allowed something by another.
contract Holdings {
    mapping(address => uint256) held;
    mapping(address => mapping(address => uint256)) allowed;
    mapping(uint256 => address) owner;
    uint256 last;

    function give(address to, uint256 n) external { held[to] = n; }
    function allow(address spender, uint256 n) external { allowed[msg.sender][spender] = n; }
    function open() external { owner[++last] = msg.sender; }

    function check(address from) external view {
        require(held[address(this)] > 0 || from == address(this), "nothing held");
        require(allowed[from][address(this)] > 0, "not allowed");
    }
    function close(uint256 id) external view {
        require(owner[id] != address(0), "nobody's");
    }
}
