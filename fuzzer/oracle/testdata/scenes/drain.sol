// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// A contract that is called back pays a fee to whoever asks for it, in a loan that anyone can take in its name.
contract Coin {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    address private immutable maker = tx.origin;

    function mint(address to, uint256 amount) external {
        require(tx.origin == maker, "not the maker");
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

interface Borrower {
    function onLoan(uint256 fee) external;
}

contract Lender {
    Coin private immutable coin;
    uint256 public loans;
    mapping(address => uint256) public loansOf;

    constructor(Coin c) {
        coin = c;
        c.mint(address(this), 1_000_000);
    }

    // The fee is taken from whoever is named.
    function lend(Borrower to, uint256 fee) external {
        coin.transfer(address(to), 50);
        to.onLoan(fee);
        coin.transferFrom(address(to), address(this), 50 + fee);
    }

    // The same, and the borrower has something of it: it is paid, or it is noted.
    function lendAndPay(address payable to, uint256 fee) external payable {
        to.transfer(msg.value);
        Borrower(to).onLoan(fee);
        coin.transferFrom(to, address(this), fee);
    }

    function lendAndCount(Borrower to, uint256 fee) external {
        loansOf[address(to)]++;
        to.onLoan(fee);
        coin.transferFrom(address(to), address(this), fee);
    }

    function lendAndNote(Borrower to, uint256 fee) external {
        last = address(to);
        to.onLoan(fee);
        coin.transferFrom(address(to), address(this), fee);
    }

    address public last;

    // The fee falls with each loan.
    function lendLess(Borrower to, uint256 fee) external {
        to.onLoan(fee);
        coin.transferFrom(address(to), address(this), fee / ++loans);
    }
}

// Allows its caller whatever it asks for.
contract Naive {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
        c.mint(address(this), 10_000);
    }

    receive() external payable {}

    function onLoan(uint256 fee) external {
        coin.approve(msg.sender, 50 + fee);
    }
}

// As naive, and rich.
contract Rich {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
        c.mint(address(this), 100_000_000);
    }

    function onLoan(uint256 fee) external {
        coin.approve(msg.sender, 50 + fee);
    }
}

// Gives away what it has.
contract Waster {
    Coin private immutable coin;

    constructor(Coin c) {
        coin = c;
        c.mint(address(this), 10_000);
    }

    function waste() external {
        coin.transfer(address(1), 100);
    }
}

// Has allowed a lender to take what it has.
contract Allowing {
    constructor(Coin c, Lender l) {
        c.mint(address(this), 10_000);
        c.approve(address(l), type(uint256).max);
    }

    function onLoan(uint256) external {}
}

// Counts its loans, so that it has a part in them.
contract Counting {
    Coin private immutable coin;
    uint256 public loans;

    constructor(Coin c) {
        coin = c;
        c.mint(address(this), 10_000);
    }

    function onLoan(uint256 fee) external {
        loans++;
        coin.approve(msg.sender, 50 + fee);
    }
}
