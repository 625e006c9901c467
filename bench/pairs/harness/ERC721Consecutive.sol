// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./token/ERC721/extensions/ERC721Consecutive.sol";

contract Harness is ERC721Consecutive {
    constructor(address[] memory receivers, uint96[] memory amounts) ERC721("Harness", "HRN") {
        for (uint256 i = 0; i < receivers.length; ++i) {
            _mintConsecutive(receivers[i], amounts[i]);
        }
    }

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function burn(uint256 id) external {
        _burn(id);
    }
}
