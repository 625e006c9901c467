// compile: 0.7.6
pragma solidity ^0.7.0;
pragma abicoder v2;

abstract contract Shape {
    function area() public view virtual returns (uint);

    function twice() public view returns (uint) {
        return 2 * area();
    }
}

contract Square is Shape {
    uint private side;
    uint[] public history;

    constructor(uint s) {
        side = s;
        history.push(s);
    }

    function area() public view override returns (uint) {
        return side * side;
    }

    function grow(uint by) external {
        uint next = side + by;
        require(next > side, "overflow");
        side = next;
        history.push(
            next
        );
        assembly {
            let free := mload(0x40)
            if iszero(free) {
                revert(0, 0)
            }
        }
    }
}
