pragma solidity >=0.4.24 <0.6.0;

// In the manner of Harvey's Figure 3 (FSE'20): the length of an empty array is taken
// one from, and the array is all of the storage then.
contract Vouchers {
    address private owner;
    uint256[] private vouchers;

    constructor() public {
        owner = msg.sender;
    }

    function add(uint256 voucher) external {
        require(msg.sender == owner);
        vouchers.push(voucher);
    }

    function drop() external {
        require(vouchers.length >= 0);
        vouchers.length--;
    }

    function change(uint256 at, uint256 voucher) external {
        require(at < vouchers.length);
        vouchers[at] = voucher;
    }

    function close() external {
        require(msg.sender == owner);
        selfdestruct(msg.sender);
    }
}
