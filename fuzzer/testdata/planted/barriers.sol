// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Shares that others may be let take. Functions have the checks of allowances and of balances in common, so that both sides of each are taken before those
/// that are worth something come past them.
contract Barriers {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public pending;
    mapping(address => address) public operator;
    uint256 public left;

    error Refused(address account);

    function mint(uint256 amount) external {
        require(amount < 1000 ether);
        balanceOf[msg.sender] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        spend(from, amount);
        move(from, to, amount);
    }

    function transfer(address to, uint256 amount) external {
        move(msg.sender, to, amount);
    }

    function request(uint256 amount, address controller, address owner) external {
        if (controller == address(0) || controller == owner) revert Refused(controller);
        spend(owner, amount);
        move(owner, address(this), amount);
        pending[controller] += amount; // target reached
    }

    function leave(uint256 amount, address owner, bytes32 code) external {
        if (amount < 7 ether || code == 0) revert Refused(owner);
        if (msg.sender != owner) spend(owner, amount);
        move(owner, address(0xdead), amount);
        left += amount; // target reached
    }

    function spend(address owner, uint256 amount) private {
        uint256 allowed = allowance[owner][msg.sender];
        if (allowed < amount) revert Refused(msg.sender);
        allowance[owner][msg.sender] = allowed - amount;
    }

    function move(address from, address to, uint256 amount) private {
        if (amount == 0 || balanceOf[from] < amount) revert Refused(from);
        unchecked {
            balanceOf[from] -= amount;
            balanceOf[to] += amount;
        }
    }
}
