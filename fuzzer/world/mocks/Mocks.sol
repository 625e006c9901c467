// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What constructors ask for and a build may lack: each does what its standard says
// and nothing else, for anybody. None of them asserts anything.

/// An ERC-20 of 18 decimals.
abstract contract Balances {
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= amount, "TestToken: allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        return move(from, to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        require(balanceOf[from] >= amount, "TestToken: balance");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }

    function create(address to, uint256 amount) internal {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function destroy(address from, uint256 amount) internal {
        require(balanceOf[from] >= amount, "TestToken: balance");
        balanceOf[from] -= amount;
        totalSupply -= amount;
        emit Transfer(from, address(0), amount);
    }
}

/// A token of which anybody makes as much as they like.
contract TestToken is Balances {
    string public constant name = "Test Token";
    string public constant symbol = "TEST";

    function mint(address to, uint256 amount) external {
        create(to, amount);
    }

    function burn(uint256 amount) external {
        destroy(msg.sender, amount);
    }
}

/// Wrapped ether: every token is backed by a wei.
contract TestWETH is Balances {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";

    event Deposit(address indexed to, uint256 amount);
    event Withdrawal(address indexed from, uint256 amount);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        create(msg.sender, msg.value);
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        destroy(msg.sender, amount);
        emit Withdrawal(msg.sender, amount);
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "TestWETH: ether");
    }
}

interface Asset {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// A vault of ERC-4626, whose shares are worth what it holds of its asset. What is sent to it is a gain of those who have
/// shares. Nobody's first deposit is worth less for one: a share and a unit of the asset are counted that are not there.
contract TestVault is Balances {
    string public constant name = "Test Vault";
    string public constant symbol = "vTEST";
    address public immutable asset;

    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    constructor(address asset_) {
        asset = asset_;
    }

    function totalAssets() public view returns (uint256) {
        return Asset(asset).balanceOf(address(this));
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets * (totalSupply + 1) / (totalAssets() + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * (totalAssets() + 1) / (totalSupply + 1);
    }

    function maxDeposit(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxMint(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxWithdraw(address owner) external view returns (uint256) {
        return convertToAssets(balanceOf[owner]);
    }

    function maxRedeem(address owner) external view returns (uint256) {
        return balanceOf[owner];
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        return convertToShares(assets);
    }

    function previewMint(uint256 shares) public view returns (uint256) {
        return up(shares * (totalAssets() + 1), totalSupply + 1);
    }

    function previewWithdraw(uint256 assets) public view returns (uint256) {
        return up(assets * (totalSupply + 1), totalAssets() + 1);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return convertToAssets(shares);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = previewDeposit(assets);
        take(assets, shares, receiver);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        assets = previewMint(shares);
        take(assets, shares, receiver);
    }

    function withdraw(uint256 assets, address receiver, address owner) external returns (uint256 shares) {
        shares = previewWithdraw(assets);
        give(assets, shares, receiver, owner);
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        assets = previewRedeem(shares);
        give(assets, shares, receiver, owner);
    }

    function take(uint256 assets, uint256 shares, address receiver) private {
        require(Asset(asset).transferFrom(msg.sender, address(this), assets), "TestVault: asset");
        create(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function give(uint256 assets, uint256 shares, address receiver, address owner) private {
        if (msg.sender != owner) {
            uint256 allowed = allowance[owner][msg.sender];
            require(allowed >= shares, "TestVault: allowance");
            if (allowed != type(uint256).max) allowance[owner][msg.sender] = allowed - shares;
        }
        destroy(owner, shares);
        require(Asset(asset).transfer(receiver, assets), "TestVault: asset");
        emit Withdraw(msg.sender, receiver, owner, assets, shares);
    }

    function up(uint256 product, uint256 by) private pure returns (uint256) {
        return (product + by - 1) / by;
    }
}

interface Receiver721 {
    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4);
}

/// An ERC-721 of which anybody makes those that are not there.
contract TestNFT {
    string public constant name = "Test NFT";
    string public constant symbol = "TNFT";
    mapping(uint256 => address) private owners;
    mapping(address => uint256) private counts;
    mapping(uint256 => address) private approvals;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event Approval(address indexed owner, address indexed spender, uint256 indexed id);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "TestNFT: no such token");
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "TestNFT: nobody");
        return counts[owner];
    }

    function getApproved(uint256 id) external view returns (address) {
        ownerOf(id);
        return approvals[id];
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        return "ipfs://test";
    }

    function mint(address to, uint256 id) external {
        require(to != address(0) && owners[id] == address(0), "TestNFT: taken");
        owners[id] = to;
        counts[to]++;
        emit Transfer(address(0), to, id);
    }

    function approve(address spender, uint256 id) external {
        address owner = ownerOf(id);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], "TestNFT: not yours");
        approvals[id] = spender;
        emit Approval(owner, spender, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 id) public {
        require(from == ownerOf(id) && to != address(0), "TestNFT: not theirs");
        require(
            msg.sender == from || isApprovedForAll[from][msg.sender] || approvals[id] == msg.sender,
            "TestNFT: not yours"
        );
        delete approvals[id];
        counts[from]--;
        counts[to]++;
        owners[id] = to;
        emit Transfer(from, to, id);
    }

    function safeTransferFrom(address from, address to, uint256 id) external {
        safeTransferFrom(from, to, id, "");
    }

    function safeTransferFrom(address from, address to, uint256 id, bytes memory data) public {
        transferFrom(from, to, id);
        if (to.code.length > 0) {
            bytes4 answer = Receiver721(to).onERC721Received(msg.sender, from, id, data);
            require(answer == Receiver721.onERC721Received.selector, "TestNFT: refused");
        }
    }
}

interface Receiver1155 {
    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external returns (bytes4);

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        returns (bytes4);
}

/// An ERC-1155 of which anybody makes as much as they like.
contract TestMultiToken {
    mapping(address => mapping(uint256 => uint256)) private balances;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts
    );
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function uri(uint256) external pure returns (string memory) {
        return "ipfs://test/{id}";
    }

