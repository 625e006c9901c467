// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

// Guards on numbers. Each contract emits Solved behind one condition that chance
// does not meet; that is all it does.

abstract contract Guard {
    event Solved();
}

contract Constant is Guard {
    function f(uint256 a) external {
        if (a == 0x8d1f2a6b4c3e5f7081920a1b2c3d4e5f60718293a4b5c6d7e8f90123456789ab) emit Solved();
    }
}

contract Linear is Guard {
    function f(uint256 a) external {
        unchecked {
            if (3 * a + 7 == 0x5bd1e995a47c2f11d903b6e8c5a1f70345) emit Solved();
        }
    }
}

contract LinearChecked is Guard {
    function f(uint256 a) external {
        if (a * 17 + 4 == 17 * 918273645546372819 + 4) emit Solved();
    }
}

contract LinearOfTwo is Guard {
    function f(uint256 a, uint256 b) external {
        unchecked {
            if (5 * a + 3 * b == 8 * uint256(0x1f3d5b79aceddb9753113579bdfeca86) + 385 && a - b == 77) emit Solved();
        }
    }
}

contract Quadratic is Guard {
    function f(uint128 a) external {
        if (uint256(a) * a == uint256(982451653123) * 982451653123) emit Solved();
    }
}

contract Quartic is Guard {
    function f(uint256 a) external {
        unchecked {
            if (a ** 4 + a ** 2 == 228901770) emit Solved();
        }
    }
}

contract Cubic is Guard {
    function f(uint64 a) external {
        uint256 x = a;
        if (x >= 3 && x * x * x - 7 * x == uint256(48611) ** 3 - 7 * 48611) emit Solved();
    }
}

contract Product is Guard {
    function f(uint256 a, uint256 b) external {
        if (a < 1e9 && b < 1e9 && a * b == 7919 * 104729 && a + b == 7919 + 104729) emit Solved();
    }
}

contract Remainder is Guard {
    function f(uint256 a) external {
        if (a % 1000003 == 777777 && a > 1e18 && a < 1e24) emit Solved();
    }
}

contract RemainderOfLinear is Guard {
    function f(uint256 a, uint256 b) external {
        unchecked {
            if ((a * 7 + 3) % 65537 == 12345 && (b + a) % 1009 == 57) emit Solved();
        }
    }
}

contract Quotient is Guard {
    function f(uint256 a) external {
        if (a / 1000 == 123456789123) emit Solved();
    }
}

contract Scaled is Guard {
    function f(uint256 assets, uint256 supply) external {
        if (supply > 1e6 && assets < 1e30 && (assets * 1e18) / supply == 1234567890123456789) emit Solved();
    }
}

contract ShiftedRight is Guard {
    function f(uint256 a) external {
        if (a >> 16 == 0xcafe1234) emit Solved();
    }
}

contract ShiftedAndAdded is Guard {
    function f(uint256 a, uint256 b) external {
        unchecked {
            if ((a << 3) + (b >> 5) == 0xfeedfacecafe && b > 1e6) emit Solved();
        }
    }
}

contract Xored is Guard {
    function f(uint256 a) external {
        if (a ^ 0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a == 0x0123456789abcdef0123456789abcdef) emit Solved();
    }
}

contract Masked is Guard {
    function f(uint256 a) external {
        if (a & 0xffff0000 == 0x12340000 && a & 0xff == 0x5a) emit Solved();
    }
}

contract PackedWords is Guard {
    function f(uint256 packed) external {
        if (uint128(packed) == 0xabcdef0123456789 && packed >> 128 == 0x1122334455667788) emit Solved();
    }
}

contract SubWord is Guard {
    function f(bytes32 b) external {
        if (uint16(bytes2(b << 64)) == 0xbeef && b[0] == 0x7f && b[31] == 0x01) emit Solved();
    }
}

contract Selector is Guard {
    function f(bytes4 id) external {
        if (id == bytes4(keccak256("supportsInterface(bytes4)"))) emit Solved();
    }
}

contract Signed is Guard {
    function f(int256 a) external {
        if (a * 3 - 5 == -3000000000000000000000008) emit Solved();
    }
}

contract SignedBand is Guard {
    function f(int256 a) external {
        if (a < -123456789 && a > -123456793) emit Solved();
    }
}

contract SignedNarrow is Guard {
    function f(int64 a, int64 b) external {
        if (int256(a) - int256(b) == -31337 && a > 1e9 && int256(a) + b == 2 * 987654321987 + 31337) emit Solved();
    }
}

contract Band is Guard {
    function f(uint256 a) external {
        if (a > 31415926535897932384626433832795028841 && a < 31415926535897932384626433832795028844) emit Solved();
    }
}

contract Ordered is Guard {
    function f(uint256 a, uint256 b, uint256 c) external {
        if (a > 1e6 && a < b && b < c && c - a == 7) emit Solved();
    }
}

contract Unequal is Guard {
    function f(uint256 a, uint256 b) external {
        unchecked {
            if (!(a * 2 != 0x2468ace02468ace0 || b <= a || b >= a + 3)) emit Solved();
        }
    }
}

contract Larger is Guard {
    function f(uint256 a, uint256 b) external {
        if ((a > b ? a : b) == 4669201609102990 && (a > b ? b : a) == 2502907875095892) emit Solved();
    }
}

contract Exponent is Guard {
    function f(uint8 a) external {
        unchecked {
            if (uint256(2) ** a == 1 << 177) emit Solved();
        }
    }
}

contract Chain is Guard {
    function f(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e) external {
        unchecked {
            if (a * 3 == 0x123456789abcdef0123) {
                if (b - a == 0x1111) {
                    if (b ^ c == 0xffff0000ffff) {
                        if ((c + d) >> 4 == 0x777777777) {
                            if (d * 5 + e == 0xabcdefabcdefabcdef) emit Solved();
                        }
                    }
                }
            }
        }
    }
}

contract Bools is Guard {
    function f(bool a, bool b, uint8 kind, bool c) external {
        if (a && !b && kind == 3 && (c || !a)) emit Solved();
    }
}

contract Root is Guard {
    function f(uint256 a) external {
        if (root(a) == 1234567 && a % 2 == 1) emit Solved();
    }

    function root(uint256 x) private pure returns (uint256 y) {
        if (x == 0) return 0;
        y = x;
        uint256 z = x / 2 + 1;
        while (z < y) {
            y = z;
            z = (x / z + z) / 2;
        }
    }
}

contract BitCount is Guard {
    function f(uint256 a) external {
        uint256 bits;
        for (uint256 x = a; x != 0; x &= x - 1) bits++;
        if (bits == 19) emit Solved();
    }
}

contract Checksum is Guard {
    function f(uint32 a) external {
        if ((a ^ (a >> 8) ^ (a >> 16) ^ (a >> 24)) & 0xff == 0x5a && a > 0x1000000) emit Solved();
    }
}
