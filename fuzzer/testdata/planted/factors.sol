// Products whose factors all have to change for what comes behind them.
contract Factors {
    uint256 at;

    function enter(int128 a, int64 b, uint256 c, uint128 d) external {
        unchecked {
            if (int256(b) * a == int256(b) + 358_158) {
                if (a - b < 13) {
                    if (a == -59_692) {
                        if (c * d == 185_750_296_087_883_891_279_616_820_110_646_601_390_778) {
                            if (c < 1_629_388_562_180_223_054_866_229_476_136_500_779_004 && d - c > 7) {
                                at = c;
                                assert(false); // want assertion
                            }
                        }
                    }
                }
            }
        }
    }
}
