// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

/// @title A register that is written by encoded messages: tag, length, value
contract Decoder {
    uint8 constant NUMBER = 0x02;
    uint8 constant TEXT = 0x0c;
    uint8 constant LIST = 0x30;

    mapping(uint256 => uint256) public numbers;
    mapping(uint256 => bytes32) public texts;
    uint256 public messages;
    uint256 public nested;
    uint256 public sum;
    uint256 public deepest;

    function submit(bytes calldata data) external returns (uint256 items) {
        uint256 at = 0;
        while (at < data.length) {
            at = item(data, at, data.length, 0);
            items++;
        }
        messages++;
        if (items > 3) {
            sum += items;
        }
    }

    function item(bytes calldata data, uint256 at, uint256 end, uint256 depth) internal returns (uint256) {
        require(at + 2 <= end, "truncated");
        require(depth < 4, "too deep");
        uint8 tag = uint8(data[at]);
        uint256 length = uint8(data[at + 1]);
        at += 2;
        if (length >= 0x80) {
            uint256 bytesOfLength = length & 0x7f;
            require(bytesOfLength == 1, "length of length");
            require(at < end, "truncated length");
            length = uint8(data[at]);
            at++;
            require(length >= 0x80, "length not minimal");
        }
        require(at + length <= end, "value truncated");
        if (tag == NUMBER) {
            number(data, at, length);
        } else if (tag == TEXT) {
            text(data, at, length);
        } else if (tag == LIST) {
            nested++;
            if (depth + 1 > deepest) {
                deepest = depth + 1;
            }
            uint256 inner = at;
            while (inner < at + length) {
                inner = item(data, inner, at + length, depth + 1);
            }
        } else {
            revert("tag");
        }
        return at + length;
    }

    function number(bytes calldata data, uint256 at, uint256 length) internal {
        require(length > 0 && length <= 8, "number");
        uint256 value = 0;
        for (uint256 i = 0; i < length; i++) {
            value = value << 8 | uint8(data[at + i]);
        }
        if (length > 1 && value >> (8 * (length - 1)) == 0) {
            revert("number not minimal");
        }
        numbers[messages] = value;
        sum += value;
        if (nested > 1 && value > 0xffff) {
            sum /= 2;
        }
    }

    function text(bytes calldata data, uint256 at, uint256 length) internal {
        require(length > 0 && length <= 32, "text");
        bytes32 word;
        uint256 letters = 0;
        for (uint256 i = 0; i < length; i++) {
            uint8 c = uint8(data[at + i]);
            require(c >= 0x20 && c < 0x7f, "character");
            if (c >= 0x61 && c <= 0x7a) {
                letters++;
            }
            word = word | bytes32(uint256(c) << (248 - 8 * i));
        }
        if (letters == length && length >= 3) {
            texts[messages] = word;
        }
    }

    function repeated(uint256 first, uint256 n) external view returns (bool) {
        require(n > 1 && n < 16, "n");
        for (uint256 i = 1; i < n; i++) {
            if (numbers[first + i] != numbers[first] || numbers[first] == 0) {
                return false;
            }
        }
        return true;
    }

    function prune(uint256 upTo) external {
        require(upTo < messages, "future");
        uint256 i = upTo;
        while (i > 0) {
            i--;
            if (numbers[i] == 0 && texts[i] == 0) {
                continue;
            }
            if (texts[i] != 0) {
                texts[i] = 0;
            } else {
                numbers[i] = 0;
            }
        }
        if (deepest >= 2) {
            deepest = 0;
        }
    }
}
