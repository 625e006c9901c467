// solc: 0.8.30 0.5.17
// run: check(1)
contract Own {
    event AssertionFailed(address who, uint256 x);

    function check(uint256 x) external {
        emit AssertionFailed(msg.sender, x); // want AssertionFailed is emitted
    }
}
