// A call of more numbers than formulas tell apart, which reads what an earlier one stored.
contract Many {
    uint256 private least;

    function begin(uint256 number) external {
        least = number;
    }

    function sum(uint256[] calldata numbers, bytes calldata text) external {
        uint256 total = least;
        for (uint256 i; i < numbers.length; i++) total += numbers[i];
        require(total > 100, "too little");
        for (uint256 i; i + 32 <= text.length; i += 32) total += uint256(bytes32(text[i:i + 32])) >> 64;
        require(total < 1000, "too much");
        least = total;
    }
}
