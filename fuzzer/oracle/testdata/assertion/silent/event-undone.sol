// solc: 0.8.30
// run: set(4)
// run: attempt(4)
contract Undone {
    event AssertionFailed(string what);

    function set(uint256 value) public {
        emit AssertionFailed("not yet");
        require(value == 3, "undone");
    }

    function attempt(uint256 value) external {
        try this.set(value) {} catch {}
    }
}
