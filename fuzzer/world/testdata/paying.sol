// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Contracts that are paid in something that the build does not have, or has in a form
// that nobody can pay with.

interface IERC20 {
    function totalSupply() external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
}

interface IERC721 {
    function transferFrom(address from, address to, uint256 id) external;
}

interface IERC1155 {
    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external;
}

interface AggregatorV3Interface {
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80);
}

interface IOracle {
    function price() external view returns (uint256);
}

// A token as libraries have them: nobody has any, and nobody can make any.
contract Bare {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function approve(address, uint256) external returns (bool) {
        return true;
    }
}

// Takes what it gives shares for: an ERC-20, too, of which nobody is given any.
contract Vault {
    IERC20 public immutable asset;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(IERC20 asset_) {
        asset = asset_;
    }

    function deposit(uint256 amount) external {
        uint256 held = asset.balanceOf(address(this));
        uint256 shares = totalSupply == 0 ? amount : amount * totalSupply / held;
        asset.transferFrom(msg.sender, address(this), amount);
        totalSupply += shares;
        balanceOf[msg.sender] += shares;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address, uint256) external returns (bool) {
        return true;
    }
}

// Takes shares of the vault.
contract Farm {
    constructor(Vault vault) {
        require(address(vault).code.length > 0, "no vault");
    }
}

contract Router {
    address public immutable weth;

    constructor(address _weth) {
        require(_weth.code.length > 0, "no code");
        weth = _weth;
    }

    function unwrap(uint256 amount) external {
        IERC20(weth).transferFrom(msg.sender, address(this), amount);
        (bool ok,) = weth.call(abi.encodeWithSignature("withdraw(uint256)", amount));
        require(ok && address(this).balance >= amount, "not backed");
    }

    receive() external payable {}
}

contract Pool {
    address public immutable tokenA;
    address public immutable tokenB;

    constructor(address tokenA_, address tokenB_) {
        require(tokenA_ != tokenB_ && tokenA_.code.length > 0 && tokenB_.code.length > 0, "tokens");
        (tokenA, tokenB) = (tokenA_, tokenB_);
    }
}

contract Market {
    IERC721 public immutable nft;
    IERC1155 public immutable items;

    constructor(IERC721 nft_, IERC1155 items_) {
        require(address(nft_).code.length > 0 && address(items_).code.length > 0, "no code");
        (nft, items) = (nft_, items_);
    }

    function sell(uint256 id) external {
        nft.transferFrom(msg.sender, address(this), id);
    }
}

contract Lender {
    AggregatorV3Interface public immutable feed;

    constructor(AggregatorV3Interface feed_) {
        (, int256 answer,, uint256 at,) = feed_.latestRoundData();
        require(answer > 0 && block.timestamp - at < 1 hours, "stale");
        feed = feed_;
    }
}

// The same by its name.
contract Stable {
    address public immutable priceFeed;

    constructor(address priceFeed_) {
        (, int256 answer,,,) = AggregatorV3Interface(priceFeed_).latestRoundData();
        require(answer > 0, "no price");
        priceFeed = priceFeed_;
    }
}

// Nothing implements an oracle of its own kind.
contract Unknown {
    constructor(IOracle oracle) {
        require(oracle.price() > 0, "no price");
    }
}

// Roles as OpenZeppelin's AccessControl has them.
contract Roles {
    bytes32 public constant DEFAULT_ADMIN_ROLE = 0x00;
    bytes32 public constant KEEPER_ROLE = keccak256("KEEPER_ROLE");
    bytes32 public constant LOCKED_ROLE = keccak256("LOCKED_ROLE");
    mapping(bytes32 => mapping(address => bool)) public hasRole;

    constructor() {
        hasRole[DEFAULT_ADMIN_ROLE][msg.sender] = true;
    }

    function grantRole(bytes32 role, address to) external {
        require(hasRole[DEFAULT_ADMIN_ROLE][msg.sender] && role != LOCKED_ROLE, "not an admin");
        hasRole[role][to] = true;
    }
}
