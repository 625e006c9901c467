// A contract for tests of the parts: suite, tracker, minimiser, corpus.
contract Counter {
    uint256 public count;
    address public last;
    int256 public balance;

    event Counted(address who);

    function add(uint256 amount) external {
        require(amount < 1000, "too much"); // target
        count += amount; // target
        last = msg.sender;
        emit Counted(msg.sender);
    }

    function reset() external {
        count = 0;
    }

    function pay() external payable {}

    function name(address who, int256 change, uint256[] calldata list, bytes calldata data, bytes32 hash) external {
        last = who;
        balance = change + int256(list.length) + int256(data.length);
        require(hash != 0, "no hash");
    }

    function fail(uint256 x) external {
        count = x; // target
        revert("always");
    }

    function echidna_small() external view returns (bool) {
        return count < 1_000_000;
    }
}
