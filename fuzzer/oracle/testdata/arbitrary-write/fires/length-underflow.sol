// solc: 0.5.17 0.4.26
// run: drop(); change(53685426826341726657512579933087923519875216709702117008636868754764252435485, 7)
contract Vouchers {
    uint256[] vouchers;

    function drop() external {
        require(vouchers.length >= 0); // meant to be >
        vouchers.length--;
    }

    function change(uint256 at, uint256 voucher) external {
        require(at < vouchers.length);
        vouchers[at] = voucher; // want the input chooses the storage slot
    }
}
