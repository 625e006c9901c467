// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// The other side of release.sol.

contract Same {
    uint256 public total;

    function set(uint256 x) external returns (uint256) {
        require(x < 50, "too much");
        total = x;
        return x;
    }
}

contract Writes {
    uint256 public total;
    uint256 touched;

    function set(uint256 x) external {
        total = x;
    }

    function fail(uint256 x) external {
        total = x;
        require(x < 5, "too much");
    }
}

contract Returns {
    uint256 public total;

    function set(uint256 x) external returns (uint256) {
        total = x;
        return x;
    }
}

contract Named {
    uint256 public total;

    function set(uint256 x) external {
        total = x;
    }
}
