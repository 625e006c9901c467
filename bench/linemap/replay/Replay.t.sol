pragma solidity >=0.5.0;
pragma experimental ABIEncoderV2;

interface Vm {
    function chainId(uint256) external;
    function coinbase(address) external;
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function fee(uint256) external;
    function prank(address, address) external;
    function prevrandao(bytes32) external;
    function readFile(string calldata) external view returns (string memory);
    function readFileBinary(string calldata) external view returns (bytes memory);
    function roll(uint256) external;
    function setNonceUnsafe(address, uint64) external;
    function snapshotState() external returns (uint256);
    function revertToState(uint256) external returns (bool);
    function store(address, bytes32, bytes32) external;
    function toString(uint256) external pure returns (string memory);
    function warp(uint256) external;
    function writeLine(string calldata, string calldata) external;
}

/// Makes a World as the other side has it and performs the calls of calls.bin,
/// sequence by sequence. What comes out otherwise than there is written to
/// differences.txt: the number of the sequence and of the call in it.
contract Replay {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    struct Environment {
        uint256 chain;
        address coinbase;
        uint256 fee;
        bytes32 random;
        uint256 number;
        uint256 time;
    }

    struct Account {
        address at;
        uint256 balance;
        uint64 nonce;
        bytes code;
        bytes32[] keys;
        bytes32[] values;
    }

    struct Call {
        address from;
        address to;
        uint256 value;
        uint256 number;
        uint256 time;
        bytes data;
        bool success; // there
        bytes32 output; // its hash
    }

    function setUp() public {
        (Environment memory e, Account[] memory funds, Call[] memory deployments, Account[] memory accounts) =
            abi.decode(vm.readFileBinary("world.bin"), (Environment, Account[], Call[], Account[]));
        vm.chainId(e.chain);
        vm.coinbase(e.coinbase);
        vm.fee(e.fee);
        vm.prevrandao(e.random);
        vm.roll(e.number);
        vm.warp(e.time);
        put(funds);
        // Constructors run where the contract is to be: as its code, so that they are seen.
        for (uint256 i = 0; i < deployments.length; i++) {
            Call memory d = deployments[i];
            vm.etch(d.to, d.data);
            vm.setNonceUnsafe(d.to, 1);
            bytes memory none;
            (bool ok, bytes memory code) = perform(d, none);
            require(ok, "a deployment fails");
            vm.etch(d.to, code);
        }
        put(accounts);
    }

    function put(Account[] memory accounts) internal {
        for (uint256 i = 0; i < accounts.length; i++) {
            Account memory a = accounts[i];
            vm.deal(a.at, a.balance);
            if (a.code.length > 0) vm.etch(a.at, a.code);
            vm.setNonceUnsafe(a.at, a.nonce);
            for (uint256 k = 0; k < a.keys.length; k++) vm.store(a.at, a.keys[k], a.values[k]);
        }
    }

    function perform(Call memory c, bytes memory data) internal returns (bool ok, bytes memory output) {
        address to = c.to;
        uint256 value = c.value;
        vm.prank(c.from, c.from);
        assembly {
            ok := call(16777216, to, value, add(data, 32), mload(data), 0, 0)
            output := mload(64)
            mstore(64, add(output, and(add(returndatasize(), 63), not(31))))
            mstore(output, returndatasize())
            returndatacopy(add(output, 32), 0, returndatasize())
        }
    }

    function testReplay() public {
        Call[][] memory sequences = abi.decode(vm.readFileBinary("calls.bin"), (Call[][]));
        for (uint256 i = 0; i < sequences.length; i++) {
            uint256 start = vm.snapshotState();
            for (uint256 k = 0; k < sequences[i].length; k++) {
                Call memory c = sequences[i][k];
                vm.roll(c.number);
                vm.warp(c.time);
                (bool ok, bytes memory output) = perform(c, c.data);
                if (ok != c.success || keccak256(output) != c.output) {
                    vm.writeLine("differences.txt", string(abi.encodePacked(vm.toString(i), " ", vm.toString(k))));
                }
            }
            vm.revertToState(start);
        }
    }
}
