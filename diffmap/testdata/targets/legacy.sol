// compile: 0.4.26 0.5.17
pragma solidity >=0.4.22 <0.6.0;

library Math {
    function half(uint a) internal pure returns (uint) {
        return a / 2;
    }

    function ext(uint a) public pure returns (uint) {
        return a * 3;
    }
}

contract Owned {
    address public owner = msg.sender;

    modifier onlyOwner {
        require(msg.sender == owner);
        _;
    }
}

contract Legacy is Owned {
    using Math for uint;

    event Log(uint v);

    uint constant RATE = 7;
    uint public stored = RATE;

    constructor(uint v) public {
        stored = v;
    }

    function () external payable {
        stored += msg.value;
    }

    function set(uint v) external onlyOwner returns (uint r) {
        uint w = v.half();
        if (w > 10 &&
            w < 20) {
            r = 1;
        } else {
            r = 2;
        }
        for (uint i = 0; i < 3; i++) {
            r += i;
        }
        do {
            r++;
        } while (r < 5);
        assembly {
            let q := add(w, 1)
            if gt(q, 3) {
                r := q
            }
            switch q
            case 0 { r := 1 }
            default { r := 2 }
        }
        emit Log(
            r);
        r += Math.ext(w);
        stored = r;
    }

    function unused() internal pure returns (uint) {
        return 1;
    }
}
