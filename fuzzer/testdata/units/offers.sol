// Only some numbers are those of items.
contract Offers {
    mapping(uint256 => uint256) price;

    function offer(uint256 item, uint256 amount) external {
        require(item < 3, "nobody has it");
        price[item] = amount;
    }
    function buy(uint256 item) external view {
        require(price[item] > 0, "not offered");
    }
}
