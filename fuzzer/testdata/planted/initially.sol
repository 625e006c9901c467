// A property that fails before anything has been called, on a contract that no
// call changes. What runs only in a property counts as reached.
contract Initially {
    function look() external pure returns (uint256) {
        return 1;
    }

    function echidna_false() external pure returns (bool) { // want assertion
        uint256 x = 3; // target reached
        return x == 4;
    }
}
