// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Who holds how many shares.
library Shares {
    struct Book {
        mapping(address payee => uint256) held;
        uint256 total;
    }

    function set(Book storage self, address payee, uint256 shares) internal {
        self.total = self.total - self.held[payee] + shares;
        self.held[payee] = shares;
    }

    function portion(Book storage self, address payee, uint256 amount) internal view returns (uint256) {
        return amount * self.held[payee] / self.total;
    }
}
