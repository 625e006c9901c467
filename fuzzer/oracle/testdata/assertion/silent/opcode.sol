// solc: 0.8.30
// run: run(1)
contract Undefined {
    function run(uint256 x) external returns (bool ok) {
        address code;
        assembly {
            mstore(0, hex"60fc60005360016000f3") // returns the code 0xfc, which is no instruction
            code := create(0, 0, 10)
        }
        require(code.code.length == 1, "not created");
        (ok, ) = code.call(abi.encode(x));
    }
}
