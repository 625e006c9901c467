// Arrays of one length: each guard undoes what another got, the compiler's loops over
// them join again, and the second equality is one of empty arrays, as the first.
contract Lengths {
    uint256 proposals;

    function propose(address[] memory to, uint256[] memory amounts, bytes[] memory data) public {
        require(to.length == amounts.length, "amounts");
        require(to.length == data.length, "data");
        require(to.length > 2, "few");
        proposals++;
        assert(false); // want assertion
    }
}
