// Targets: Vault, Market, Fork, Oracle
pragma solidity ^0.8.0;

contract Test {}

contract Vault {
    address public admin = tx.origin;
    uint256 public total;

    function add(uint256 n) external {
        require(n < 10, "too much");
        total += n;
    }
}

contract Market {
    Vault public vault;

    constructor(Vault v) {
        vault = v;
    }

    function sell(uint256 n) external {
        vault.add(n);
    }
}

contract Fork {
    function run() external pure returns (uint256) {
        return 1;
    }
}

contract Oracle {
    uint256 public price = 1;
}

// The most targets, and a revert two calls down.
contract AllTest is Test {
    function setUp() public {
        new Oracle();
        new Fork();
        Market m = new Market(new Vault());
        m.sell(1);
        m.sell(11);
    }
}

// Wants arguments: forge would not run it either.
contract ParameterTest is Test {
    constructor(uint256) {}

    function setUp() public {
        new Oracle();
        new Fork();
        new Market(new Vault());
    }
}

// Its constructor does the work.
contract ConstructedTest is Test {
    Vault internal vault = new Vault();

    function testAdd() public {
        vault.add(1);
    }
}

// Joins the other one's state.
contract MarketTest is Test {
    function setUp() public {
        Vault v = new Vault();
        v.add(3);
        new Market(v);
        require(block.number == 1 && block.timestamp == 1 && block.chainid == 31337, "another chain than forge's");
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38 && tx.origin == msg.sender, "another sender");
        require(address(this).balance == type(uint96).max, "no funds");
    }
}

contract ForkTest is Test {
    function setUp() public {
        revert("no network");
    }

    function testRun() public {
        new Fork().run();
    }
}
