// An event instead of an assertion, by way of a modifier.
contract Watched {
    event AssertionFailed(string what);

    uint256 balance = 100;

    modifier watched() {
        _;
        if (balance > 100) emit AssertionFailed("money from nowhere"); // want assertion
    }

    function move(int128 amount) external watched {
        unchecked {
            balance = uint256(int256(balance) - amount);
        }
    }
}
