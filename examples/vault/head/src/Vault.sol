// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title A vault with a reward behind a combination lock
/// @notice Deposits can be withdrawn at any time. Whoever turns the three dials of the lock in order, each
/// to its place, may claim a reward. Of each place only a check value computed from it is public.
contract Vault {
    uint256 public constant REWARD = 1 ether;
    uint256 public constant MAX_FAILED_ATTEMPTS = 1_000;

    uint256 private constant FIRST_CHECK = 6_990_606_321;
    uint256 private constant SECOND_CHECK = 7_126_068;
    uint256 private constant THIRD_CHECK_X = 490_005_299_128;
    uint256 private constant THIRD_CHECK_Y = 21_936_198_967;

    mapping(address => uint256) public balanceOf;
    uint256 public totalDeposits;

    uint256 public first;
    uint256 public second;
    address public opener;
    bool public claimed;
    uint256 public failedAttempts;
    bool public locked;

    event DialAccepted(uint256 indexed dial, address indexed by);
    event HalfOpen(address indexed by);
    event Claimed(address indexed by, uint256 reward);

    modifier whenUnlocked() {
        require(!locked, "vault is locked");
        _;
    }

    /// @notice Adds to what rewards are paid from.
    receive() external payable {}

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        totalDeposits += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(balanceOf[msg.sender] >= amount, "insufficient balance");
        balanceOf[msg.sender] -= amount;
        totalDeposits -= amount;
        _send(msg.sender, amount);
    }

    function turnFirst(uint64 place) external whenUnlocked {
        uint256 a = place;
        if (3 * a * a + 7 * a + 101 == FIRST_CHECK) {
            first = a;
            emit DialAccepted(1, msg.sender);
        } else {
            _countFailure();
        }
    }

    /// @notice The second dial is checked together with the place of the first.
    function turnSecond(uint64 place) external whenUnlocked {
        require(first != 0, "first dial is not set");
        uint256 b = place;
        if (5 * b + 13 * first == SECOND_CHECK) {
            second = b;
            emit DialAccepted(2, msg.sender);
        } else {
            _countFailure();
        }
    }

    /// @notice The third dial turns in two directions.
    function turnThird(uint64 placeX, uint64 placeY) external whenUnlocked {
        require(second != 0, "second dial is not set");
        require(opener == address(0), "vault is open");
        uint256 x = placeX;
        uint256 y = placeY;
        if (x * x + 3 * second == THIRD_CHECK_X) {
            emit HalfOpen(msg.sender);
            if (x * y + 7 * y + first == THIRD_CHECK_Y) {
                opener = msg.sender;
                emit DialAccepted(3, msg.sender);
            }
        } else {
            _countFailure();
        }
    }

    /// @notice Pays the reward to whoever opened the lock, once and in full.
    function claim() external {
        require(msg.sender == opener, "not the opener");
        require(!claimed, "already claimed");
        claimed = true;
        uint256 reward = REWARD;
        _send(msg.sender, reward);
        assert(address(this).balance >= totalDeposits);
        emit Claimed(msg.sender, reward);
    }

    /// @dev Locks the vault against trial and error.
    function _countFailure() private {
        failedAttempts += 1;
        if (failedAttempts > MAX_FAILED_ATTEMPTS) {
            locked = true;
        }
    }

    function _send(address to, uint256 amount) private {
        (bool sent, ) = to.call{value: amount}("");
        require(sent, "payment failed");
    }
}
