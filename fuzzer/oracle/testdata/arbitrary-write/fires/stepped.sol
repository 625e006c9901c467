// solc: 0.8.30 0.5.17
// run: write(17640346020861232725854698747728391615368244307518416603539328274800662875, 1)
contract Pages {
    function write(uint256 page, uint256 value) external {
        assembly {
            sstore(mul(page, 0x1000), value) // want the input chooses the storage slot
        }
    }
}
