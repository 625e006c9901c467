// solc: 0.8.30 0.5.17
// run: write(11510862870696579525, 1); write(0, 2)
// run: write(1, 1); write(2680081611, 2); write(5, 1)
// run: stepped(167505100, 1); stepped(0, 2)
contract Registers {
    address owner = msg.sender;
    mapping(uint256 => uint256) values;

    function write(uint256 slot, uint256 value) external {
        require(slot < 2**64);
        assembly {
            sstore(slot, value) // want the input chooses the storage slot that is written, that of
        }
    }

    function stepped(uint256 at, uint256 value) external {
        require(at < 2**32);
        assembly {
            sstore(mul(at, 0x1000), value) // want the input chooses the storage slot that is written, that of owner
        }
    }
}
