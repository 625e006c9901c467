// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Guard} from "./Numbers.sol";

// Guards as contracts write them that keep accounts: fees, prices, shares, packed orders, steps that wait for each other.
// Several conditions speak of the same numbers.

contract WrappingWindow is Guard {
    function f(uint64 balance, uint64 fee) external {
        unchecked {
            if (fee > 3 && fee <= 35 && balance > balance + fee && balance != type(uint64).max) emit Solved();
        }
    }
}

contract SignedWindow is Guard {
    function f(int64 balance, int64 fee, int64 cap) external {
        unchecked {
            if (balance + fee < balance && fee <= 50 && fee > cap && cap > 7 && balance - cap > 0) emit Solved();
        }
    }
}

contract FactorsApart is Guard {
    function f(uint128 a, uint128 b, uint128 c) external {
        if (a * b == uint256(15485863) * 32452843 * 6 && a != 1 && b != 1 && a > b + 1e6 && c == a - b && c % 5 != 0) emit Solved();
    }
}

contract PinnedChain is Guard {
    function f(uint256 a, uint256 b, uint256 c) external {
        if (b == 3 * a + 11 && c == b * 7 - a && a * c == 20 * 1234567 * 1234567 + 77 * 1234567) emit Solved();
    }
}

contract ModularInverse is Guard {
    function f(uint64 a, uint64 b) external {
        unchecked {
            if (a * b == 1 && a > 1e6 && a < 1e9 && b != a) emit Solved();
        }
    }
}

contract FeeSum is Guard {
    function f(uint256 amount, uint256 bps) external {
        uint256 fee = amount * bps / 10_000;
        if (bps > 30 && bps <= 500 && fee == 123_459 && amount - fee == 5_672_748) emit Solved();
    }
}

contract SharesOfTotal is Guard {
    uint256 private constant total = 1_234_567e18;
    uint256 private constant supply = 987_654e18 + 1;

    function f(uint256 assets, uint256 least) external {
        uint256 shares = Math.mulDiv(assets, supply, total);
        if (shares >= least && shares - least < 100 && least == 424_242_424_242_424_242) emit Solved();
    }
}

contract SquareRoot is Guard {
    function f(uint256 x, uint256 y) external {
        if (y > 1e9 && y * y <= x && (y + 1) * (y + 1) > x && x - y * y == 12_345) emit Solved();
    }
}

contract ProductKept is Guard {
    uint256 private constant reserve0 = 5_000e18;
    uint256 private constant reserve1 = 8_000_000e6;

    function f(uint256 amountIn, uint256 amountOut) external {
        require(amountOut > 7_000_000e6 && amountOut < reserve1);
        uint256 withFee = reserve0 * 1000 + amountIn * 997;
        if (withFee * (reserve1 - amountOut) >= reserve0 * 1000 * reserve1 && amountIn < 36_000e18) emit Solved();
    }
}

contract PriceBand is Guard {
    function f(uint160 sqrtPrice) external {
        uint256 price = Math.mulDiv(uint256(sqrtPrice) * sqrtPrice, 1e18, 1 << 192);
        if (price >= 1_850_123_456_789_012_345 && price < 1_850_123_456_789_012_349) emit Solved();
    }
}

contract PackedOrder is Guard {
    function f(uint256 packed) external {
        uint256 price = packed & 0xffffffff;
        uint256 amount = (packed >> 32) & 0xffffffffffff;
        uint256 expiry = (packed >> 80) & 0xffffffffff;
        uint256 check = packed >> 248;
        if (expiry > block.timestamp && amount * price == 1_000_003 * 7_777 && amount > price && check == (price + amount + expiry) % 251) emit Solved();
    }
}

contract DeadlineBand is Guard {
    function f(uint256 deadline, uint256 amount) external {
        require(deadline >= block.timestamp, "expired");
        if (deadline - block.timestamp > 3600 && deadline - block.timestamp < 3660 && amount == deadline * 3 + 1) emit Solved();
    }
}

contract Cooldown is Guard {
    mapping(address => uint256) private at;
    mapping(address => uint256) private amountOf;

    function request(uint256 amount) external {
        require(amount > 1e6 && at[msg.sender] == 0);
        at[msg.sender] = block.timestamp;
        amountOf[msg.sender] = amount;
    }

    function claim(uint256 amount) external {
        uint256 since = block.timestamp - at[msg.sender];
        require(at[msg.sender] != 0 && since >= 3 days && since < 3 days + 1 hours, "not now");
        if (amount * 2 == amountOf[msg.sender] + 17) emit Solved();
    }
}

