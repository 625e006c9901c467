// solc: 0.8.30
// run: write(72254857301447609245100846070695492056548328683595434408082824070387166347263)
// run: write(72254857301447609245100846070695492056548328683595434408101270814460875898880)
// run: write(138432); read(72254857301447609245100846070695492056548328683595434408097088613583515138432)
contract Elsewhere {
    function write(uint256 slot) external {
        assembly {
            sstore(slot, 1)
        }
    }

    function read(uint256 slot) external view returns (uint256 value) {
        assembly {
            value := sload(slot)
        }
    }
}
