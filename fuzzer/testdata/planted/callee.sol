// The assertion is in a contract that another one calls.
contract Store {
    uint256 total;

    function put(uint256 amount) external {
        total += amount;
        assert(total < 100); // want assertion
    }
}

contract Shop {
    Store public store;

    constructor(Store s) {
        store = s;
    }

    function buy(uint8 pieces) external {
        store.put(pieces);
    }
}
