// Letters of byte strings, looked at where they are in calldata, and in memory; and a check of two strings by the same code.
contract Letters {
    function spell(bytes calldata word) external pure {
        require(word.length == 12, "twelve");
        if (word[5] == 0x42 && word[6] == 0x99 && word[11] == 0x07) {
            assert(word[4] == 0x43 && word[4] != 0x43); // want assertion
        }
    }

    function seal(bytes memory word) external pure {
        require(word.length == 96, "ninety-six");
        uint256 middle;
        assembly {
            middle := mload(add(word, 0x40))
        }
        assert(middle * 3 != 0xdecafbad * 9); // want assertion
    }

    function both(bytes memory first, bytes memory second) external pure {
        five(first);
        five(second);
        assert(first.length != second.length); // want assertion
    }

    function five(bytes memory word) private pure {
        require(word.length == 5, "five");
    }
}
