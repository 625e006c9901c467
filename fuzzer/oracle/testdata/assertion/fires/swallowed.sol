// solc: 0.8.30
// run: run(1)
contract Callee {
    function check(uint256 x) external pure {
        assert(x == 0); // want assert fails (Panic 0x01)
    }
}

contract Caller {
    Callee callee = new Callee();
    uint256 failures;

    function run(uint256 x) external {
        try callee.check(x) {} catch {
            failures++;
        }
    }
}
