// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Statements of every form, on as many lines as people put them on.

error Low(uint256 have, uint256 want);

uint256 constant LIMIT = 100;

function clamp(uint256 x) pure returns (uint256) {
    if (x > LIMIT) {
        return LIMIT;
    }
    return x;
}

library Sums {
    function sum(uint256[] storage list) internal view returns (uint256 total) {
        for (
            uint256 i = 0;
            i < list.length;
            i++
        ) {
            if (list[i] == 0)
                continue;
            if (list[i] == 13) {
                break;
            }
            total += list[i];
        }
    }

    function largest(uint256[] storage list) external view returns (uint256 most) {
        uint256 i;
        while (
            i < list.length &&
            i < LIMIT
        ) {
            if (list[i] > most) most = list[i];
            unchecked {
                ++i;
            }
        }
    }
}

abstract contract Base {
    address public immutable owner;
    uint256 internal level = 1;

    event Raised(uint256 level);

    constructor(uint256 start) {
        owner = msg.sender;
        level = start;
    }

    modifier above(uint256 least) {
        if (level < least) {
            revert Low({
                have: level,
                want: least
            });
        }
        _;
        emit Raised(
            level
        );
    }

    modifier sometimes(uint256 x) {
        if (x % 2 == 0) {
            _;
        } else {
            level = 2;
        }
    }

    function rate(uint256 x) internal view virtual returns (uint256) {
        return x * level;
    }
}

contract Other {
    function risky(uint256 how) external pure returns (uint256) {
        require(how != 1, "one");
        assert(how != 2);
        if (how == 3) revert Low(3, 4);
        return 10 / (how - 4);
    }
}

contract Forms is Base {
    using Sums for uint256[];

    uint256[] public list;
    mapping(address => mapping(uint256 => uint256)) public notes;
    Other public other = new Other();

    constructor() Base(7) {}

    receive() external payable {
        level += msg.value % 5;
    }

    fallback() external payable {
        if (msg.data.length > 36) {
            level = 3;
        }
    }

    function rate(uint256 x) internal view override returns (uint256) {
        return
            x > 50
                ? super.rate(
                    x - 50
                )
                : x == 0
                    ? 1
                    : super.rate(x) +
                        clamp(x);
    }

    function plain(uint256 x) internal pure returns (uint256) {
        return x;
    }

    function add(uint256 x) external above(5) returns (uint256) {
        list.push(
            clamp(x)
        );
        return list.sum();
    }

    function choose(bool r, uint256 x) external view returns (uint256) {
        function(uint256) internal view returns (uint256) chosen = r
            ? rate
            : plain;
        if (x == 3) {
            return 0;
        }
        return chosen(x);
    }

    function drop() external sometimes(block.timestamp) {
        if (list.length == 0) {
            return;
        }
        list.pop();
    }

    function compare(uint256 a, uint256 b) external view returns (bool) {
        return
            (a > b &&
                a - b < LIMIT) ||
            b ==
                owner.balance ||
            a == 5;
    }

    function ask(uint256 how) external returns (uint256 got) {
        try
            other.risky(
                how
            )
        returns (uint256 answer) {
            got = answer;
        } catch Error(string memory reason) {
            got = bytes(reason).length;
        } catch Panic(uint256 code) {
            got = code;
        } catch (bytes memory data) {
            got = data.length;
        }
        level = got % 9;
    }

    function most() external view returns (uint256) {
        return Sums.largest(list);
    }

    function count(uint256 x) external pure returns (uint256 n) {
        do {
            n++;
            if (n == 7) {
                continue;
            }
            if (n > 9)
                return n;
            x /= 2;
        } while (
            x > 0
        );
    }

    function mix(uint256 x, uint256 y) external returns (uint256 z) {
        assembly {
            switch and(x, 3)
            case 0 {
                z := add(x, y)
            }
            case 1 {
                if gt(y, 9) {
                    z := 9
                }
            }
            default {
                for { let i := 0 } lt(i, 4) { i := add(i, 1) } {
                    if eq(i, y) {
                        break
                    }
                    z := add(z, i)
                }
            }
        }
        notes[msg.sender][x] = z;
        (uint256 p, uint256 q) =
            (z, notes[msg.sender][y]);
        delete notes[msg.sender][
            y
        ];
        {
            uint256 r = p;
            z = r + q;
        }
    }
}
