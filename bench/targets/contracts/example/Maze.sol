// SPDX-License-Identifier: MIT
pragma solidity 0.7.6;

/// @title Two loops whose length the input decides, and three asserts
/// @dev In the manner of the running example of Wüstholz and Christakis (ICSE'20, Fig. 2).
contract Maze {
    function walk(uint256 turns, uint256 side, uint256 coin, uint256 steps, uint256 key) external pure returns (uint256 score) {
        if (side % 2 == 0) {
            uint256 goal = coin % 2 == 0 ? 129 : 128;
            turns %= goal;
            while (turns != 0) {
                turns--;
            }
            assert(turns == 0); // holds
            steps %= goal;
            while (steps != goal) {
                steps++;
            }
            assert(steps == goal); // holds
            score = goal;
        } else {
            // key * (2 * key + 1) takes every value of a word once: key is 23 where the assert breaks.
            score = key * (2 * key + 1) + 101;
            assert(score != 1182);
        }
    }
}
