// Two equations that share their unknowns: a change of one word that brings the second
// nearer breaks the first, unless the other word makes up for it.
contract Coupled {
    function enter(uint256 a, uint256 b) external pure {
        unchecked {
            if (5 * a + 3 * b == 8 * uint256(0x1f3d5b79aceddb97) + 385) {
                assert(a - b != 77); // want assertion
            }
        }
    }
}
