// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./access/OwnableUpgradeable.sol";
import "./security/PausableUpgradeable.sol";
import "./token/ERC20/extensions/ERC20VotesUpgradeable.sol";

// The package's contracts are made to be inherited from: this one makes something of them.
contract Coin is ERC20VotesUpgradeable, OwnableUpgradeable, PausableUpgradeable {
    function initialize() external initializer {
        __ERC20_init("Coin", "COIN");
        __ERC20Permit_init("Coin");
        __Ownable_init();
        __Pausable_init();
        _mint(msg.sender, 1_000 ether);
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function _beforeTokenTransfer(address from, address to, uint256 amount) internal override whenNotPaused {
        super._beforeTokenTransfer(from, to, amount);
    }
}
