// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// What a fuzz test can see of the state that it starts from: TestBare compares it with
// what the same tests see in forge.

interface Vm {
    function prank(address) external;
    function label(address, string calldata) external;
    function addr(uint256) external returns (address);
    function deal(address, uint256) external;
    function getNonce(address) external returns (uint64);
    function load(address, bytes32) external returns (bytes32);
}

contract DSTest {
    bool public IS_TEST = true;
    event log_bytes(bytes);
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function makeAddr(string memory name) internal returns (address a) {
        a = vm.addr(uint256(keccak256(abi.encodePacked(name))));
        vm.label(a, name);
    }
}

contract Child {}

library Sums {
    function sum(uint256 a, uint256 b) external pure returns (uint256) { return a + b; }
}

contract Vault {
    mapping(address => uint256) public owed;
    address public last;

    function deposit(address to) external payable { owed[to] += msg.value; }

    function withdraw(uint256 amount) external returns (address) {
        last = msg.sender;
        if (amount > 0) {
            owed[msg.sender] -= amount;
            (bool ok, ) = msg.sender.call{value: amount}("");
            require(ok);
        }
        return address(new Child());
    }
}

contract ReportTest is DSTest {
    Vault vault;
    address alice;
    address bob = address(0xB0B);
    address rich = address(0x41C4);
    address setUpBy;
    address setUpFrom;
    uint256 owned;

    constructor() { owned = address(this).balance; }

    function setUp() public virtual {
        (setUpBy, setUpFrom) = (msg.sender, tx.origin);
        vault = new Vault();
        alice = makeAddr("alice");
        vm.label(bob, "bob");
        vm.deal(rich, 5 ether);
        vault.deposit{value: 3}(bob);
        vm.prank(bob);
        vault.withdraw(1);
    }

    function testFuzz_senders(uint256) public {
        vault.last();
        emit log_bytes(abi.encode(msg.sender, tx.origin, setUpBy, setUpFrom, address(this), tx.gasprice));
        emit log_bytes(abi.encode(vm.getNonce(address(this)), vm.getNonce(address(vault)), vm.getNonce(msg.sender), vm.getNonce(bob), vm.getNonce(alice)));
    }

    function testFuzz_balances(uint256) public {
        vm.prank(alice);
        vault.withdraw(0);
        emit log_bytes(abi.encode(alice, alice.balance, bob.balance, rich.balance, address(this).balance, owned, address(vault).balance));
        emit log_bytes(abi.encode(msg.sender.balance, tx.origin.balance, address(1).balance, address(0).balance, block.coinbase.balance, vm.addr(1).balance));
        emit log_bytes(abi.encode(address(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).balance, address(0x1F95D37F27EA0dEA9C252FC09D5A6eaA97647353).balance));
        emit log_bytes(abi.encode(vm.addr(uint256(keccak256("sightline deployer 454370"))).balance, address(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38).balance));
    }

    function testFuzz_block(uint256) public {
        vault.last();
        emit log_bytes(abi.encode(block.number, block.timestamp, block.basefee, block.coinbase, block.chainid, block.gaslimit));
        emit log_bytes(abi.encode(block.prevrandao, blockhash(block.number), blockhash(0), block.blobbasefee));
    }

    function testFuzz_addresses(uint256) public {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), keccak256(type(Child).creationCode)));
        Child salted = Child(address(uint160(uint256(hash))));
        emit log_bytes(abi.encode(address(vault), new Child(), new Child{salt: 0}() == salted, vault.withdraw(0), vault.last()));
        emit log_bytes(abi.encode(
            address(0x4e59b44847b379578588920cA78FbF26c0B4956C).codehash,
            alice.codehash, rich.codehash, bob.codehash, address(0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38).codehash, address(1).codehash, address(vault).code.length > 0
        ));
    }

    function testFuzz_cold(uint256) public {
        uint256 before = gasleft();
        vault.last();
        uint256 first = before - gasleft();
        before = gasleft();
        vault.last();
        uint256 second = before - gasleft();
        emit log_bytes(abi.encode(first - second));
    }

    function testFuzz_withdraw(uint256 amount) public {
        amount = amount % 3;
        vm.prank(bob);
        vault.withdraw(amount);
        require(bob.balance == 1 + amount, "paid something else");
    }
}

// The second set-up of a World is where forge would have it, too.
contract AnotherTest is ReportTest {
    Vault more;

    function setUp() public override {
        more = new Vault();
        super.setUp();
        require(Sums.sum(address(more).code.length, 1) > 1);
        more.deposit{value: 7}(alice);
    }

    function testFuzz_more(uint256) public {
        emit log_bytes(address(vm).code);
        emit log_bytes(abi.encode(more, address(more).balance, address(this).balance, address(Sums)));
        vm.prank(alice);
        more.withdraw(7);
        emit log_bytes(abi.encode(alice.balance, vm.getNonce(alice), vm.load(address(more), bytes32(uint256(1)))));
    }
}
