// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// The same contracts as the head has them.

// The same calls break it.
contract Kept {
    uint256 public total;
    uint256 public touched;

    function spend(uint256 x) external {
        touched = x;
        total = x;
        assert(x != 1234);
    }
}

// Other calls break it.
contract Shifted {
    uint256 public total;

    function spend(uint256 x) external {
        x = x / 2 + 1;
        total = x;
        assert(x != 77);
    }
}

// A guard is gone.
contract Guarded {
    uint256 public total;

    function spend(uint256 x) external {
        require(x < 50, "too much");
        total = x;
        assert(x < 6);
    }
}

// The assertion is new.
contract Added {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 4321);
    }
}

// The function has another name: its calls do not fit.
contract Elsewhere {
    uint256 public total;

    function newer(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

// One of the calls does not fit: only the head has its function.
contract Unlocked {
    uint256 public total;
    bool public open;

    function unlock(uint256, bool) external {
        open = true;
    }

    function spend(uint256 x) external {
        total = x;
        assert(!open);
    }
}

// The function of the same name cannot break on the base; another one with the same text can.
contract Twice {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 3);
    }

    function other(uint256 x) external {
        total = x;
        assert(x != 3);
    }
}

// The contract is new.
contract Fresh {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 3);
    }
}

contract Words {
    uint256[4] public kept;

    function write(uint256 at, uint256 word) external {
        uint256[4] storage words = kept;
        assembly {
            sstore(add(words.slot, at), word)
        }
    }
}

// Other calls break it that only the finding leads to: the key cannot be guessed.
contract Sealed {
    uint256 public total;

    function spend(uint256 key, uint256 x) external {
        require(keccak256(abi.encode(key)) == keccak256(abi.encode(uint256(20_261_123) * 7_919)), "key");
        x = x / 2 + 1;
        total = x;
        assert(x != 77);
    }
}
