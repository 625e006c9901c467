// What is only compared by its hash: a text of the source, and what was committed to.
contract Hashed {
    bytes32 private commitment;

    function command(string calldata name, bytes calldata data) external pure {
        if (keccak256(bytes(name)) == keccak256("open sesame") && keccak256(data) == keccak256(hex"c0ffee")) {
            assert(data.length == 0); // want assertion
        }
    }

    function commit(bytes32 hash) external {
        commitment = hash;
    }

    function reveal(uint256 secret) external {
        require(keccak256(abi.encode(secret, msg.sender)) == commitment, "another secret");
        commitment = 0; // target reached
    }
}
