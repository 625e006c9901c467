// solc: 0.8.30 0.5.17
// run: check(1)
library Checks {
    event AssertionFailed(string what);

    function holds(bool condition) internal {
        if (!condition) emit AssertionFailed("condition"); // want AssertionFailed is emitted
    }
}

contract User {
    function check(uint256 x) external {
        Checks.holds(x == 0);
    }
}
