// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Tokens that are obtained in all the ways there are, and what is usable already.

contract Token {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function give(address to, uint256 amount) internal {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }
}

contract AmountToken is Token {
    function mint(uint256 amount) external {
        give(msg.sender, amount);
    }
}

contract DripToken is Token {
    function drip() external {
        give(msg.sender, 1e18);
    }
}

contract FaucetToken is Token {
    function faucet(address to) external {
        give(to, 1e18);
    }
}

contract WrappedToken is Token {
    function wrap() external payable {
        give(msg.sender, msg.value);
    }
}

interface ILoose {
    function loose() external view returns (bool);
}

// No constructor is given these: functions of Desk may name them.
contract OracleMock {
    uint256 public price = 1e18;
}

contract MockUnused {}

contract MockLoose is Token, ILoose {
    bool public loose = true;

    function mint(address to, uint256 amount) external {
        give(to, amount);
    }
}

contract Desk {
    Token[4] public tokens;

    constructor(AmountToken a, DripToken b, FaucetToken c, WrappedToken d) {
        tokens = [Token(a), b, c, d];
    }

    struct Terms {
        address oracle;
        ILoose token;
    }

    function take(Terms memory terms, uint256 amount) external {
        require(OracleMock(terms.oracle).price() > 0);
        Token(address(terms.token)).transferFrom(msg.sender, address(this), amount);
    }
}

// Its constructor has initialized it.
contract Ready {
    bool initialized;
    address public owner;

    constructor(address owner_) {
        initialize(owner_);
    }

    function initialize(address owner_) public {
        require(!initialized, "initialized");
        initialized = true;
        owner = owner_;
    }
}

// So has this one's, which does not mind being asked again.
contract Again {
    address public owner;

    constructor() {
        owner = msg.sender;
    }

    function init(address owner_) external {
        owner = owner_;
    }
}

// This one's constructor has only named the owner, in a slot that holds more.
contract Locked {
    address public owner;
    bool public initialized;

    constructor() {
        owner = msg.sender;
    }

    function initialize() external {
        initialized = true;
    }
}

// Nothing but Maker can deploy it.
contract Made {
    constructor() {
        require(Maker(msg.sender).making(), "not by a maker");
    }
}

contract Maker {
    bool public making;

    function createOne() external returns (Made made) {
        making = true;
        made = new Made();
        making = false;
    }
}

// The project means its properties to hold after setUp().
contract Harness {
    uint256 public total;

    function setUp() external {
        total = 5;
    }

    function echidna_total() external view returns (bool) {
        return total >= 5;
    }
}
