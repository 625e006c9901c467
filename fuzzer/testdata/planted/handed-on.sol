// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// A value has to be handed on through several variables, and none of the calls that do so
// shows anything new.
contract HandedOn {
    uint256 private a;
    uint256 private b;
    uint256 private c;
    uint256 private d;

    function enter(uint256 value) external {
        a = value;
    }

    function first() external {
        b = a;
    }

    function second() external {
        c = b;
    }

    function third() external {
        d = c;
    }

    function check() external view {
        assert(d != 0xb0a710ad); // want assertion
    }
}
