// solc: 0.8.30
// run: make(72254857301447609245100846070695492056548328683595434408097088613583515138432)
contract Settings {
    constructor(uint256 slot) {
        assembly {
            sstore(slot, 1)
        }
    }
}

contract Factory {
    function make(uint256 slot) external returns (address) {
        return address(new Settings(slot));
    }
}
