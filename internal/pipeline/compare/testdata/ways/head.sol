// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// The same contracts as the head has them.

// Who may call it is open now.
contract Owned {
    uint256 public total;
    address owner = msg.sender;

    function spend(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

// Anyone may call it with a certain argument.
contract Emergency {
    uint256 public total;
    address owner = msg.sender;

    function spend(uint256 x, bool emergency) external {
        require(msg.sender == owner || emergency, "owner");
        total = emergency ? 1 : 2;
        assert(x != 9);
        assert(x != 8);
    }
}

// Another function leads to the old failure, too.
contract Functions {
    uint256 public total;

    function spend(uint256 x) external {
        _spend(x);
    }

    function spendSome(uint256 x) external {
        _spend(x);
    }

    function _spend(uint256 x) internal {
        total = x;
        assert(x != 9);
    }
}

// One more branch leads to it.
contract Branches {
    uint256 public total;

    function spend(uint256 x) external {
        if (x == 1234) {
            total = 7;
        }
        if (x == 5) {
            total = 7;
        }
        assert(total != 7);
    }
}

// What took a day is possible at once.
contract Waits {
    uint256 public total;
    uint256 start = block.timestamp;

    function spend(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

// The number that breaks it is another one, and the owner opens it still.
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
        x = x / 2 + 1;
        total = x;
        assert(x != 77);
    }
}

// Two failures that a guard kept away.
contract Pair {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 9);
        assert(x != 8);
    }
}

// It has another name.
contract Actual {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

// The condition is another one.
contract Edited {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x < 50);
    }
}

// The assertion is new.
contract Asserts {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

// Two other numbers break it.
contract Shades {
    uint256 public total;

    function spend(uint256 x) external {
        uint256 y = x == 77 ? 9 : x;
        total = y;
        assert(y != 9);
    }
}

// It fails in the other one of two calls.
contract Crossed {
    uint256 public total;

    function first(uint256 x) external {
        total = x;
    }

    function last(uint256 x) external {
        check(x);
    }

    function check(uint256 x) internal {
        total = x;
        assert(x != 9);
    }
}

// Two functions and a fallback share the code that fails; one of them takes ether.
contract Swapped {
    uint256 public total;

    function spend(uint256 x) external payable {
        keep(x);
    }

    function take(uint256 x) external {
        keep(x);
    }

    fallback() external {
        keep(9);
    }

    function keep(uint256 x) private {
        total = x;
        assert(x != 9);
    }
}
