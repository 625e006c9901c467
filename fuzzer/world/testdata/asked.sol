// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IERC721 {
    function ownerOf(uint256 id) external view returns (address);
    function transferFrom(address from, address to, uint256 id) external;
}

/// Nothing that its constructor takes is a token, but its functions take two kinds.
contract Stalls {
    address public immutable keeper;
    mapping(address => bool) public taken;
    mapping(address => mapping(uint256 => uint256)) public prices;

    constructor(address keeper_) {
        keeper = keeper_;
    }

    function setPayment(address token, bool allowed) external {
        require(msg.sender == keeper);
        taken[token] = allowed;
    }

    function offer(address collection, uint256 id, uint256 price) external {
        require(IERC721(collection).ownerOf(id) == msg.sender);
        prices[collection][id] = price;
    }

    function buy(address collection, uint256 id, IERC20 token) external {
        require(taken[address(token)] && prices[collection][id] != 0);
        token.transferFrom(msg.sender, IERC721(collection).ownerOf(id), prices[collection][id]);
        IERC721(collection).transferFrom(IERC721(collection).ownerOf(id), msg.sender, id);
    }

    function rescueFeed(address feed, uint256 amount) external {
        IERC20(feed).transfer(keeper, amount);
    }
}

/// Two tokens that are not the same.
contract Exchange {
    mapping(address => mapping(address => uint256)) public reserves;

    function open(IERC20 tokenA, IERC20 tokenB, uint256 amount) external {
        require(tokenA != tokenB);
        tokenA.transferFrom(msg.sender, address(this), amount);
        tokenB.transferFrom(msg.sender, address(this), amount);
        reserves[address(tokenA)][address(tokenB)] += amount;
    }
}
