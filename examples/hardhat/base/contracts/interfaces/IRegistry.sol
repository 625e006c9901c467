// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IRegistry {
    event Registered(bytes32 indexed name, address indexed owner, uint256 expires);

    error Taken(bytes32 name);
    error NotYours(bytes32 name);

    function register(bytes32 name) external payable;
    function transfer(bytes32 name, address to) external;
    function ownerOf(bytes32 name) external view returns (address);
}
