// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// A protocol whose parts find each other through a registry, which setters fill.

contract Proxy {
    address private immutable admin = msg.sender;
    address private logic;

    function point(address to, bytes calldata data) external {
        require(msg.sender == admin, "admin");
        logic = to;
        (bool ok,) = to.delegatecall(data);
        require(ok, "initialize");
    }

    fallback() external payable {
        address to = logic;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

interface IRegistry {
    function getMarket() external view returns (address);
    function getPriceSource() external view returns (address);
    function getChief() external view returns (address);
}

contract Registry {
    address private market;
    address private source;
    address private chief;
    address public seen;
    address private owner = msg.sender;

    modifier onlyOwner() {
        require(msg.sender == owner, "owner");
        _;
    }

    function getMarket() external view returns (address) {
        return market;
    }

    function getPriceSource() external view returns (address) {
        return source;
    }

    function getChief() external view returns (address) {
        return chief;
    }

    function setMarketImpl(address newMarketImpl) external onlyOwner {
        Proxy proxy = new Proxy();
        market = address(proxy);
        proxy.point(newMarketImpl, abi.encodeWithSignature("initialize(address)", address(this)));
    }

    function setPriceSource(address newPriceSource) external onlyOwner {
        source = newPriceSource;
    }

    function setChiefAdmin(address newChiefAdmin) external onlyOwner {
        chief = newChiefAdmin;
    }

    // Nothing says what this could be.
    function setSeen(address what) external onlyOwner {
        seen = what;
    }
}

contract PriceSource {
    mapping(address => uint256) public prices;

    function setPrice(address asset, uint256 price) external {
        prices[asset] = price;
    }
}

// Its constructor needs what a setter says.
contract Gate {
    address public immutable chief;

    constructor(IRegistry registry) {
        chief = registry.getChief();
        require(chief != address(0), "no chief");
    }
}

contract Market {
    uint256[8] private gap; // for the proxy
    IRegistry public registry;
    address public listed;

    function initialize(IRegistry r) external {
        require(address(registry) == address(0), "again");
        registry = r;
    }

    // Lists what a share of this market is made of, and takes it.
    function initListing(address shareImpl, address underlyingAsset) external {
        require(registry.getMarket() == address(this) && Share(shareImpl).market() == address(this), "not this market");
        require(listed == address(0), "listed");
        listed = underlyingAsset;
    }

    function deposit(uint256 amount) external {
        Coin(listed).transferFrom(msg.sender, address(this), amount);
    }
}

contract Share {
    address public immutable market;

    constructor(Market m) {
        market = address(m);
    }
}

contract Coin {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// The registry of ERC-1820 is on every chain.
interface IERC1820 {
    function setInterfaceImplementer(address account, bytes32 id, address implementer) external;
    function getInterfaceImplementer(address account, bytes32 id) external view returns (address);
}

contract Registered {
    IERC1820 constant EVERYWHERE = IERC1820(0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24);

    constructor() {
        EVERYWHERE.setInterfaceImplementer(address(this), keccak256("Registered"), address(this));
    }

    function implementer() external view returns (address) {
        return EVERYWHERE.getInterfaceImplementer(address(this), keccak256("Registered"));
    }
}
