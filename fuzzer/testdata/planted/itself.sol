// An address of the World, and a negative number.
contract Itself {
    function call(address who) external view {
        assert(who != address(this)); // want assertion
    }

    function below(int256 x) external pure {
        require(x < -1000 && x > -2000, "out of range");
        assert(x != x); // want assertion
    }
}
