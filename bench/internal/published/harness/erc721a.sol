// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

import "./extensions/ERC4907A.sol";
import "./extensions/ERC721ABurnable.sol";
import "./extensions/ERC721AQueryable.sol";

// Nothing of the package mints: this contract does.
contract Harness is ERC721ABurnable, ERC721AQueryable, ERC4907A {
    constructor() ERC721A("Harness", "HRN") {
        _mintERC2309(msg.sender, 5);
    }

    function mint(address to, uint256 quantity) external {
        require(quantity <= 20);
        _mint(to, quantity);
    }

    function safeMint(address to, uint256 quantity, bytes calldata data) external {
        require(quantity <= 20);
        _safeMint(to, quantity, data);
    }

    function mintSpot(address to, uint256 id) external {
        _safeMintSpot(to, id);
    }

    function setAux(address owner, uint64 aux) external {
        _setAux(owner, aux);
    }

    function setExtraData(uint256 id, uint24 data) external {
        _setExtraDataAt(id, data);
    }

    function initializeOwnership(uint256 id) external {
        _initializeOwnershipAt(id);
    }

    function numbers(address owner) external view returns (uint256, uint256, uint64, uint256, uint256, uint256) {
        return (_numberMinted(owner), _numberBurned(owner), _getAux(owner), _totalMinted(), _totalBurned(), _totalSpotMinted());
    }

    function ownership(uint256 id) external view returns (TokenOwnership memory, TokenOwnership memory, bool, address) {
        return (_ownershipOf(id), _ownershipAt(id), _ownershipIsInitialized(id), _explicitUserOf(id));
    }

    function _baseURI() internal pure override returns (string memory) {
        return "ipfs://harness/";
    }

    function _sequentialUpTo() internal pure override returns (uint256) {
        return 200;
    }

    function supportsInterface(bytes4 id) public view override(IERC721A, ERC721A, ERC4907A) returns (bool) {
        return super.supportsInterface(id);
    }
}
