// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title The ERC-20 interface (EIP-20)
interface IERC20 {
    /// @dev A transfer to the zero address is a burn, one from it a mint.
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    function totalSupply() external view returns (uint256);

    function balanceOf(address account) external view returns (uint256);

    function allowance(address owner, address spender) external view returns (uint256);

    function transfer(address to, uint256 amount) external returns (bool);

    function approve(address spender, uint256 amount) external returns (bool);

    function transferFrom(address from, address to, uint256 amount) external returns (bool);

    function burn(uint256 amount) external;
}
