// solc: 0.7.6 0.5.17 0.4.26
// needs: source map
// run: convert(9)
// run: call()
contract Conversions {
    enum Side {
        Left,
        Right
    }

    function convert(uint256 x) external returns (Side) {
        return Side(x);
    }

    function call() external {
        function() internal nothing;
        nothing();
    }
}
