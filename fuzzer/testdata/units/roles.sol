// Roles, of which the second takes the first to be granted.
contract Roles {
    mapping(uint256 => mapping(address => bool)) has;

    constructor() {
        has[0][msg.sender] = true;
    }

    function grant(uint256 role, address account) external {
        require(has[role == 2 ? 1 : 0][msg.sender], "not yours to grant");
        has[role][account] = true;
    }

    function keep() external view {
        require(has[2][msg.sender], "not a keeper");
    }
}