    function balanceOf(address owner, uint256 id) public view returns (uint256) {
        return balances[owner][id];
    }

    function balanceOfBatch(address[] calldata owners, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory list)
    {
        require(owners.length == ids.length, "TestMultiToken: lengths");
        list = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            list[i] = balances[owners[i]][ids[i]];
        }
    }

    function mint(address to, uint256 id, uint256 amount) external {
        balances[to][id] += amount;
        emit TransferSingle(msg.sender, address(0), to, id, amount);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external {
        move(from, to, id, amount);
        emit TransferSingle(msg.sender, from, to, id, amount);
        if (to.code.length > 0) {
            bytes4 answer = Receiver1155(to).onERC1155Received(msg.sender, from, id, amount, data);
            require(answer == Receiver1155.onERC1155Received.selector, "TestMultiToken: refused");
        }
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata data
    ) external {
        require(ids.length == amounts.length, "TestMultiToken: lengths");
        for (uint256 i = 0; i < ids.length; i++) {
            move(from, to, ids[i], amounts[i]);
        }
        emit TransferBatch(msg.sender, from, to, ids, amounts);
        if (to.code.length > 0) {
            bytes4 answer = Receiver1155(to).onERC1155BatchReceived(msg.sender, from, ids, amounts, data);
            require(answer == Receiver1155.onERC1155BatchReceived.selector, "TestMultiToken: refused");
        }
    }

    function move(address from, address to, uint256 id, uint256 amount) private {
        require(msg.sender == from || isApprovedForAll[from][msg.sender], "TestMultiToken: not yours");
        require(to != address(0) && balances[from][id] >= amount, "TestMultiToken: balance");
        balances[from][id] -= amount;
        balances[to][id] += amount;
    }
}

