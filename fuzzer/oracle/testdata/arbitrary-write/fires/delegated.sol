// solc: 0.8.30
// run: run(72254857301447609245100846070695492056548328683595434408097088613583515138432)
contract Logic {
    function write(uint256 slot) external {
        assembly {
            sstore(slot, 1) // want the input chooses the storage slot
        }
    }
}

contract Proxy {
    Logic logic = new Logic();

    function run(uint256 slot) external {
        (bool ok, ) = address(logic).delegatecall(abi.encodeWithSignature("write(uint256)", slot));
        require(ok);
    }
}
