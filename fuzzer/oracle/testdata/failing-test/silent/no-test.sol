// solc: 0.8.30
// run: testMode(0)
contract Machine {
    function testMode(uint256 on) external pure {
        require(on > 0, "off");
    }
}
