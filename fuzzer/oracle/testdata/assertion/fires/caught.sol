// solc: 0.8.30 0.8.17
// run: run(1)
// run: named(1)
// run: data(1)
contract Callee {
    function check(uint256 x) external pure {
        assert(x == 0); // want assert fails (Panic 0x01)
    }
}

// What the caller asserts of a panic that it has caught is its own, though the bytes are equal.
contract Catcher {
    Callee callee = new Callee();

    function run(uint256 x) external view {
        bool failed;
        try callee.check(x) {} catch {
            failed = true;
        }
        assert(!failed); // want assert fails (Panic 0x01)
    }

    function named(uint256 x) external view {
        try callee.check(x) {} catch Panic(uint256 code) {
            assert(code != 1); // want assert fails (Panic 0x01)
        }
    }

    function data(uint256 x) external view {
        try callee.check(x) {} catch (bytes memory reason) {
            assert(reason.length == 0); // want assert fails (Panic 0x01)
        }
    }
}
