// What always ends in a revert: nothing more can be asked of it than to run.
library Refusals {
    error Refused();

    function refuse() internal pure {
        revert Refused(); // target
    }
}

contract Gate {
    uint256 total;

    function enter(uint256 n) external {
        if (n == 12345) {
            Refusals.refuse(); // target
        }
        total += n; // target
    }
}
