// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./governance/extensions/GovernorCountingSimple.sol";
import "./governance/extensions/GovernorVotesQuorumFraction.sol";

contract Harness is GovernorCountingSimple, GovernorVotesQuorumFraction {
    constructor(IVotes token_) Governor("Harness") GovernorVotes(token_) GovernorVotesQuorumFraction(4) {}

    function votingDelay() public pure override returns (uint256) {
        return 1;
    }

    function votingPeriod() public pure override returns (uint256) {
        return 100;
    }
}
