// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

library Inner { function one() external pure returns (uint256) { return 1; } }
library Outer { function two() external pure returns (uint256) { return Inner.one() + 1; } }
library Unused { function f() external pure returns (uint256) { return 0; } }

contract User {
    uint256 public immutable value;
    constructor() { value = Outer.two(); }
    function more() external pure returns (uint256) { return Outer.two() + 1; }
}

// A factory: the child is recognised though nobody deploys it here.
contract Factory {
    User public last;
    function make() external { last = new User(); }
}
