// Guards within guards, for tests of masks and of energy.
contract Nested {
    event Deep(uint256 c);

    function f(uint256 a, uint256 b, uint256 c, uint8[] calldata list) external {
        if (a > 90) {
            if (a % 2 == 0) {
                if (b == 7) {
                    if (list.length > 1) {
                        unchecked {
                            if (c * c == 0x123456789abcdef123456789abcdef) emit Deep(c);
                        }
                    }
                }
            }
        }
    }

    function send(uint256 a, uint256 b) external {
        if (a > 90) {
            if (a % 2 == 0) {
                if (b * 3 == 0x123456789abcdef123456789abcdf2) payable(msg.sender).transfer(b);
            }
        }
    }
}
