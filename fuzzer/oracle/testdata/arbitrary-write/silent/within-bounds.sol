// solc: 0.8.30 0.5.17
// run: put(72254857301447609245100846070695492056548328683595434408097088613583515138432, 1)
// run: add(7); change(0, 8); change(53685426826341726657512579933087923519875216709702117008636868754764252435485, 9)
contract Store {
    mapping(uint256 => uint256) values;
    uint256[] list;

    function put(uint256 key, uint256 value) external {
        values[key] = value;
    }

    function add(uint256 value) external {
        list.push(value);
    }

    function change(uint256 at, uint256 value) external {
        list[at] = value;
    }
}
