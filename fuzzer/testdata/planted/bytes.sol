// The length and a byte of a byte string; the length of an array.
contract Strings {
    function name(bytes calldata text) external pure {
        if (text.length == 5 && text[0] == "x") {
            assert(text.length != 5); // want assertion
        }
    }

    function many(uint256[] calldata list) external pure {
        require(list.length == 7, "seven");
        assert(list[6] == 0); // want assertion
    }
}
