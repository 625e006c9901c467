// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

interface Asked {
    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4);
    function onFlashLoan(address, address, uint256, uint256, bytes calldata) external returns (bytes32);
    function supportsInterface(bytes4 id) external view returns (bool);
    function isOpen(uint256) external view returns (bool);
    function latestRoundData() external view returns (uint80, int256, uint256, uint256 updatedAt, uint80);
    function name() external view returns (string memory);
    function owner() external view returns (address);
    function decimals() external view returns (uint8);
    function nothing() external;
}

// It notes all that it sees, in one hash.
contract Victim {
    error Seen(bytes32 hash);

    bytes32 public seen;
    uint256 public entered;

    constructor() payable {}

    modifier noted() {
        entered++;
        note(abi.encode(msg.sender, tx.origin, msg.data, entered, address(this).balance, msg.sender.balance));
        _;
        note(abi.encode(address(this).balance, msg.sender.balance));
    }

    function note(bytes memory what) private {
        seen = keccak256(abi.encode(seen, what));
    }

    function ask(address a, uint256 value, bytes memory data) private {
        (bool ok, bytes memory out) = a.call{value: value}(data);
        note(abi.encode(ok, out));
    }

    function view_(address a, bytes memory data) private {
        (bool ok, bytes memory out) = a.staticcall{gas: 100000}(data);
        note(abi.encode(ok, out));
    }

    function fund() external payable {}

    function reveal() external view {
        revert Seen(seen);
    }

    function magic() external noted {
        ask(msg.sender, 0, abi.encodeWithSelector(Asked.onERC721Received.selector, address(0), address(0), 1, ""));
        ask(msg.sender, 0, abi.encodeWithSelector(Asked.onFlashLoan.selector, address(0), address(0), 1, 0, ""));
        ask(msg.sender, 0, abi.encodeWithSignature("neverHeardOf(uint256)", 1));
    }

    function interfaces() external noted {
        view_(msg.sender, abi.encodeWithSelector(Asked.supportsInterface.selector, bytes4(0xffffffff)));
        view_(msg.sender, abi.encodeWithSelector(Asked.supportsInterface.selector, bytes4(0x01ffc9a7)));
        view_(msg.sender, abi.encodeWithSelector(Asked.supportsInterface.selector));
    }

    function viewsOf(address a) public noted {
        view_(a, abi.encodeWithSelector(Asked.isOpen.selector, 1));
        view_(a, abi.encodeWithSelector(Asked.latestRoundData.selector));
        view_(a, abi.encodeWithSelector(Asked.name.selector));
        view_(a, abi.encodeWithSelector(Asked.owner.selector));
        view_(a, abi.encodeWithSelector(Asked.decimals.selector));
        ask(a, 0, abi.encodeWithSelector(Asked.nothing.selector));
    }

    function views() external {
        viewsOf(msg.sender);
    }

    function twoViews() external noted {
        view_(msg.sender, abi.encodeWithSelector(Asked.decimals.selector));
        ask(msg.sender, 1, "");
        view_(msg.sender, abi.encodeWithSelector(Asked.decimals.selector));
        ask(msg.sender, 1, "");
    }

    function payTo(address payable a) public noted {
        note(abi.encode(a.send(1)));
    }

    function pay() external {
        payTo(payable(msg.sender));
    }

    function callOf(address a) public noted {
        ask(a, 1, "");
        note(abi.encode(entered));
    }

    function call() external {
        callOf(msg.sender);
    }

    function origin() external payable noted {}

    function fail(bool really) external noted {
        require(!really, "really");
    }

    function many(uint256 a, int128 b, address c, bytes4 d, bool e) external payable noted {
        note(abi.encode(a, b, c, d, e));
    }

    function texts(bytes calldata a, string calldata b, uint256[] calldata c) external payable noted {
        note(abi.encode(a, b, c));
    }

    function two(bytes calldata a, string calldata b) external payable noted {
        note(abi.encode(a, b));
    }

    function short() external noted {
        ask(msg.sender, 1, hex"01");
        ask(msg.sender, 1, hex"010203");
        ask(msg.sender, 1, hex"00000000");
    }

    function run() external noted {
        (bool ok, bytes memory out) = msg.sender.delegatecall(abi.encodeWithSelector(Asked.isOpen.selector, 1));
        bytes32 slot = keccak256("sightline: written by an attacker's code in another contract's storage");
        uint256 marked;
        assembly {
            marked := sload(slot)
        }
        note(abi.encode(ok, out, marked));
    }

    function delegated() external {
        (bool ok, bytes memory out) = msg.sender.delegatecall{gas: 100000}(abi.encodeWithSelector(Asked.isOpen.selector, 1));
        note(abi.encode(ok, out));
    }

    function runView() external noted {
        view_(address(this), abi.encodeWithSelector(this.delegated.selector));
    }

    fallback() external payable noted {}
}
