// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Contracts that have to be where their address says something, as hooks of Uniswap v4 do.

// Flags one after the other, with an argument besides.
contract Hook {
    error AddressNotValid(address);

    address public immutable manager;

    constructor(address manager_) {
        check(address(this), true, false, true, true, false);
        require(manager_.code.length > 0, "no manager");
        manager = manager_;
    }

    function check(address self, bool initialize, bool add, bool remove, bool swap, bool donate) internal pure {
        if (
            initialize != has(self, 1 << 13) || add != has(self, 1 << 11) || remove != has(self, 1 << 9)
                || swap != has(self, 1 << 7) || donate != has(self, 1)
        ) {
            revert AddressNotValid(self);
        }
    }

    function has(address self, uint160 flag) internal pure returns (bool) {
        return uint160(self) & flag != 0;
    }
}

// All flags at once.
contract Masked {
    constructor() {
        require(uint160(address(this)) & 0x3fff == 0x2a84, "flags");
    }
}

// Flags in the first byte.
contract First {
    constructor() {
        require(uint160(address(this)) >> 152 == 0xca, "prefix");
    }
}

contract Manager {}

// Asks where it is, and fails for another reason.
contract Elsewhere {
    constructor(address owner) {
        require(owner != address(this) && block.number < 10, "too late");
    }
}
