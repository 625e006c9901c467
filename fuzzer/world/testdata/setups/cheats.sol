// Targets: Lender, Treasury
pragma solidity ^0.8.0;

interface Vm {
    function addr(uint256 key) external returns (address);
    function label(address account, string calldata name) external;
    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function deal(address account, uint256 balance) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function mockCall(address callee, bytes calldata data, bytes calldata answer) external;
    function etch(address account, bytes calldata code) external;
    function getCode(string calldata name) external returns (bytes memory);
    function createSelectFork(string calldata url) external returns (uint256);
    function mint(address account, uint256 amount) external;
}

contract Test {
    bool public IS_TEST = true;
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function makeAddr(string memory name) internal returns (address account) {
        account = vm.addr(uint256(keccak256(bytes(name))));
        vm.label(account, name);
    }
}

interface Feed {
    function price() external view returns (uint256);
}

contract Lender {
    Feed public feed;
    address public guardian;
    uint256 public since = block.timestamp;
    mapping(address => uint256) public debt;

    constructor(Feed f, address g) {
        require(msg.sender != tx.origin && f.price() > 0, "no price");
        (feed, guardian) = (f, g);
    }

    function borrow(uint256 amount) external payable {
        require(amount * feed.price() <= msg.value, "too much");
        debt[msg.sender] += amount;
    }
}

contract Treasury {
    address public immutable keeper = msg.sender;

    function spend() external view returns (uint256) {
        require(msg.sender == keeper, "not the keeper");
        return address(this).balance;
    }
}

contract Token {
    string public name = "T";
}

// Cheats that are nobody's.
contract StrangeTest is Test {
    function setUp() public {
        vm.mint(address(this), 1);
        new Lender(Feed(address(1)), address(this));
        new Treasury();
    }
}

// Needs a network.
contract ForkTest is Test {
    function setUp() public {
        vm.createSelectFork("mainnet");
        new Lender(Feed(address(1)), address(this));
        new Treasury();
    }
}

contract LenderTest is Test {
    function setUp() public {
        vm.warp(1_000_000);
        vm.roll(500);
        address alice = makeAddr("alice");
        address keeper = vm.addr(7);
        address feed = address(0xFEED);
        vm.mockCall(feed, abi.encodeCall(Feed.price, ()), abi.encode(3));
        Lender lender = new Lender(Feed(feed), address(0xBEEF));
        vm.deal(alice, 9 ether);
        vm.prank(alice);
        lender.borrow{value: 6}(2);
        bytes memory code = vm.getCode("test.sol:Treasury");
        Treasury t;
        vm.prank(keeper);
        assembly {
            t := create(0, add(code, 32), mload(code))
        }
        require(t.keeper() == keeper, "not pranked");
        vm.etch(address(0x70CE), address(new Token()).code);
        vm.label(address(0xFEED), "a name with spaces");
        (theLender, theTreasury) = (lender, t);
        vm.startPrank(alice);
    }

    Lender internal theLender;
    Treasury internal theTreasury;

    // Pranks are who sends, and what time a call waits for is waited.
    function testSpend() public {
        vm.stopPrank();
        vm.warp(block.timestamp + 60);
        vm.prank(theTreasury.keeper());
        theTreasury.spend();
    }

    // Of a number, what succeeds is looked for.
    function testBorrow(uint8 amount) public {
        vm.stopPrank();
        require(amount > 1, "too little");
        vm.deal(address(0xCA11), 1000);
        vm.prank(address(0xCA11));
        theLender.borrow{value: 3 * uint256(amount)}(amount);
    }

    // An account that is not there in the World is nobody's example.
    function testOther() public {
        vm.stopPrank();
        new Treasury().spend();
    }

    function testFailSpend() public view {
        theTreasury.spend();
    }
}
