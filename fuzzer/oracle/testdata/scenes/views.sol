// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Views that are read in the middle of a call.
contract Shares {
    uint256 public total = 100;
    uint256 private entered;

    constructor() payable {}

    function fill() external payable {}

    function price() external view returns (uint256) {
        return (address(this).balance * 1000) / total;
    }

    function isEntered() external view returns (bool) {
        return entered == 1;
    }

    function depth() external view returns (uint256) {
        return entered;
    }

    // Says nothing, or why not.
    function mustBeEntered() external view {
        require(entered == 1, "not entered");
    }

    // Pays before the shares are gone.
    function leave(uint256 amount) external {
        entered += 1;
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok);
        total -= 1;
        entered -= 1;
    }

    // The same, and it stays as it is in the middle.
    function stay(uint256 amount) external {
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok);
    }
}

contract Reader {
    Shares private immutable shares;
    uint256 public seen;
    event Seen(uint256 x);

    constructor(Shares s) {
        shares = s;
    }

    function note() external {
        seen = shares.price();
    }

    function look() external view returns (uint256) {
        return shares.price();
    }

    function tell() external {
        emit Seen(shares.price());
    }

    function pay() external payable {
        payable(msg.sender).transfer(shares.price() > 0 ? msg.value : 0);
    }

    function noteEntered() external {
        seen = shares.isEntered() ? 1 : 2;
    }

    function noteDepth() external {
        seen = shares.depth();
    }

    function noteMust() external {
        shares.mustBeEntered();
        seen = 5;
    }

    function noteAndFail() external {
        seen = shares.price();
        revert("no");
    }
}
