// SPDX-License-Identifier: MIT
// compile: 0.8.30 | 0.8.30-ir
pragma solidity ^0.8.4;

error Broken(uint got);
error Plain();

library Errors {
    function throwIt(bytes4 selector) internal pure {
        assembly ("memory-safe") {
            mstore(0, selector)
            revert(0, 0x04)
        }
    }

    function throwWith(bytes4 selector, uint value) internal pure {
        if (value == 0) {
            throwIt(selector);
        } else {
            value += 1;
            revert Broken(value);
        }
    }

    function sometimes(bytes4 selector, uint value) internal pure {
        if (value < 5) {
            return;
        }
        throwIt(selector);
    }

    function endsWell(bytes4 selector) internal pure {
        assembly {
            mstore(0, selector)
            if calldatasize() {
                return(0, 32)
            }
            revert(0, 4)
        }
    }

    function again(uint n) internal pure {
        if (n > 3) {
            again(n - 1);
        }
    }
}

contract Uses {
    using Errors for bytes4;
    uint public total;

    modifier unlessFirst() {
        if (total > 0) {
            _;
        }
    }

    function add(uint n) external {
        if (n == 7) Plain.selector.throwIt();
        if (n == 8) {
            total = 3;
            Broken.selector.throwWith(
                n + total
            );
        }
        if (n == 9) {
            Plain.selector.sometimes(n);
        }
        if (n == 10) Plain.selector.endsWell();
        if (n == 11) fail();
        if (n == 12) failHere();
        if (n == 13) failLater();
        if (n == 14)
            failHere();
        else
            fail();
        Errors.again(n);
        while (n > 40) {
            if (n == 50) break;
            n -= 1;
            revert();
        }
        total += n;
    }

    function fail() internal virtual {
        total = 9;
        revert Plain();
    }

    function failHere() internal {
        Errors.throwWith(Plain.selector, total);
    }

    function failLater() internal unlessFirst {
        failHere();
    }

    function forward(uint n) external {
        n += 1;
        end(n);
        revert();
    }

    function end(uint n) private pure {
        answer(n);
    }

    function answer(uint n) private pure {
        assembly {
            mstore(0, n)
            return(0, 32)
        }
    }

    function never() external payable {
        total++;
        failHere();
    }

    function ping(uint n) public {
        pong(n);
        revert();
    }

    function pong(uint n) public {
        ping(n);
    }

    function tells(uint n) external view {
        n += total;
        assembly {
            function tell(v) {
                mstore(0, v)
                return(0, 32)
            }
            tell(n)
            revert(0, 0)
        }
    }
}
