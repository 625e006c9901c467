// Calls that somebody else has to have signed: v, r and s as words, and packed.
contract Signed {
    address private owner = msg.sender;
    mapping(address => uint256) private nonces;

    function permit(address by, uint256 amount, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 digest = keccak256(abi.encode(by, amount, nonces[by]++));
        require(by != address(0) && ecrecover(digest, v, r, s) == by, "signature");
        require(amount > 1 ether, "amount");
        amount--; // target reached
    }

    function execute(address to, bytes calldata signature) external view returns (address by) {
        require(signature.length == 65, "length");
        bytes32 digest = keccak256(abi.encode(to, msg.sender));
        by = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        assert(by != owner); // want assertion
    }
}
