// solc: 0.8.30
// run: run(1)
// run: caught(1)
contract Callee {
    uint256 left;

    function spend(uint256 x) external {
        left -= x; // want arithmetic overflows or underflows (Panic 0x11)
    }
}

// A panic that is handed on is the callee's; what comes of one that is caught is not.
contract Caller {
    Callee callee = new Callee();
    uint256 tries;

    function run(uint256 x) external {
        callee.spend(x);
    }

    function caught(uint256 x) external {
        try callee.spend(x) {} catch {
            tries -= x; // want arithmetic overflows or underflows (Panic 0x11)
        }
    }
}
