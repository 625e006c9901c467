// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// One contract for each row of TestWays, as the base has it.

contract Owned {
    uint256 public total;
    address owner = msg.sender;

    function spend(uint256 x) external {
        require(msg.sender == owner, "owner");
        total = x;
        assert(x != 9);
    }
}

contract Emergency {
    uint256 public total;
    address owner = msg.sender;

    function spend(uint256 x, bool emergency) external {
        require(msg.sender == owner, "owner");
        total = emergency ? 1 : 2;
        assert(x != 9);
        assert(x != 8);
    }
}

contract Functions {
    uint256 public total;

    function spend(uint256 x) external {
        _spend(x);
    }

    function spendSome(uint256 x) external {
        require(x < 5, "too much");
        _spend(x);
    }

    function _spend(uint256 x) internal {
        total = x;
        assert(x != 9);
    }
}

contract Branches {
    uint256 public total;

    function spend(uint256 x) external {
        if (x == 1234) {
            total = 8;
        }
        if (x == 5) {
            total = 7;
        }
        assert(total != 7);
    }
}

contract Waits {
    uint256 public total;
    uint256 start = block.timestamp;

    function spend(uint256 x) external {
        require(block.timestamp >= start + 1 days, "wait");
        total = x;
        assert(x != 9);
    }
}

contract Steps {
    uint256 public total;
    bool open;
    address owner = msg.sender;

    function unlock() external {
        require(msg.sender == owner, "owner");
        open = true;
    }

    function spend(uint256 x) external {
        require(open, "closed");
        total = x;
        assert(x != 77);
    }
}

contract Pair {
    uint256 public total;

    function spend(uint256 x) external {
        require(x < 5, "too much");
        total = x;
        assert(x != 9);
        assert(x != 8);
    }
}

contract Former {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

contract Edited {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x < 100);
    }
}

contract Asserts {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
    }
}

contract Shades {
    uint256 public total;

    function spend(uint256 x) external {
        uint256 y = x == 78 ? 9 : x;
        total = y;
        assert(y != 9);
    }
}

contract Crossed {
    uint256 public total;

    function first(uint256 x) external {
        check(x);
    }

    function last(uint256 x) external {
        total = x;
    }

    function check(uint256 x) internal {
        total = x;
        assert(x != 9);
    }
}
