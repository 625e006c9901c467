// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What anyone can take, of ether and of tokens.
contract Pot {
    mapping(address => uint256) public stake;

    function fill() external payable {}

    function take(uint256 percent) external {
        payable(msg.sender).transfer(address(this).balance * percent / 100);
    }

    function join() external payable {
        stake[msg.sender] += msg.value;
    }

    function leave() external {
        uint256 amount = stake[msg.sender];
        stake[msg.sender] = 0;
        payable(msg.sender).transfer(amount);
    }

    // Gives back twice what it is given.
    function swap() external payable {
        payable(msg.sender).transfer(2 * msg.value);
    }

    function payOn(address payable to) external {
        to.transfer(11);
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

// Copies whoever calls, and pays the copy.
contract Cloner {
    function fill() external payable {}

    function pay() external {
        bytes memory code = abi.encodePacked(hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", msg.sender, hex"5af43d82803e903d91602b57fd5bf3");
        address copy;
        assembly { copy := create(0, add(code, 32), mload(code)) }
        (bool ok,) = copy.call{value: address(this).balance}("");
        require(ok);
    }
}

contract Coin {
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;

    function mint(uint256 amount) external {
        balanceOf[msg.sender] += amount;
        totalSupply += amount;
    }

    function grab(address from, uint256 amount) external {
        balanceOf[from] -= amount;
        balanceOf[msg.sender] += amount;
    }

    // For ether that it keeps.
    function buy() external payable {
        balanceOf[msg.sender] += msg.value;
    }

    function give(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function burn(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
    }
}

// Does not tell its supply.
contract Deed {
    mapping(address => uint256) public balanceOf;

    function make() external {
        balanceOf[msg.sender] += 1;
    }

    function seize(address from) external {
        balanceOf[from] -= 1;
        balanceOf[msg.sender] += 1;
    }
}

// Has owners one by one.
contract Piece {
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;
    uint256 public totalSupply;

    function make() external {
        ownerOf[++totalSupply] = msg.sender;
        balanceOf[msg.sender] += 1;
    }

    function seize(uint256 id) external {
        balanceOf[ownerOf[id]] -= 1;
        ownerOf[id] = msg.sender;
        balanceOf[msg.sender] += 1;
    }
}

// Takes a coin of anyone for who calls.
contract Taker {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
    }

    function take() external {
        coin.mint(3);
        coin.give(msg.sender, 3);
    }
}
