// solc: 0.8.30
// run: demand(3)
// run: refuse(3)
// run: burn(1)
contract Reverts {
    error Refused(uint256 x);

    function demand(uint256 x) external pure {
        require(x == 1, "assert fails");
    }

    function refuse(uint256 x) external pure {
        revert Refused(x);
    }

    function burn(uint256 x) external pure {
        while (x > 0) x++;
    }
}
