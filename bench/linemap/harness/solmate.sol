// SPDX-License-Identifier: MIT
pragma solidity >=0.8.4;

import {Auth, Authority} from "./auth/Auth.sol";
import {Owned} from "./auth/Owned.sol";
import {RolesAuthority} from "./auth/authorities/RolesAuthority.sol";
import {ERC20} from "./tokens/ERC20.sol";
import {ERC721} from "./tokens/ERC721.sol";
import {ERC1155} from "./tokens/ERC1155.sol";
import {ERC4626} from "./tokens/ERC4626.sol";
import {WETH} from "./tokens/WETH.sol";
import {CREATE3} from "./utils/CREATE3.sol";
import {FixedPointMathLib} from "./utils/FixedPointMathLib.sol";
import {LibString} from "./utils/LibString.sol";
import {MerkleProofLib} from "./utils/MerkleProofLib.sol";
import {ReentrancyGuard} from "./utils/ReentrancyGuard.sol";
import {SSTORE2} from "./utils/SSTORE2.sol";
import {SafeCastLib} from "./utils/SafeCastLib.sol";
import {SafeTransferLib} from "./utils/SafeTransferLib.sol";
import "./utils/SignedWadMath.sol" as Wad;

contract Coin is ERC20, Owned {
    constructor() ERC20("Coin", "COIN", 18) Owned(msg.sender) {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount % 1e30);
    }

    function burn(uint256 amount) external onlyOwner {
        _burn(msg.sender, amount);
    }
}

contract Vault is ERC4626, ReentrancyGuard {
    constructor(Coin coin) ERC4626(coin, "Vault", "VLT") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }

    /// Brings assets in, so that shares can be had.
    function fund(uint256 assets, address receiver) external nonReentrant {
        Coin(address(asset)).mint(address(this), assets);
        _mint(receiver, assets % 1e18);
    }
}

contract Items is ERC721, Auth {
    constructor() ERC721("Items", "ITM") Auth(msg.sender, new RolesAuthority(msg.sender, Authority(address(0)))) {}

    function mint(address to, uint256 id) external {
        _safeMint(to, id % 16);
    }

    function mint(address to, uint256 id, bytes calldata data) external {
        _safeMint(to, id % 16, data);
    }

    function burn(uint256 id) external requiresAuth {
        _burn(id);
    }

    function tokenURI(uint256 id) public pure override returns (string memory) {
        return LibString.toString(id);
    }
}

contract Multi is ERC1155 {
    function mint(address to, uint256 id, uint256 amount, bytes calldata data) external {
        _mint(to, id % 8, amount, data);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts, bytes calldata data) external {
        _batchMint(to, ids, amounts, data);
    }

    function burn(address from, uint256 id, uint256 amount) external {
        _burn(from, id % 8, amount);
    }

    function burnBatch(address from, uint256[] calldata ids, uint256[] calldata amounts) external {
        _batchBurn(from, ids, amounts);
    }

    function uri(uint256 id) public pure override returns (string memory) {
        return LibString.toString(int256(id));
    }
}

contract Helpers {
    using FixedPointMathLib for uint256;
    using SafeTransferLib for ERC20;

    Coin private coin;
    WETH public weth = new WETH();
    address private pointer;

    constructor(Coin token) {
        coin = token;
    }

    receive() external payable {}

    function math(uint256 a, uint256 b, uint256 c) external pure returns (uint256, uint256, uint256, uint256, uint256) {
        return (a.mulWadDown(b), a.mulWadUp(c), a.rpow(b % 16, 1e18), a.sqrt(), b.unsafeDivUp(c));
    }

    function divide(uint256 a, uint256 b, uint256 c) external pure returns (uint256, uint256) {
        return (a.mulDivDown(b, c), a.mulDivUp(b, c));
    }

    function wad(int256 a, int256 b) external pure returns (int256, int256) {
        return (Wad.wadMul(a, b), Wad.wadDiv(a, b));
    }

    function exp(int256 a) external pure returns (int256) {
        return Wad.wadExp(a);
    }

    function ln(int256 a) external pure returns (int256) {
        return Wad.wadLn(a);
    }

    function cast(uint256 a) external pure returns (uint248, uint128, uint64, uint8) {
        return (SafeCastLib.safeCastTo248(a), SafeCastLib.safeCastTo128(a), SafeCastLib.safeCastTo64(a), SafeCastLib.safeCastTo8(a));
    }

    function verify(bytes32[] calldata proof, bytes32 root, bytes32 leaf) external pure returns (bool) {
        return MerkleProofLib.verify(proof, root, leaf);
    }

    function store(bytes calldata data) external {
        pointer = SSTORE2.write(data);
    }

    function load(uint256 start, uint256 end) external view returns (bytes memory, bytes memory) {
        return (SSTORE2.read(pointer), SSTORE2.read(pointer, start, end));
    }

    function create(bytes32 salt) external payable returns (address) {
        return CREATE3.deploy(salt, hex"600160005260206000f3", msg.value);
    }

    function move(address to, uint256 amount, uint8 how) external payable {
        if (how == 0) SafeTransferLib.safeTransferETH(to, amount);
        else if (how == 1) ERC20(coin).safeTransfer(to, amount);
        else if (how == 2) ERC20(coin).safeTransferFrom(msg.sender, to, amount);
        else if (how == 3) ERC20(coin).safeApprove(to, amount);
        else {
            weth.deposit{value: address(this).balance}();
            weth.withdraw(amount);
        }
    }
}
