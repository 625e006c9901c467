// solc: 0.8.30
// run: make(0)
contract Part {
    constructor(uint256 size) {
        assert(size > 0); // want assert fails (Panic 0x01)
    }
}

contract Factory {
    function make(uint256 size) external {
        new Part(size);
    }
}
