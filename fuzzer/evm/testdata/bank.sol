contract Coin {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    event Transfer(address indexed from, address indexed to, uint256 amount);
    error Insufficient(address who, uint256 has, uint256 asked);
    function mint(address to, uint256 amount) external {
        totalSupply += amount; balanceOf[to] += amount; emit Transfer(address(0), to, amount);
    }
    function approve(address who, uint256 amount) external returns (bool) { allowance[msg.sender][who] = amount; return true; }
    function transfer(address to, uint256 amount) external returns (bool) { _move(msg.sender, to, amount); return true; }
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount; _move(from, to, amount); return true;
    }
    function _move(address from, address to, uint256 amount) internal {
        if (balanceOf[from] < amount) revert Insufficient(from, balanceOf[from], amount);
        balanceOf[from] -= amount; balanceOf[to] += amount; emit Transfer(from, to, amount);
    }
}
contract Bank {
    Coin public immutable coin;
    mapping(address => uint256) public shares;
    uint256 public total;
    constructor() { coin = new Coin(); }
    function fund(uint256 amount) external { coin.mint(msg.sender, amount); }
    function deposit(uint256 amount) external {
        coin.mint(msg.sender, amount / 2);
        uint256 minted = total == 0 ? amount : amount * total / (1 + coin.balanceOf(address(this)));
        require(minted > 0, "nothing minted");
        shares[msg.sender] += minted; total += minted;
        coin.mint(address(this), amount);
    }
    function withdraw(uint256 amount) external {
        shares[msg.sender] -= amount; total -= amount;
        require(coin.transfer(msg.sender, amount), "transfer");
    }
    function magic(uint256 a) external view returns (uint256) {
        if (3 * a * a + 7 * a + 101 == 12345 && total > 3) return 1;
        return 2;
    }
}
