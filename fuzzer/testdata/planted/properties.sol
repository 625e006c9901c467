// Property functions in the three spellings. Their failures are located where the
// dispatcher enters them.
contract Properties {
    uint256 supply = 1;
    uint256 limit = 10;
    bool broken;

    function mint(uint256 amount) external {
        require(amount < 8, "too much at once");
        supply += amount;
        if (supply > 14) broken = true;
    }

    function echidna_limit() external view returns (bool) { // want assertion
        return supply <= limit;
    }

    function invariant_works() external view { // want assertion
        require(!broken, "broken");
    }

    function property_positive() external view returns (bool) {
        return supply > 0;
    }
}
