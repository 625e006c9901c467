// The same call five times, and none of the other in between.
contract Repeated {
    uint256 count;

    function up() external {
        count++;
        assert(count < 5); // want assertion
    }

    function reset() external {
        count = 0;
    }
}
