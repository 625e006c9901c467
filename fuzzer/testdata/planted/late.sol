// Time must pass.
contract Late {
    uint256 immutable start = block.timestamp;

    function close() external view {
        require(block.timestamp >= start + 30 days, "too early");
        assert(false); // want assertion
    }
}
