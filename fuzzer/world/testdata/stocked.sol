// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IMoney {
    function balanceOf(address who) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract Owned {
    address internal immutable owner = msg.sender;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }
}

// It is told of two tokens at once, and its owner alone puts some of them into it.
contract Exchange is Owned {
    address public first;
    address public second;

    function setTokens(address firstToken, address secondToken) external onlyOwner {
        first = firstToken;
        second = secondToken;
    }

    function addLiquidity(address token, uint256 amount) external onlyOwner {
        IMoney(token).transferFrom(msg.sender, address(this), amount);
    }

    // Its owner may take some out, which puts nothing in.
    function removeLiquidity(address token, uint256 amount) external onlyOwner {
        IMoney(token).transfer(msg.sender, amount);
    }
}

// It takes two at once, too, and keeps which belongs to which: a third of their kind is of no use to it.
contract Pairs is Owned {
    address public last;
    mapping(address => address) public other;

    function setPair(address firstToken, address secondToken, address thirdToken) external onlyOwner {
        other[firstToken] = secondToken;
        other[secondToken] = thirdToken;
    }
}

// The owner pays in what it hands out.
contract Farm is Owned {
    IMoney public immutable token;

    constructor(IMoney money) {
        token = money;
    }

    function fundRewards(uint256 amount) external onlyOwner {
        token.transferFrom(msg.sender, address(this), amount);
    }
}

// Anyone pays in.
contract Bowl {
    IMoney public immutable token;

    constructor(IMoney money) {
        token = money;
    }

    function donate(uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
    }
}

// The owner begins it once, which is for the campaign to do.
contract Sale is Owned {
    IMoney public immutable token;
    bool public begun;

    constructor(IMoney money) {
        token = money;
    }

    function begin(uint256 amount) external onlyOwner {
        require(!begun, "begun");
        begun = true;
        token.transferFrom(msg.sender, address(this), amount);
    }
}

contract Money {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}
