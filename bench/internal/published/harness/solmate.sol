// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0;

import {Owned} from "./auth/Owned.sol";
import {ERC20} from "./tokens/ERC20.sol";
import {ERC721} from "./tokens/ERC721.sol";
import {ERC1155} from "./tokens/ERC1155.sol";
import {ERC4626} from "./tokens/ERC4626.sol";
import {ERC6909} from "./tokens/ERC6909.sol";
import {CREATE3} from "./utils/CREATE3.sol";
import {FixedPointMathLib} from "./utils/FixedPointMathLib.sol";
import {LibString} from "./utils/LibString.sol";
import {MerkleProofLib} from "./utils/MerkleProofLib.sol";
import {ReentrancyGuard} from "./utils/ReentrancyGuard.sol";
import {SSTORE2} from "./utils/SSTORE2.sol";
import {SafeCastLib} from "./utils/SafeCastLib.sol";
import {SafeTransferLib} from "./utils/SafeTransferLib.sol";
import "./utils/SignedWadMath.sol" as Wad;

// The package's tokens are abstract and its libraries internal: these contracts
// make something of them.
contract Token is ERC20("Token", "TKN", 18), Owned(msg.sender) {
    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract Vault is ERC4626, ReentrancyGuard {
    constructor(Token asset) ERC4626(asset, "Vault", "VLT") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function sweep(Token other, address to, uint256 amount) external nonReentrant {
        require(other != asset);
        SafeTransferLib.safeTransfer(other, to, amount);
    }

    function pull(Token other, address from, uint256 amount) external nonReentrant {
        SafeTransferLib.safeTransferFrom(other, from, address(this), amount);
        SafeTransferLib.safeApprove(other, from, amount);
    }

    function pay(address to, uint256 amount) external payable {
        SafeTransferLib.safeTransferETH(to, amount);
    }
}

contract Art is ERC721("Art", "ART") {
    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function safeMint(address to, uint256 id, bytes calldata data) external {
        _safeMint(to, id);
        _safeMint(to, id + 1, data);
    }

    function burn(uint256 id) external {
        require(msg.sender == ownerOf(id));
        _burn(id);
    }

    function tokenURI(uint256 id) public pure override returns (string memory) {
        return LibString.toString(id);
    }
}

contract Items is ERC1155 {
    function mint(address to, uint256 id, uint256 amount, bytes calldata data) external {
        _mint(to, id, amount, data);
    }

    function batchMint(address to, uint256[] calldata ids, uint256[] calldata amounts, bytes calldata data) external {
        _batchMint(to, ids, amounts, data);
    }

    function burn(uint256 id, uint256 amount) external {
        _burn(msg.sender, id, amount);
    }

    function batchBurn(uint256[] calldata ids, uint256[] calldata amounts) external {
        _batchBurn(msg.sender, ids, amounts);
    }

    function uri(uint256) public pure override returns (string memory) {
        return "";
    }
}

contract Multi is ERC6909 {
    function mint(address to, uint256 id, uint256 amount) external {
        _mint(to, id, amount);
    }

    function burn(uint256 id, uint256 amount) external {
        _burn(msg.sender, id, amount);
    }
}

contract Libraries {
    address pointer;

    function store(bytes calldata data) external {
        pointer = SSTORE2.write(data);
    }

    function load(uint256 start, uint256 end) external view returns (bytes memory, bytes memory, bytes memory) {
        return (SSTORE2.read(pointer), SSTORE2.read(pointer, start), SSTORE2.read(pointer, start, end));
    }

    function deploy(bytes32 salt, bytes calldata code) external payable returns (address) {
        return CREATE3.deploy(salt, code, msg.value);
    }

    function verify(bytes32[] calldata proof, bytes32 root, bytes32 leaf) external pure returns (bool) {
        return MerkleProofLib.verify(proof, root, leaf);
    }

    function fixedPoint(uint256 x, uint256 y, uint256 z) external pure returns (uint256) {
        return FixedPointMathLib.mulWadDown(x, y) ^ FixedPointMathLib.mulWadUp(x, y) ^ FixedPointMathLib.rpow(x, y, z) ^ FixedPointMathLib.sqrt(x);
    }

    function division(uint256 x, uint256 y) external pure returns (uint256) {
        return FixedPointMathLib.divWadDown(x, y) ^ FixedPointMathLib.divWadUp(x, y) ^ FixedPointMathLib.unsafeMod(x, y);
    }

    function wad(int256 x, int256 y) external pure returns (int256) {
        return Wad.wadMul(x, y) ^ Wad.wadDiv(x, y) ^ Wad.wadExp(x) ^ Wad.wadLn(y) ^ Wad.wadPow(x, y);
    }

    function casts(uint256 x) external pure returns (uint248, uint128, uint64, uint8) {
        return (SafeCastLib.safeCastTo248(x), SafeCastLib.safeCastTo128(x), SafeCastLib.safeCastTo64(x), SafeCastLib.safeCastTo8(x));
    }
}
