// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// It is told by a name alone of whom it is to look at, who comes later.
contract Auditor {
    address public immutable register;

    constructor(address _register) {
        register = _register;
    }
}

// Deeds are numbered as they are made, by whom their owner lets, and one register takes them.
contract Deeds {
    address private immutable owner = msg.sender;
    uint256 private next;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    function safeMint(address to) external returns (uint256 id) {
        require(msg.sender == owner, "not the owner");
        id = next++;
        ownerOf[id] = to;
        balanceOf[to]++;
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf[id] == from && isApprovedForAll[from][msg.sender], "not approved");
        ownerOf[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
    }
}

contract LandRegister {
    Deeds public immutable deeds;

    constructor(Deeds deeds_) {
        deeds = deeds_;
    }

    function lodge(uint256 id) external {
        deeds.transferFrom(msg.sender, address(this), id);
    }
}

// It asks for what nobody has, too, and is there all the same when the desk that is named after it is.
contract FrontDesk {
    address public immutable clerk;

    constructor(address _frontOffice) {
        clerk = _frontOffice;
    }
}

interface IERC20 {
    function totalSupply() external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
}

contract LargeFrontOffice {
    constructor(IERC20 fees) {
        require(fees.totalSupply() < 1e30, "no token");
    }
}
