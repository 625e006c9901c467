// solc: 0.8.30 0.5.17
// run: credit(911984514198959924818181987379623047828456859296, 1); credit(0, 2)
// run: store(40893, 1); store(0, 2); store(3, 7)
// run: write(11510862870696579525, 1); write(6, 1)
// run: undone(11510862870696579525, 1); attempt(0, 1)
contract Registers {
    address owner = msg.sender;
    uint256[40000] large;
    mapping(uint256 => uint256) values;

    // an account's balance is at a number of its own, which no variable has
    function credit(uint256 account, uint256 value) external {
        require(account < 2**160);
        assembly {
            sstore(add(0x100000, account), value)
        }
    }

    // within the bounds of an array that takes the marked slot
    function store(uint256 at, uint256 value) external {
        large[at] = value;
    }

    // the mark without a variable, and the elements of a mapping
    function write(uint256 slot, uint256 value) external {
        values[slot] = value;
        require(slot < 2**64 && slot > 50000 || slot == 6);
        if (slot == 6) values[6] = 1;
        else
            assembly {
                sstore(slot, value)
            }
    }

    function undone(uint256 slot, uint256 value) public {
        assembly {
            sstore(slot, value)
        }
    }

    function attempt(uint256 slot, uint256 value) external {
        (bool ok, ) = address(this).call(abi.encodeWithSignature("fails(uint256,uint256)", slot, value));
        require(!ok);
    }

    function fails(uint256 slot, uint256 value) external {
        undone(slot, value);
        revert();
    }
}
