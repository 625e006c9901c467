// solc: 0.8.30
// run: long(1)
// run: generic(0)
contract Close {
    /// Panic(0x01) with more behind it is no panic.
    function long(uint256 x) external pure {
        bytes memory data = abi.encodePacked(bytes4(0x4e487b71), x, x);
        assembly {
            revert(add(data, 32), mload(data))
        }
    }

    function generic(uint256 x) external pure {
        bytes memory data = abi.encodePacked(bytes4(0x4e487b71), x);
        assembly {
            revert(add(data, 32), mload(data))
        }
    }
}
