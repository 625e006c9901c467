// solc: 0.7.6 0.5.17
// run: drop()
contract Stack {
    uint256[] list;

    function drop() external {
        list.pop();
    }
}
