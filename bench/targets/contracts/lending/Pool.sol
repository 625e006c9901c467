// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

/// @title A lending pool in ether against a token that anybody may mint
contract Pool {
    struct Loan {
        uint256 collateral;
        uint256 debt;
        uint64 since;
        uint8 strikes;
    }

    uint256 public constant RATE = 5; // percent a 30 days
    uint256 public constant MARGIN = 150; // percent

    mapping(address => uint256) public tokens;
    mapping(address => uint256) public shares;
    mapping(address => Loan) public loans;
    uint256 public totalShares;
    uint256 public totalDebt;
    uint256 public price = 1 ether;
    uint256 public priceTime;
    address public oracle;
    bool public frozen;

    constructor() {
        oracle = msg.sender;
        priceTime = block.timestamp;
    }

    modifier live() {
        require(!frozen, "frozen");
        _;
    }

    function mint(uint256 amount) external {
        require(amount <= 1_000_000, "amount");
        tokens[msg.sender] += amount;
    }

    function feed(uint256 newPrice) external {
        require(msg.sender == oracle, "oracle");
        require(newPrice > 0, "zero");
        if (newPrice > 2 * price || 2 * newPrice < price) {
            require(block.timestamp >= priceTime + 1 hours, "too fast");
        }
        price = newPrice;
        priceTime = block.timestamp;
    }

    function supply() external payable live {
        require(msg.value > 0, "nothing");
        uint256 assets = address(this).balance - msg.value + totalDebt;
        uint256 minted = totalShares == 0 ? msg.value : msg.value * totalShares / assets;
        require(minted > 0, "rounds to nothing");
        shares[msg.sender] += minted;
        totalShares += minted;
    }

    function redeem(uint256 amount) external {
        require(shares[msg.sender] >= amount, "shares");
        uint256 assets = (address(this).balance + totalDebt) * amount / totalShares;
        if (assets > address(this).balance) {
            revert("lent out");
        }
        shares[msg.sender] -= amount;
        totalShares -= amount;
        payable(msg.sender).transfer(assets);
    }

    function deposit(uint256 amount) external live {
        require(tokens[msg.sender] >= amount, "tokens");
        tokens[msg.sender] -= amount;
        loans[msg.sender].collateral += amount;
    }

    function interest(Loan memory loan) internal view returns (uint256 due) {
        due = loan.debt;
        uint256 periods = (block.timestamp - loan.since) / 30 days;
        for (uint256 i = 0; i < periods && i < 24; i++) {
            due += due * RATE / 100;
        }
    }

    function safe(uint256 collateral, uint256 debt) internal view returns (bool) {
        return collateral * price * 100 >= debt * MARGIN;
    }

    function borrow(uint256 amount) external live {
        Loan storage loan = loans[msg.sender];
        require(loan.strikes < 3, "blocked");
        uint256 due = interest(loan);
        require(amount <= address(this).balance, "liquidity");
        require(safe(loan.collateral, due + amount), "collateral");
        totalDebt = totalDebt - loan.debt + due + amount;
        loan.debt = due + amount;
        loan.since = uint64(block.timestamp);
        payable(msg.sender).transfer(amount);
    }

    function repay() external payable {
        Loan storage loan = loans[msg.sender];
        uint256 due = interest(loan);
        require(due > 0, "no debt");
        uint256 paid = msg.value;
        if (paid > due) {
            payable(msg.sender).transfer(paid - due);
            paid = due;
        }
        totalDebt = totalDebt - loan.debt + due - paid;
        loan.debt = due - paid;
        loan.since = uint64(block.timestamp);
        if (loan.debt == 0) {
            tokens[msg.sender] += loan.collateral;
            loan.collateral = 0;
            if (loan.strikes > 0) {
                loan.strikes--;
            }
        }
    }

    function liquidate(address who) external payable {
        Loan storage loan = loans[who];
        uint256 due = interest(loan);
        require(due > 0 && !safe(loan.collateral, due), "safe");
        require(msg.value >= due / 2, "pay half at least");
        uint256 paid = msg.value > due ? due : msg.value;
        uint256 seized = loan.collateral * paid / due;
        if (paid == due) {
            seized = loan.collateral;
            loan.strikes += 2;
        } else {
            loan.strikes++;
        }
        if (loan.strikes >= 3) {
            frozen = totalDebt > address(this).balance;
        }
        totalDebt = totalDebt - loan.debt + due - paid;
        loan.debt = due - paid;
        loan.since = uint64(block.timestamp);
        loan.collateral -= seized;
        tokens[msg.sender] += seized;
    }

    function thaw() external {
        require(frozen, "live");
        require(msg.sender == oracle, "oracle");
        require(totalDebt <= address(this).balance, "debt");
        frozen = false;
    }
}
