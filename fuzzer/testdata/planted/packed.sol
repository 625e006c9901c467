// Numbers packed into one word: each is checked by itself.
contract Packed {
    function enter(uint256 word) external pure {
        if (uint64(word >> 64) == 0x1122334455667788 && uint32(word) ^ 0x5a5a5a5a == 0xdeadbeef) {
            assert(word >> 128 != 0x42_0000_0000_0001); // want assertion
        }
    }
}
