// solc: 0.8.30
// run: write(72254857301447609245100846070695492056548328683595434408097088613583515138432)
// run: attempt(72254857301447609245100846070695492056548328683595434408097088613583515138432)
contract Guarded {
    function write(uint256 slot) public {
        assembly {
            sstore(slot, 1)
        }
        require(slot < 256, "not yours");
    }

    function attempt(uint256 slot) external {
        try this.write(slot) {} catch {}
    }
}
