// solc: 0.8.30 0.5.17
// run: invalid()
// run: panics()
// run: log()
// run: calls()
pragma solidity >=0.5.0;

// What breaks in code that is no part of the project, here made at run time, is
// nobody's assertion.
contract Foreign {
    event Done(uint256 size);

    // creation code INVALID
    function invalid() external {
        make(hex"fe");
    }

    // creation code that reverts with Panic(0x01)
    function panics() external {
        make(hex"634e487b7160e01b600052600160045260246000fd");
    }

    // creation code that logs AssertionFailed() and returns nothing
    function log() external {
        bytes32 topic = keccak256("AssertionFailed()");
        make(abi.encodePacked(hex"7f", topic, hex"60006000a100"));
    }

    // runtime code INVALID, called
    function calls() external {
        address made = make(hex"60fe60005360016000f3");
        (bool ok, ) = made.call("");
        emit Done(ok ? 1 : 0);
    }

    function make(bytes memory code) internal returns (address made) {
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        emit Done(code.length);
    }
}
