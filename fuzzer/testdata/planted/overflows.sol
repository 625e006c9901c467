// The check for overflow that fails is code that has gone both ways elsewhere: only the place that it returns to is new.
contract Overflows {
    uint256 at;

    function first(uint256 a) external {
        at = a * 3;
    }

    function enter(uint256 a, uint256 b) external {
        if (a > 2 ** 200) {
            if (a * b == 57 * (2 ** 200 + 2 ** 190 + 41)) {
                assert(false); // want assertion
            }
        }
    }
}
