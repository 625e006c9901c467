// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// Statements that may fail, as the base has them. TestCorrespond lists what each of the head's was.

contract Reordered {
    uint256 public total;

    function f(uint256 a, uint256 b) external {
        assert(a != 1);
        total = a;
        assert(b != 2);
    }
}

contract Exchanged {
    uint256 public total;

    function f(uint256 a, uint256 b) external {
        assert(a != 1);
        total = a;
        assert(total > b && total * 7 < 99);
    }
}

contract Renamed {
    uint256 public total;

    function f(uint256 amount) external {
        total = amount;
        assert(amount != 1);
    }
}

contract Swapped {
    uint256 public total;

    function f(uint256 a, uint256 b) external {
        total = a + b;
        assert(a < b);
    }
}

contract Edited {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a < 100);
    }
}

contract Rewritten {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(total > 7 && total < 9 && total != 8);
    }
}

contract Twice {
    uint256 public total;

    function f(uint256 a) external {
        assert(a != 1);
        total = a;
        assert(a != 1);
    }
}

contract Moved {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 1);
    }

    function g(uint256 a) external {
        total = 2 * a;
    }
}

contract Kept {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 1);
    }
}

contract Gone {
    uint256 public total;

    function f(uint256 a) external {
        assert(a != 2);
        total = a;
        assert(a != 1);
    }
}

contract Modified {
    uint256 public total;

    modifier checked(uint256 a) {
        assert(a != 1);
        _;
    }

    function f(uint256 a) external checked(a) {
        total = a;
    }
}

contract Kinds {
    event Spent(uint256 amount);

    uint256 public total;

    function f(uint256 a) external {
        require(a != 3, "three");
        assert(a != 1);
        total = 7 / a;
        emit Spent(a);
        total = total - a;
        emit Spent(total);
    }
}

contract Created {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 3);
    }

    constructor(uint256 a) {
        assert(a != 1);
        total = a;
    }
}

contract Shortened {
    uint256 public total;

    function f(uint256 a) external {
        assert(a != 1);
        total = a * 2 + 7;
        assert(total > 100 && a > 5);
    }
}
