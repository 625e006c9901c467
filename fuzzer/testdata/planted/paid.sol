// Ether beyond a threshold, in several payments of bounded size.
contract Paid {
    uint256 total;

    function pay() external payable {
        require(msg.value <= 3 ether, "too much at once");
        total += msg.value;
        assert(total < 5 ether); // want assertion
    }
}
