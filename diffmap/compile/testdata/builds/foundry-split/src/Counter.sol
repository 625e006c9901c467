// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0;

import "./Step.sol";

contract Counter {
    uint256 public count;

    function add(uint256 n) public {
        require(n > 0);
        count = Step.next(count, n);
    }
}