contract AccountChecksum is Guard {
    function f(uint256 account, uint256 check) external {
        if (account > 1e15 && account < 1e17 && check < 97 && (account * 100 + check) % 97 == 1 && account % 1000 == 421) emit Solved();
    }
}

contract BatchSum is Guard {
    function f(uint256[] calldata amounts, uint256 total) external {
        require(amounts.length == 3);
        uint256 sum;
        for (uint256 i; i < amounts.length; i++) {
            require(amounts[i] > 1e6 && (i == 0 || amounts[i] > amounts[i - 1]));
            sum += amounts[i];
        }
        if (sum == total && total == 9_876_543_210) emit Solved();
    }
}

contract SplitExactly is Guard {
    function f(uint16 first, uint16 second, uint16 third, uint256 amount) external {
        require(uint256(first) + second + third == 10_000 && first > second && second > third && third > 100);
        if (amount * third / 10_000 == 777_777 && amount % 100 == 34) emit Solved();
    }
}

contract Interest is Guard {
    function f(uint256 principal, uint256 rate, uint256 duration) external {
        require(rate >= 150 && rate <= 2_000 && duration >= 30 days && duration <= 365 days);
        if (principal * rate * duration / (10_000 * 365 days) == 4_321_987_654_321 && rate % 25 == 0 && principal % 2 == 1) emit Solved();
    }
}

contract SignedDeltas is Guard {
    function f(int128 delta0, int128 delta1) external {
        int256 price = 1_853;
        if (delta0 * price + delta1 == 0 && delta0 < -1_000 && delta1 % 7 == 3 && delta1 > 1e12) emit Solved();
    }
}

contract RoundedUp is Guard {
    function f(uint256 amount, uint256 lot) external {
        if (lot > 100 && lot < 5_000 && (amount + lot - 1) / lot * lot == amount + 17 && amount > 1e9) emit Solved();
    }
}

contract SharedCheck is Guard {
    function f(uint256 a, uint256 b, uint256 c) external {
        check(a, 1_234_577);
        check(b, a + 4_321);
        check(c, a + b);
        emit Solved();
    }

    function check(uint256 value, uint256 seal) private pure {
        require(value * 31 == seal * 62 + 93, "not sealed");
    }
}

contract Stages is Guard {
    uint256 private stage;

    function advance(uint256 ticket) external {
        require(ticket == stage * 7 + 3, "not this one");
        stage++;
        if (stage == 12) emit Solved();
    }
}

contract Raised is Guard {
    uint256 private highest = 100;
    uint256 private bids;

    function bid(uint256 amount) external {
        require(amount >= highest + highest / 20 && amount <= highest + highest / 10, "too little, or a mistake");
        highest = amount;
        bids++;
    }

    function close() external {
        require(bids >= 8, "too few bids");
        emit Solved();
    }
}

// An invoice whose lines, tax and total agree, for a given total: each equality is of the one before, and the last pins the first.
contract Invoice is Guard {
    function f(uint64 quantity, uint128 price, uint256 tax, uint256 total) external {
        uint256 net = uint256(quantity) * price;
        require(tax == net * 19 / 100, "tax");
        require(total == net + tax, "total");
        require(quantity > 12 && price > 1_000_000, "wholesale");
        if (total == 357_000_000_595) emit Solved();
    }
}

// An order whose worth is within a band: both ends are bounds of a product, and so is the fee.
contract LotBand is Guard {
    function f(uint96 lots, uint96 price) external {
        uint256 worth = uint256(lots) * price;
        require(worth > 1e24 && worth < 1e24 + 1e9, "worth");
        require(lots % 1000 == 7 && price > 1e9 && lots > 1e9, "lot");
        emit Solved();
    }
}

// Bids in rounds: a dozen, each by the next round's number and a tenth above the one before.
contract TenthAbove is Guard {
    uint256 private round;
    uint256 private best;

    function bid(uint256 number, uint256 amount) external {
        require(number == round, "round");
        require(amount >= best + best / 10 && amount >= 1000, "more");
        best = amount;
        if (++round == 12) emit Solved();
    }
}
