// Guards of several words at once: what one branch wants undoes what another got.
contract Conjunction {
    uint256 at;

    function enter(uint256 a, uint64 b, uint256 c, uint64 d) external {
        if (uint256(b) * d == 249 * 512_055) {
            if (a == c + 5) {
                if (7 * a + b > c + 90_000) {
                    if (a + 3 * c == 400_000_000_017) {
                        at = b;
                        assert(false); // want assertion
                    }
                }
            }
        }
    }
}
