// Targets: Vault, Registry
pragma solidity ^0.8.0;

contract DSTest {
    bool public IS_TEST = true;
}

contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner = msg.sender;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function mint(address to, uint256 amount) external {
        require(msg.sender == owner, "not the owner");
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

library Shares {
    function per(uint256 assets) external pure returns (uint256) {
        return assets * 2;
    }
}

// Two lines of nothing that a constructor search would find: the vault wants its keeper to come
// from where the token does, and a first deposit.
contract Vault {
    Token public immutable asset;
    address public keeper;
    uint256 public shares;

    constructor(Token asset_, address keeper_, string memory) {
        require(asset_.owner() == keeper_, "strangers");
        (asset, keeper) = (asset_, keeper_);
    }

    function deposit(uint256 assets) external {
        asset.transferFrom(msg.sender, address(this), assets);
        shares += Shares.per(assets);
    }
}

// Its deployment is nobody's matter.
contract Registry {
    mapping(bytes32 => address) public at;

    function set(bytes32 name, address a) external {
        at[name] = a;
    }
}

// It helps the test, and is no target of calls.
contract VaultHelper is DSTest {
    function poke(Vault v) external view returns (uint256) {
        return v.shares();
    }
}

contract VaultTest is DSTest {
    Token internal token;
    Vault internal vault;
    VaultHelper internal helper;

    function setUp() public {
        token = new Token();
        helper = new VaultHelper();
        vault = new Vault(token, address(this), "first");
        token.mint(address(this), 1000 ether);
        token.mint(address(0xBEEF), 1000 ether);
        token.approve(address(vault), type(uint256).max);
        vault.deposit(1 ether);
    }

    function testDeposit() public {
        vault.deposit(2 ether);
        assert(vault.shares() == 6 ether);
    }
}

// Deploys nothing that has targets.
contract TokenTest is DSTest {
    Token internal token;

    function setUp() public {
        token = new Token();
    }
}
