// More words than formulas have variables: many numbers, and a byte string of sixteen words. What is looked at last is none of them.
contract Many {
    function enter(uint256[22] calldata numbers, bytes calldata text) external pure returns (bool late) {
        require(text.length == 512, "long");
        uint256 word;
        assembly {
            word := calldataload(add(text.offset, 480))
        }
        late = word * 3 == 0xdecafbad * 9;
        if (late) assembly { word := add(word, 1) }
        assert(numbers[3] * 3 != 0xdecafbad * 6);
    }
}
