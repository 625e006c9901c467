// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Two loops whose length the input decides, and one value in 2^256
/// @dev In the manner of the running example of Wüstholz and Christakis (ICSE'20, Fig. 2).
contract Maze {
    bool public found;

    function walk(uint256 turns, uint256 side, uint256 coin, uint256 steps, uint256 key) external returns (uint256 score) {
        unchecked {
            if (side % 2 == 0) {
                uint256 goal = coin % 2 == 0 ? 129 : 128;
                turns %= goal;
                while (turns != 0) {
                    turns--;
                }
                steps %= goal;
                while (steps != goal) {
                    steps++;
                }
                return goal;
            }
            score = key * (2 * key + 1) + 101; // takes every value of a word once
            if (score == 1182) {
                found = true; // target
            }
        }
    }
}
