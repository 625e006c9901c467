// solc: 0.8.30 0.5.17
// run: log(81483486015026146238904435303735002136694647958263553303617745086473224758432)
// run: relay()
contract Relay {
    function relay(uint256 topic) external {
        assembly {
            log1(0, 0, topic)
        }
    }
}

// The topic is that of AssertionFailed(string), and its caller's choice.
contract Log {
    Relay inner = new Relay();
    uint256 words = 5;

    function log(uint256 topic) public {
        assembly {
            log1(0, 0, topic)
        }
    }

    // a relay of the project that is told by one of its contracts
    function relay() external {
        words = uint256(keccak256(abi.encodePacked("Assertion", "Failed", "(string)")));
        inner.relay(words);
    }
}
