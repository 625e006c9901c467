// A ballot for a slate that is etched only later counts for nothing, and then for the slate.
contract Slates {
    mapping(uint256 => address) slates;
    mapping(address => uint256) approvals;

    function etch(uint256 slate, address option) external {
        slates[slate] = option;
    }

    function approve(uint256 slate) external {
        approvals[slates[slate]] += 1;
    }

    function check(uint256 slate) external view {
        assert(approvals[slates[slate]] > 0);
    }
}
