// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function balanceOf(address who) external view returns (uint256);
}

// Two different tokens, where the build has one contract for them.
contract Pair {
    address public immutable tokenA;
    address public immutable tokenB;
    constructor(address tokenA_, address tokenB_) {
        require(tokenA_ != tokenB_ && tokenA_.code.length > 0 && tokenB_.code.length > 0, "two tokens");
        (tokenA, tokenB) = (tokenA_, tokenB_);
    }
}

// More than there may be.
contract Basket {
    uint256 public size;
    constructor(IERC20[] memory tokens, IERC20 reward, IERC20 fee, IERC20 extra) {
        require(tokens[0] != tokens[1]);
        for (uint256 i = 0; i < tokens.length; i++) size += tokens[i].balanceOf(msg.sender);
        size += reward.balanceOf(msg.sender) + fee.balanceOf(msg.sender) + extra.balanceOf(msg.sender);
    }
}

contract Coin {
    mapping(address => uint256) public balanceOf;
    constructor(uint256 supply) { balanceOf[msg.sender] = supply; }
    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// Roles by name.
interface IUniswapV2Router { function factory() external view returns (address); }
contract SushiRouter { function swap() external {} }
contract FeeRegistry { function fees() external pure returns (uint256) { return 1; } }
contract Roles {
    constructor(address owner, address treasury_, address trustedForwarder, address minter, address router, address feeRegistry,
                address[] memory signers, uint8 quorum, uint256 feeBps, bytes32 merkleRoot, uint64 startBlock) {
        require(owner == treasury_ && owner == msg.sender);
        require(trustedForwarder != owner && minter != owner);
        require(router.code.length > 0 && feeRegistry.code.length > 0 && router != feeRegistry);
        require(signers.length >= 2 && signers[0] != signers[1] && quorum <= signers.length && quorum > 0);
        require(feeBps <= 10000 && merkleRoot != 0 && startBlock >= block.number);
    }
}

// A type that nothing implements.
contract Trader {
    IUniswapV2Router public router;
    constructor(IUniswapV2Router router_) { router = router_; }
}

// An argument that a callee refuses: only the right instance will do.
interface IGate { function open(uint256 key) external view returns (bool); }
contract GateA is IGate { function open(uint256) external pure returns (bool) { revert("closed"); } }
contract GateB is IGate { function open(uint256 key) external pure returns (bool) { return key > 0; } }
contract House {
    constructor(uint8 rooms, IGate gate, address where, uint256 key) payable {
        require(rooms < 3 && where != address(0));
        require(gate.open(key));
        require(msg.value == 32 ether, "deposit");
    }
}
