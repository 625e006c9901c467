// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// The same contracts as the head has them.

// Statements change places: those in the same place share half of their words, and are taken for edited.
contract Reordered {
    uint256 public total;

    function f(uint256 a, uint256 b) external {
        assert(b != 2);
        total = a;
        assert(a != 1);
    }
}

// Others that do share less, and are the same in other places.
contract Exchanged {
    uint256 public total;

    function f(uint256 a, uint256 b) external {
        assert(total > b && total * 7 < 99);
        total = a;
        assert(a != 1);
    }
}

// A parameter has another name.
contract Renamed {
    uint256 public total;

    function f(uint256 x) external {
        total = x;
        assert(x != 1);
    }
}

// Names that the other side has as well are no renamed ones.
contract Swapped {
    uint256 public total;

    function f(uint256 a, uint256 b) external {
        total = a + b;
        assert(b < a);
    }
}

// A condition changes a little: it is the statement in the same place.
contract Edited {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a < 200);
    }
}

// It changes so that little is left: what was left over may have been it.
contract Rewritten {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 5);
    }
}

// One of two with the same text goes: the one that stays is in the place of the second.
contract Twice {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 1);
    }
}

// A statement moves to another function.
contract Moved {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
    }

    function g(uint256 a) external {
        total = 2 * a;
        assert(a != 1);
    }
}

// Another function gets a copy of one that stays.
contract Kept {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 1);
    }

    function g(uint256 a) external {
        total = 2 * a;
        assert(a != 1);
    }
}

// One of two goes.
contract Gone {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 1);
    }
}

contract Modified {
    uint256 public total;

    modifier checked(uint256 a) {
        assert(a != 1);
        assert(a != 2);
        _;
    }

    function f(uint256 a) external checked(a) {
        total = a;
    }
}

// Each kind of statement corresponds to its own.
contract Kinds {
    event Spent(uint256 amount);

    uint256 public total;

    function f(uint256 a) external {
        require(a != 3, "three");
        assert(a != 1);
        total = 9 / a;
        emit Spent(a);
        total = total - a;
        emit Spent(total);
        emit Spent(1);
    }
}

contract Created {
    uint256 public total;

    function f(uint256 a) external {
        total = a;
        assert(a != 3);
    }

    constructor(uint256 a) {
        total = a;
        assert(a != 1);
    }
}

// The last of two goes.
contract Shortened {
    uint256 public total;

    function f(uint256 a) external {
        assert(a != 1);
        total = a * 2 + 7;
    }
}
