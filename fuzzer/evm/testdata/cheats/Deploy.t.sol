// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Contracts deployed by their names.

interface Vm {
    function deployCode(string calldata) external returns (address);
    function deployCode(string calldata, bytes calldata) external returns (address);
    function deployCode(string calldata, uint256) external returns (address);
    function deployCode(string calldata, bytes32) external returns (address);
    function deployCode(string calldata, bytes calldata, uint256) external returns (address);
    function deployCode(string calldata, bytes calldata, bytes32) external returns (address);
    function deployCode(string calldata, uint256, bytes32) external returns (address);
    function deployCode(string calldata, bytes calldata, uint256, bytes32) external returns (address);
    function computeCreateAddress(address, uint256) external pure returns (address);
    function getNonce(address) external view returns (uint64);
    function deal(address, uint256) external;
    function prank(address) external;
    function prank(address, address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function expectRevert(bytes calldata) external;
}

contract Plain {
    address public immutable by = msg.sender;
    uint256 public immutable given;

    constructor() payable {
        given = msg.value;
    }
}

contract Fussy {
    uint256 public immutable n;
    uint256 public immutable given;

    constructor(uint256 n_) payable {
        require(n_ != 13, "not thirteen");
        n = n_;
        given = msg.value;
    }
}

contract Nested {
    Plain public immutable inner = new Plain();
}

contract DeployTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool public IS_TEST = true;

    function setUp() public {}

    function next(address who) internal view returns (address) {
        return vm.computeCreateAddress(who, vm.getNonce(who));
    }

    function testPlain() public {
        address want = next(address(this));
        Plain plain = Plain(vm.deployCode("Deploy.t.sol:Plain"));
        require(address(plain) == want, "address");
        require(plain.by() == address(this) && plain.given() == 0, "plain");
        require(keccak256(address(plain).code) != keccak256(""), "code");
        require(next(address(this)) != want, "nonce");
    }

    function testByName() public {
        require(Plain(vm.deployCode("Plain")).by() == address(this), "by");
    }

    function testArguments() public {
        require(Fussy(vm.deployCode("Deploy.t.sol:Fussy", abi.encode(7))).n() == 7, "n");
    }

    function testValue() public {
        vm.deal(address(this), 10);
        require(Plain(vm.deployCode("Deploy.t.sol:Plain", uint256(3))).given() == 3, "given");
        Fussy fussy = Fussy(vm.deployCode("Deploy.t.sol:Fussy", abi.encode(7), 4));
        require(fussy.n() == 7 && fussy.given() == 4 && address(this).balance == 3, "balance");
    }

    function testSalt() public {
        bytes32 salt = bytes32(uint256(9));
        address at = address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(type(Plain).creationCode))))));
        require(vm.deployCode("Deploy.t.sol:Plain", salt) == at, "address");
        require(Fussy(vm.deployCode("Deploy.t.sol:Fussy", abi.encode(5), salt)).n() == 5, "arguments");
        vm.deal(address(this), 10);
        require(Plain(vm.deployCode("Deploy.t.sol:Plain", uint256(2), bytes32(uint256(1)))).given() == 2, "value");
        Fussy fussy = Fussy(vm.deployCode("Deploy.t.sol:Fussy", abi.encode(8), 1, salt));
        require(fussy.n() == 8 && fussy.given() == 1, "all");
    }

    function testNested() public {
        Nested nested = Nested(vm.deployCode("Deploy.t.sol:Nested"));
        require(nested.inner().by() == address(nested), "inner");
    }

    function testStartPrank() public {
        vm.startPrank(address(0xBEEF));
        address want = next(address(0xBEEF));
        Plain plain = Plain(vm.deployCode("Deploy.t.sol:Plain"));
        require(plain.by() == address(0xBEEF) && address(plain) == want, "by");
        require(Plain(vm.deployCode("Deploy.t.sol:Plain")).by() == address(0xBEEF), "by again");
        vm.stopPrank();
        require(Plain(vm.deployCode("Deploy.t.sol:Plain")).by() == address(this), "by me");
    }

    function testPrank() public {
        vm.prank(address(0xBEEF));
        require(Plain(vm.deployCode("Deploy.t.sol:Plain")).by() == address(0xBEEF), "by");
    }

    function testHandsFailuresOn() public {
        try vm.deployCode("Deploy.t.sol:Fussy", abi.encode(13)) {
            revert("it is deployed");
        } catch Error(string memory reason) {
            require(keccak256(bytes(reason)) == keccak256("not thirteen"), reason);
        }
        require(Plain(vm.deployCode("Deploy.t.sol:Plain")).by() == address(this), "afterwards");
    }

    function testBadFails() public {
        vm.deployCode("Deploy.t.sol:Fussy", abi.encode(13));
    }

    function testBadNobody() public {
        vm.deployCode("Nobody.sol:Nobody");
    }

    function testBadTwice() public {
        vm.deployCode("Deploy.t.sol:Plain", bytes32(0));
        vm.deployCode("Deploy.t.sol:Plain", bytes32(0));
    }
}
