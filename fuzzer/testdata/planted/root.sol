// Equalities in which a variable comes up several times.
contract Root {
    uint256 at;

    function enter(uint64 first, uint64 second) external {
        uint256 a = first;
        uint256 b = second;
        if (3 * a * a + 7 * a + 101 == 6_990_606_321) {
            if (b * b * b + a == 1_000_030_000_348_272 && b > a) {
                at = a;
                assert(false); // want assertion
            }
        }
    }
}
