// A line of the constructor: only a deployment within a sequence runs it.
contract Configured {
    uint256 public limit;

    constructor(uint256 max) {
        if (max > 1000) {
            limit = 1000; // target reached
        } else {
            limit = max; // target reached
        }
    }

    function use(uint256 x) external view {
        require(x < limit, "limit");
    }
}
