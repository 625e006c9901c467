pragma solidity >=0.4.26 <0.9.0;

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
}

library Math {
    function half(uint256 x) public pure returns (uint256) {
        return x / 2;
    }

    function twice(uint256 x) internal pure returns (uint256) {
        return x * 2;
    }
}

contract Owned {
    address owner;

    constructor() public {
        owner = msg.sender;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }
}

contract Market is Owned {
    using Math for uint256;

    Token public token;
    uint256 public price;
    uint256 sold;

    event Sold(address indexed to, uint256 amount);

    constructor(Token t, uint256 p) public {
        token = t;
        price = p;
    }

    function buy(uint256 amount) public payable {
        require(msg.value == amount * price);
        if (amount > 10 && sold == 0) {
            sold = amount.half();
        } else {
            sold += amount.twice();
        }
        token.transfer(msg.sender, amount);
        emit Sold(msg.sender, amount);
    }

    function reprice(uint256 p) public onlyOwner {
        for (uint256 i = 0; i < 3; i++) {
            assembly {
                sstore(1, add(p, i))
            }
        }
        price = p;
    }
}
