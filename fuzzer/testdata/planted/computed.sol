// A guard on computed operands: no constant of the code is the answer.
contract Computed {
    function enter(uint64 place) external pure {
        uint256 a = place;
        if (3 * a * a + 7 * a + 101 == 6_990_606_321) {
            assert(false); // want assertion
        }
    }
}
