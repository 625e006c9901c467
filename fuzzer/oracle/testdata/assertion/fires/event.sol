// solc: 0.8.30
// run: set(3)
// run: set(4)
contract Limits {
    event AssertionFailed(string what);

    uint256 limit;

    function set(uint256 value) external {
        limit = value;
        if (limit == 4) emit AssertionFailed("four is forbidden"); // want AssertionFailed is emitted
    }
}
