// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./access/AccessControlEnumerable.sol";
import "./access/Ownable2Step.sol";
import "./finance/PaymentSplitter.sol";
import "./finance/VestingWallet.sol";
import "./security/Pausable.sol";
import "./security/ReentrancyGuard.sol";
import "./token/ERC1155/extensions/ERC1155Burnable.sol";
import "./token/ERC1155/extensions/ERC1155Supply.sol";
import "./token/ERC20/extensions/ERC20Burnable.sol";
import "./token/ERC20/extensions/ERC20Capped.sol";
import "./token/ERC20/extensions/ERC20Pausable.sol";
import "./token/ERC20/extensions/ERC20Snapshot.sol";
import "./token/ERC20/extensions/ERC20Votes.sol";
import "./token/ERC20/extensions/ERC4626.sol";
import "./token/ERC20/utils/SafeERC20.sol";
import "./token/ERC721/extensions/ERC721Burnable.sol";
import "./token/ERC721/extensions/ERC721Enumerable.sol";
import "./token/ERC721/extensions/ERC721Royalty.sol";
import "./token/ERC721/extensions/ERC721URIStorage.sol";
import "./token/ERC721/utils/ERC721Holder.sol";
import "./token/ERC1155/utils/ERC1155Holder.sol";
import "./utils/Arrays.sol";
import "./utils/Base64.sol";
import "./utils/Multicall.sol";
import "./utils/Strings.sol";
import "./utils/cryptography/ECDSA.sol";
import "./utils/cryptography/MerkleProof.sol";
import "./utils/introspection/ERC165Checker.sol";
import "./utils/math/Math.sol";
import "./utils/math/SafeCast.sol";
import "./utils/math/SignedMath.sol";
import "./utils/structs/BitMaps.sol";
import "./utils/structs/DoubleEndedQueue.sol";
import "./utils/structs/EnumerableMap.sol";

