// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// One contract for each row of TestFindings, as the base has it.

contract Kept {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 1234);
    }
}

contract Shifted {
    uint256 public total;

    function spend(uint256 x) external {
        total = x;
        assert(x != 77);
    }
}

contract Guarded {
    uint256 public total;

    function spend(uint256 x) external {
        require(x < 5, "too much");
        total = x;
        assert(x < 6);
    }
}

contract Added {
    uint256 public total;
}

contract Elsewhere {
    uint256 public total;

    function older(uint256 x) external {
        total = x;
        assert(x != 9);
    }
}

contract Unlocked {
    uint256 public total;
    bool public open;

    function spend(uint256 x) external {
        total = x;
        assert(!open);
    }
}

contract Twice {
    uint256 public total;

    function safe(uint256 x) external {
        if (x == 3) {
            return;
        }
        total = x;
        assert(x != 3);
    }

    function spend(uint256 x) external {
        if (x == 3) {
            return;
        }
        total = x;
        assert(x != 3);
    }

    function other(uint256 x) external {
        total = x;
        assert(x != 3);
    }
}

contract Words {
    uint256[4] public kept;

    function write(uint256 at, uint256 word) external {
        uint256[4] memory words;
        assembly {
            mstore(add(words, at), word)
        }
        kept[0] = words[0];
    }
}

contract Sealed {
    uint256 public total;

    function spend(uint256 key, uint256 x) external {
        require(keccak256(abi.encode(key)) == keccak256(abi.encode(uint256(20_261_123) * 7_919)), "key");
        total = x;
        assert(x != 77);
    }
}