/// A price feed as Chainlink's, whose price is never zero, negative or old. Anybody moves it:
/// the market does.
contract TestFeed {
    uint8 public constant decimals = 8;
    string public constant description = "TEST / USD";
    uint256 public constant version = 4;
    int256 public latestAnswer = 2000e8;

    function setAnswer(int256 answer) external {
        require(answer > 0, "TestFeed: a price is positive");
        latestAnswer = answer;
    }

    function latestTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function latestRound() external pure returns (uint256) {
        return 1;
    }

    function getRoundData(uint80 round) external view returns (uint80, int256, uint256, uint256, uint80) {
        return (round, latestAnswer, block.timestamp, block.timestamp, round);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, latestAnswer, block.timestamp, block.timestamp, 1);
    }
}

/// A beacon, which tells proxies what they run. Who made it changes that.
contract TestBeacon {
    address public implementation;
    address public immutable owner = msg.sender;

    event Upgraded(address indexed implementation);

    constructor(address implementation_) {
        require(implementation_.code.length > 0, "TestBeacon: no code");
        implementation = implementation_;
    }

    function upgradeTo(address implementation_) external {
        require(msg.sender == owner, "TestBeacon: not the owner");
        require(implementation_.code.length > 0, "TestBeacon: no code");
        implementation = implementation_;
        emit Upgraded(implementation_);
    }
}

interface Implementer1820 {
    function canImplementInterfaceForAddress(bytes32 id, address account) external view returns (bytes32);
}

/// The registry of EIP-1820, in which accounts say who implements an interface for them. Worlds have it where
/// chains have it.
contract TestRegistry1820 {
    bytes32 private constant ACCEPTED = keccak256("ERC1820_ACCEPT_MAGIC");
    mapping(address => mapping(bytes32 => address)) private implementers;
    mapping(address => address) private managers;

    event InterfaceImplementerSet(address indexed account, bytes32 indexed id, address indexed implementer);
    event ManagerChanged(address indexed account, address indexed manager);

    function interfaceHash(string calldata name) external pure returns (bytes32) {
        return keccak256(bytes(name));
    }

    function getManager(address account) public view returns (address) {
        return managers[account] == address(0) ? account : managers[account];
    }

    function setManager(address account, address manager) external {
        require(getManager(account) == msg.sender, "TestRegistry1820: not the manager");
        managers[account] = manager == account ? address(0) : manager;
        emit ManagerChanged(account, manager);
    }

    function getInterfaceImplementer(address account, bytes32 id) external view returns (address) {
        address who = account == address(0) ? msg.sender : account;
        if (isERC165(id)) return implementsERC165Interface(who, bytes4(id)) ? who : address(0);
        return implementers[who][id];
    }

    function setInterfaceImplementer(address account, bytes32 id, address implementer) external {
        address who = account == address(0) ? msg.sender : account;
        require(getManager(who) == msg.sender, "TestRegistry1820: not the manager");
        require(!isERC165(id), "TestRegistry1820: an id of ERC-165");
        if (implementer != address(0) && implementer != msg.sender) {
            bytes32 answer = Implementer1820(implementer).canImplementInterfaceForAddress(id, who);
            require(answer == ACCEPTED, "TestRegistry1820: refused");
        }
        implementers[who][id] = implementer;
        emit InterfaceImplementerSet(who, id, implementer);
    }

    function implementsERC165Interface(address account, bytes4 id) public view returns (bool) {
        return says(account, 0x01ffc9a7) && !says(account, 0xffffffff) && says(account, id);
    }

    function isERC165(bytes32 id) private pure returns (bool) {
        return id << 32 == 0;
    }

    function says(address account, bytes4 id) private view returns (bool) {
        (bool done, bytes memory answer) = account.staticcall{gas: 30000}(abi.encodeWithSelector(0x01ffc9a7, id));
        return done && answer.length == 32 && abi.decode(answer, (uint256)) == 1;
    }
}