contract Coin is ERC20Burnable, ERC20Capped, ERC20Pausable, ERC20Snapshot, ERC20Votes, Ownable2Step {
    constructor() ERC20("Coin", "COIN") ERC20Permit("Coin") ERC20Capped(1e30) {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function pause() external {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function snapshot() external returns (uint256) {
        return _snapshot();
    }

    function _mint(address to, uint256 amount) internal override(ERC20, ERC20Capped, ERC20Votes) {
        super._mint(to, amount);
    }

    function _burn(address from, uint256 amount) internal override(ERC20, ERC20Votes) {
        super._burn(from, amount);
    }

    function _beforeTokenTransfer(address from, address to, uint256 amount) internal override(ERC20, ERC20Pausable, ERC20Snapshot) {
        super._beforeTokenTransfer(from, to, amount);
    }

    function _afterTokenTransfer(address from, address to, uint256 amount) internal override(ERC20, ERC20Votes) {
        super._afterTokenTransfer(from, to, amount);
    }
}

contract Vault4626 is ERC4626, ReentrancyGuard {
    constructor(Coin coin) ERC20("Vault", "VLT") ERC4626(coin) {}

    function depositTwice(uint256 assets) external nonReentrant {
        deposit(assets, msg.sender);
        deposit(assets, msg.sender);
    }

    /// Brings assets in, so that shares can be had.
    function fund(uint256 assets, address receiver) external nonReentrant {
        Coin(asset()).mint(address(this), assets % 1e24);
        _mint(receiver, assets % 1e18);
    }
}

contract Items is ERC721Burnable, ERC721Enumerable, ERC721Royalty, ERC721URIStorage, AccessControlEnumerable {
    constructor() ERC721("Items", "ITM") {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function mint(address to, uint256 id) external {
        _safeMint(to, id % 16);
    }

    function setURI(uint256 id, string calldata uri) external {
        _setTokenURI(id, uri);
    }

    function setRoyalty(uint256 id, address receiver, uint96 fee) external {
        _setTokenRoyalty(id, receiver, fee);
    }

    function setDefaultRoyalty(address receiver, uint96 fee) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setDefaultRoyalty(receiver, fee);
    }

    function _burn(uint256 id) internal override(ERC721, ERC721Royalty, ERC721URIStorage) {
        super._burn(id);
    }

    function tokenURI(uint256 id) public view override(ERC721, ERC721URIStorage) returns (string memory) {
        return super.tokenURI(id);
    }

    function _beforeTokenTransfer(address from, address to, uint256 id, uint256 size) internal override(ERC721, ERC721Enumerable) {
        super._beforeTokenTransfer(from, to, id, size);
    }

    function supportsInterface(bytes4 id)
        public
        view
        override(ERC721, ERC721Enumerable, ERC721Royalty, ERC721URIStorage, AccessControlEnumerable)
        returns (bool)
    {
        return super.supportsInterface(id);
    }
}

contract Multi is ERC1155Burnable, ERC1155Supply {
    constructor() ERC1155("ipfs://{id}") {}

    function mint(address to, uint256 id, uint256 amount, bytes calldata data) external {
        _mint(to, id % 8, amount, data);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts, bytes calldata data) external {
        _mintBatch(to, ids, amounts, data);
    }

    function _beforeTokenTransfer(address operator, address from, address to, uint256[] memory ids, uint256[] memory amounts, bytes memory data)
        internal
        override(ERC1155, ERC1155Supply)
    {
        super._beforeTokenTransfer(operator, from, to, ids, amounts, data);
    }
}

contract Sale is Multicall, Pausable, ERC721Holder, ERC1155Holder {
    using SafeERC20 for IERC20;
    using ERC165Checker for address;

    VestingWallet public wallet = new VestingWallet(msg.sender, 1_750_000_000, 1000 days);
    PaymentSplitter public splitter;
    Coin public coin;

    constructor(Coin token) {
        coin = token;
        address[] memory payees = new address[](2);
        uint256[] memory shares = new uint256[](2);
        (payees[0], payees[1], shares[0], shares[1]) = (msg.sender, address(this), 3, 4);
        splitter = new PaymentSplitter(payees, shares);
    }

    receive() external payable {
        if (paused()) revert("paused");
    }

    function pay(uint256 amount) external payable whenNotPaused {
        Address.sendValue(payable(address(wallet)), msg.value / 2);
        Address.sendValue(payable(address(splitter)), address(this).balance);
        coin.mint(address(this), amount);
        IERC20(coin).safeTransfer(address(wallet), amount / 2);
        IERC20(coin).safeIncreaseAllowance(address(wallet), amount / 4);
    }

    function release(bool ether_, address payable to) external {
        if (ether_) wallet.release();
        else wallet.release(address(coin));
        splitter.release(to);
        splitter.release(IERC20(coin), to);
    }

    function toggle() external {
        if (paused()) _unpause();
        else _pause();
    }

    function knows(address account, bytes4 id) external view returns (bool, bool[] memory) {
        bytes4[] memory ids = new bytes4[](2);
        (ids[0], ids[1]) = (id, type(IERC165).interfaceId);
        return (account.supportsInterface(id), account.getSupportedInterfaces(ids));
    }

    function call(address target, bytes calldata data, uint256 value) external returns (bytes memory) {
        if (value == 0) return Address.functionCall(target, data);
        return Address.functionCallWithValue(target, data, value);
    }
}

contract Helpers {
    using Arrays for uint256[];
    using BitMaps for BitMaps.BitMap;
    using DoubleEndedQueue for DoubleEndedQueue.Bytes32Deque;
    using EnumerableMap for EnumerableMap.UintToAddressMap;

    uint256[] private sorted;
    BitMaps.BitMap private bits;
    DoubleEndedQueue.Bytes32Deque private queue;
    EnumerableMap.UintToAddressMap private map;

    function math(uint256 a, uint256 b, uint256 c, Math.Rounding rounding) external pure returns (uint256[9] memory) {
        return [
            Math.max(a, b),
            Math.min(a, b),
            Math.average(a, b),
            Math.ceilDiv(a, b),
            Math.mulDiv(a, b, c, rounding),
            Math.sqrt(a, rounding),
            Math.log2(b, rounding),
            Math.log10(c, rounding),
            Math.log256(a, rounding)
        ];
    }

    function signed(int256 a, int256 b) external pure returns (int256, int256, int256, uint256) {
        return (SignedMath.max(a, b), SignedMath.min(a, b), SignedMath.average(a, b), SignedMath.abs(a));
    }

    function cast(uint256 a, int256 b) external pure returns (uint128, uint64, uint8, int128, int64, uint256) {
        return (SafeCast.toUint128(a), SafeCast.toUint64(a), SafeCast.toUint8(a), SafeCast.toInt128(b), SafeCast.toInt64(b), SafeCast.toUint256(b));
    }

    function strings(uint256 a, int256 b, address c) external pure returns (string memory, string memory, string memory) {
        return (Strings.toString(b), Strings.toHexString(a), Strings.toHexString(c));
    }

    function equal(string calldata a, uint256 b) external pure returns (bool) {
        return Strings.equal(a, Strings.toString(b));
    }

    function base64(bytes calldata data) external pure returns (string memory) {
        return Base64.encode(data);
    }

    function recover(bytes32 hash, bytes calldata signature, bytes32 r, bytes32 vs) external pure returns (address, address, ECDSA.RecoverError) {
        (address a, ) = ECDSA.tryRecover(hash, r, vs);
        (address b, ECDSA.RecoverError e) = ECDSA.tryRecover(ECDSA.toEthSignedMessageHash(hash), signature);
        return (a, b, e);
    }

    function prove(bytes32[] calldata proof, bool[] calldata flags, bytes32 root, bytes32[] calldata leaves) external pure returns (bool, bool) {
        return (leaves.length > 0 && MerkleProof.verify(proof, root, leaves[0]), MerkleProof.multiProofVerify(proof, flags, root, leaves));
    }

    function insert(uint256 value) external {
        if (sorted.length == 0 || sorted[sorted.length - 1] <= value) sorted.push(value);
    }

    function find(uint256 value) external view returns (uint256) {
        return sorted.findUpperBound(value);
    }

    function bit(uint256 index, bool value) external returns (bool) {
        bits.setTo(index, value);
        return bits.get(index);
    }

    function push(bytes32 value, bool front) external {
        front ? queue.pushFront(value) : queue.pushBack(value);
    }

    function pop(bool front) external returns (bytes32) {
        return front
            ? queue.popFront()
            : queue.popBack();
    }

    function set(uint256 key, address value) external returns (bool) {
        return map.set(key % 4, value);
    }

    function remove(uint256 key) external returns (bool) {
        return map.remove(key % 4);
    }

    function get(uint256 key) external view returns (address, uint256) {
        if (!map.contains(key)) {
            (, address a) = map.tryGet(key);
            return (a, map.length());
        }
        return (map.get(key), map.length());
    }
}
