// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// What cheatcodes compute: texts, keys, assertions, variables.

interface Vm {
    struct Wallet {
        address addr;
        uint256 publicKeyX;
        uint256 publicKeyY;
        uint256 privateKey;
    }

    struct SignedDelegation {
        uint8 v;
        bytes32 r;
        bytes32 s;
        uint64 nonce;
        address implementation;
    }

    function toString(address) external pure returns (string memory);
    function toString(bytes calldata) external pure returns (string memory);
    function toString(bytes32) external pure returns (string memory);
    function toString(bool) external pure returns (string memory);
    function toString(uint256) external pure returns (string memory);
    function toString(int256) external pure returns (string memory);
    function parseBytes(string calldata) external pure returns (bytes memory);
    function parseAddress(string calldata) external pure returns (address);
    function parseUint(string calldata) external pure returns (uint256);
    function parseInt(string calldata) external pure returns (int256);
    function parseBytes32(string calldata) external pure returns (bytes32);
    function parseBool(string calldata) external pure returns (bool);
    function toLowercase(string calldata) external pure returns (string memory);
    function toUppercase(string calldata) external pure returns (string memory);
    function trim(string calldata) external pure returns (string memory);
    function replace(string calldata, string calldata, string calldata) external pure returns (string memory);
    function split(string calldata, string calldata) external pure returns (string[] memory);
    function indexOf(string calldata, string calldata) external pure returns (uint256);
    function contains(string calldata, string calldata) external pure returns (bool);
    function toBase64(bytes calldata) external pure returns (string memory);
    function toBase64URL(bytes calldata) external pure returns (string memory);
    function assertEq(uint256, uint256) external pure;
    function assertEq(int256, int256) external pure;
    function assertEq(bytes calldata, bytes calldata) external pure;
    function assertEq(string calldata, string calldata) external pure;
    function assertEq(string calldata, string calldata, string calldata) external pure;
    function assertEq(address, address) external pure;
    function assertEq(bytes32, bytes32) external pure;
    function assertEq(bool, bool) external pure;
    function assertEq(uint256, uint256, string calldata) external pure;
    function assertEq(uint256[] calldata, uint256[] calldata) external pure;
    function assertEq(string[] calldata, string[] calldata) external pure;
    function assertNotEq(uint256, uint256) external pure;
    function assertTrue(bool) external pure;
    function assertTrue(bool, string calldata) external pure;
    function assertFalse(bool) external pure;
    function assertGt(uint256, uint256) external pure;
    function assertGt(int256, int256) external pure;
    function assertGe(uint256, uint256) external pure;
    function assertLt(uint256, uint256) external pure;
    function assertLt(int256, int256) external pure;
    function assertLe(uint256, uint256) external pure;
    function assertEqDecimal(uint256, uint256, uint256) external pure;
    function assertEqDecimal(int256, int256, uint256) external pure;
    function assertApproxEqAbs(uint256, uint256, uint256) external pure;
    function assertApproxEqAbs(int256, int256, uint256) external pure;
    function assertApproxEqRel(uint256, uint256, uint256) external pure;
    function assertApproxEqRel(int256, int256, uint256) external pure;
    function assertApproxEqAbsDecimal(uint256, uint256, uint256, uint256) external pure;
    function assertApproxEqRelDecimal(uint256, uint256, uint256, uint256) external pure;
    function setEnv(string calldata, string calldata) external;
    function envExists(string calldata) external view returns (bool);
    function envUint(string calldata) external view returns (uint256);
    function envUint(string calldata, string calldata) external view returns (uint256[] memory);
    function envAddress(string calldata) external view returns (address);
    function envOr(string calldata, uint256) external view returns (uint256);
    function envOr(string calldata, string calldata) external view returns (string memory);
    function envOr(string calldata, string calldata, uint256[] calldata) external view returns (uint256[] memory);
    function createWallet(string calldata) external returns (Wallet memory);
    function createWallet(uint256) external returns (Wallet memory);
    function sign(Wallet calldata, bytes32) external returns (uint8, bytes32, bytes32);
    function sign(uint256, bytes32) external pure returns (uint8, bytes32, bytes32);
    function sign(address, bytes32) external pure returns (uint8, bytes32, bytes32);
    function signCompact(uint256, bytes32) external pure returns (bytes32, bytes32);
    function getNonce(Wallet calldata) external returns (uint64);
    function getLabel(address) external view returns (string memory);
    function addr(uint256) external pure returns (address);
    function rememberKey(uint256) external returns (address);
    function getWallets() external returns (address[] memory);
    function signP256(uint256, bytes32) external pure returns (bytes32, bytes32);
    function publicKeyP256(uint256) external pure returns (uint256, uint256);
    function createEd25519Key(bytes32) external pure returns (bytes32, bytes32);
    function publicKeyEd25519(bytes32) external pure returns (bytes32);
    function signEd25519(bytes calldata, bytes calldata, bytes32) external pure returns (bytes memory);
    function verifyEd25519(bytes calldata, bytes calldata, bytes calldata, bytes32) external pure returns (bool);
    function signDelegation(address, uint256) external returns (SignedDelegation memory);
    function attachDelegation(SignedDelegation calldata) external;
    function signAndAttachDelegation(address, uint256) external returns (SignedDelegation memory);
    function computeCreateAddress(address, uint256) external pure returns (address);
    function computeCreate2Address(bytes32, bytes32) external pure returns (address);
    function computeCreate2Address(bytes32, bytes32, address) external pure returns (address);
    function ensNamehash(string calldata) external pure returns (bytes32);
    function toRlp(bytes[] calldata) external pure returns (bytes memory);
    function fromRlp(bytes calldata) external pure returns (bytes[] memory);
    function foundryVersionAtLeast(string calldata) external view returns (bool);
    function foundryVersionCmp(string calldata) external view returns (int256);
    function isContext(uint8) external view returns (bool);
    function bound(uint256, uint256, uint256) external view returns (uint256);
    function bound(int256, int256, int256) external view returns (int256);
    function sort(uint256[] calldata) external returns (uint256[] memory);
    function shuffle(uint256[] calldata) external returns (uint256[] memory);
    function setSeed(uint256) external;
    function randomUint() external returns (uint256);
    function randomUint(uint256) external returns (uint256);
    function randomUint(uint256, uint256) external returns (uint256);
    function randomInt(uint256) external returns (int256);
    function randomAddress() external returns (address);
    function randomBool() external returns (bool);
    function randomBytes(uint256) external returns (bytes memory);
    function randomBytes4() external returns (bytes4);
    function getCode(string calldata) external view returns (bytes memory);
    function broadcastRawTransaction(bytes calldata) external;
    function deal(address, uint256) external;
    function getDeployedCode(string calldata) external view returns (bytes memory);
    function readFile(string calldata) external view returns (string memory);
    function readLine(string calldata) external view returns (string memory);
    function exists(string calldata) external view returns (bool);
    function isFile(string calldata) external view returns (bool);
    function closeFile(string calldata) external;
    function parseJsonUint(string calldata, string calldata) external pure returns (uint256);
    function parseJsonUintArray(string calldata, string calldata) external pure returns (uint256[] memory);
    function parseJsonInt(string calldata, string calldata) external pure returns (int256);
    function parseJsonBool(string calldata, string calldata) external pure returns (bool);
    function parseJsonAddress(string calldata, string calldata) external pure returns (address);
    function parseJsonString(string calldata, string calldata) external pure returns (string memory);
    function parseJsonStringArray(string calldata, string calldata) external pure returns (string[] memory);
    function parseJsonBytes(string calldata, string calldata) external pure returns (bytes memory);
    function parseJsonBytes32(string calldata, string calldata) external pure returns (bytes32);
    function parseJsonKeys(string calldata, string calldata) external pure returns (string[] memory);
    function keyExistsJson(string calldata, string calldata) external view returns (bool);
    function expectRevert(bytes calldata) external;
    function _expectCheatcodeRevert() external;
    function _expectCheatcodeRevert(bytes calldata) external;
    function assume(bool) external pure;
    function getBlobBaseFee() external view returns (uint256);
    function getChainId() external view returns (uint256);
    function pauseGasMetering() external;
    function resumeGasMetering() external;
    function sleep(uint256) external;
    function breakpoint(string calldata) external;
}

contract Wanted {
    uint256 public number = 7;

    function twice(uint256 n) external pure returns (uint256) {
        return 2 * n;
    }
}

contract ToolsTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool public IS_TEST = true;

    string internal constant JSON =
        '{"name":"a vault","fee":25,"big":"0xde0b6b3a7640000","neg":-5,"on":true,"owner":"0x00000000000000000000000000000000000A11cE","list":[1,2,3],"deep":{"x":{"y":[10,{"z":"end"}]}},"names":["a","b"],"data":"0x0102","word":"0x00000000000000000000000000000000000000000000000000000000000000ff"}';

    function setUp() public {}

    function same(string memory a, string memory b) internal pure {
        require(keccak256(bytes(a)) == keccak256(bytes(b)), a);
    }

    // ---- texts

    function testToString() public pure {
        same(vm.toString(uint256(0)), "0");
        same(vm.toString(type(uint256).max), "115792089237316195423570985008687907853269984665640564039457584007913129639935");
        same(vm.toString(int256(-12)), "-12");
        same(vm.toString(type(int256).min), "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
        same(vm.toString(true), "true");
        same(vm.toString(address(0xdeadBEEF)), "0x00000000000000000000000000000000DeaDBeef");
        same(vm.toString(bytes(hex"0102ff")), "0x0102ff");
        same(vm.toString(bytes32(uint256(1))), "0x0000000000000000000000000000000000000000000000000000000000000001");
    }

    function testParse() public pure {
        require(vm.parseUint("123") == 123);
        require(vm.parseUint("0xff") == 255);
        require(vm.parseInt("-123") == -123);
        require(vm.parseBool("true") && !vm.parseBool("false"));
        require(vm.parseAddress("0x00000000000000000000000000000000DeaDBeef") == address(0xdeadBEEF));
        require(keccak256(vm.parseBytes("0x0102")) == keccak256(hex"0102"));
        require(vm.parseBytes32("0x00000000000000000000000000000000000000000000000000000000000000ff") == bytes32(uint256(255)));
    }

    function testBadParseUint() public pure {
        vm.parseUint("twelve");
    }

    function testBadParseNegative() public pure {
        vm.parseUint("-1");
    }

    function testBadParseAddress() public pure {
        vm.parseAddress("0x12");
    }

    function testText() public pure {
        same(vm.toLowercase("MiXed"), "mixed");
        same(vm.toUppercase("MiXed"), "MIXED");
        same(vm.trim("  a b \n"), "a b");
        same(vm.replace("one two one", "one", "1"), "1 two 1");
        string[] memory parts = vm.split("a,b,,c", ",");
        require(parts.length == 4, "parts");
        same(parts[3], "c");
        same(parts[2], "");
        require(vm.indexOf("hello", "ll") == 2);
        require(vm.indexOf("hello", "x") == type(uint256).max);
        require(vm.contains("hello", "ell") && !vm.contains("hello", "x"));
        same(vm.toBase64(hex"fbff"), "+/8=");
        same(vm.toBase64URL(hex"fbff"), "-_8=");
    }

    function testRlp() public pure {
        bytes[] memory list = new bytes[](3);
        list[0] = hex"01";
        list[1] = hex"0203";
        list[2] = "";
        bytes memory encoded = vm.toRlp(list);
        require(keccak256(encoded) == keccak256(hex"c50182020380"), "encoded");
        bytes[] memory decoded = vm.fromRlp(encoded);
        require(decoded.length == 3 && keccak256(decoded[1]) == keccak256(hex"0203"), "decoded");
    }

    function testNamehash() public pure {
        require(vm.ensNamehash("eth") == 0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae);
        require(vm.ensNamehash("") == bytes32(0));
    }

    // ---- assertions

    function testAssertions() public pure {
        vm.assertEq(uint256(1), uint256(1));
        vm.assertEq(int256(-1), int256(-1));
        vm.assertEq(bytes("a"), bytes("a"));
        vm.assertEq(string("a"), string("a"));
        vm.assertEq(address(1), address(1));
        vm.assertEq(true, true);
        vm.assertNotEq(uint256(1), uint256(2));
        vm.assertTrue(true);
        vm.assertFalse(false);
        vm.assertGt(uint256(2), uint256(1));
        vm.assertGt(int256(1), int256(-1));
        vm.assertLt(int256(-2), int256(-1));
        vm.assertGe(uint256(2), uint256(2));
        vm.assertLe(uint256(2), uint256(2));
        vm.assertApproxEqAbs(uint256(10), uint256(12), 2);
        vm.assertApproxEqAbs(int256(-1), int256(1), 2);
        vm.assertApproxEqRel(uint256(101), uint256(100), 0.01e18);
        uint256[] memory list = new uint256[](2);
        vm.assertEq(list, new uint256[](2));
    }

    function failsWith(bytes memory call, string memory text) internal {
        (bool ok, bytes memory reason) = address(vm).call(call);
        require(!ok, "it holds");
        require(bytes4(reason) == 0xeeaa9e6f, "another error");
        bytes memory rest = new bytes(reason.length - 4);
        for (uint256 i = 0; i < rest.length; i++) {
            rest[i] = reason[i + 4];
        }
        same(abi.decode(rest, (string)), text);
    }

    function testAssertionTexts() public {
        failsWith(abi.encodeWithSignature("assertEq(uint256,uint256)", 1, 2), "assertion failed: 1 != 2");
        failsWith(abi.encodeWithSignature("assertEq(uint256,uint256,string)", 1, 2, "mine"), "mine: 1 != 2");
        failsWith(abi.encodeWithSignature("assertEq(int256,int256)", -1, 2), "assertion failed: -1 != 2");
        failsWith(abi.encodeWithSignature("assertEq(bool,bool)", true, false), "assertion failed: true != false");
        failsWith(abi.encodeWithSignature("assertEq(string,string)", "a", "b"), "assertion failed: a != b");
        failsWith(abi.encodeWithSignature("assertEq(bytes,bytes)", hex"01", hex"02"), "assertion failed: 0x01 != 0x02");
        failsWith(abi.encodeWithSignature("assertTrue(bool)", false), "assertion failed");
        failsWith(abi.encodeWithSignature("assertTrue(bool,string)", false, "mine"), "mine");
        failsWith(abi.encodeWithSignature("assertGt(uint256,uint256)", 1, 1), "assertion failed: 1 <= 1");
        failsWith(abi.encodeWithSignature("assertLt(int256,int256)", 3, -1), "assertion failed: 3 >= -1");
        failsWith(abi.encodeWithSignature("assertNotEq(uint256,uint256)", 1, 1), "assertion failed: 1 == 1");
        failsWith(abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256)", 1500, 25, 3), "assertion failed: 1.500 != 0.025");
        failsWith(abi.encodeWithSignature("assertEqDecimal(int256,int256,uint256)", -1500, 2000, 3), "assertion failed: -1.500 != 2.000");
        failsWith(
            abi.encodeWithSignature("assertApproxEqAbs(uint256,uint256,uint256)", 10, 13, 2),
            "assertion failed: 10 !~= 13 (max delta: 2, real delta: 3)"
        );
        failsWith(
            abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", 103, 100, 0.01e18),
            "assertion failed: 103 !~= 100 (max delta: 1.0000000000000000%, real delta: 3.0000000000000000%)"
        );
        uint256[] memory a = new uint256[](2);
        uint256[] memory b = new uint256[](2);
        b[1] = 5;
        failsWith(abi.encodeWithSignature("assertEq(uint256[],uint256[])", a, b), "assertion failed: [0, 0] != [0, 5]");
    }

    function testBadAssert() public pure {
        vm.assertEq(uint256(1), uint256(2));
    }

    function testAssertRevertIsExpected() public {
        vm._expectCheatcodeRevert(bytes("assertion failed: 1 != 2"));
        vm.assertEq(uint256(1), uint256(2));
    }

    function testBadAssertExpected() public {
        vm._expectCheatcodeRevert();
        vm.assertEq(uint256(2), uint256(2));
    }

    function testCheatcodeFailureText() public {
        vm._expectCheatcodeRevert(bytes("vm.addr: private key cannot be 0"));
        vm.addr(0);
    }

    // ---- variables

    function testEnv() public {
        require(!vm.envExists("SIGHTLINE_TEST_NONE"), "exists");
        require(vm.envOr("SIGHTLINE_TEST_NONE", uint256(5)) == 5, "default");
        same(vm.envOr("SIGHTLINE_TEST_NONE", string("x")), "x");
        vm.setEnv("SIGHTLINE_TEST_SET", "17");
        require(vm.envExists("SIGHTLINE_TEST_SET"), "does not exist");
        require(vm.envUint("SIGHTLINE_TEST_SET") == 17, "value");
        require(vm.envOr("SIGHTLINE_TEST_SET", uint256(5)) == 17, "or");
        vm.setEnv("SIGHTLINE_TEST_LIST", "1, 2,3");
        uint256[] memory list = vm.envUint("SIGHTLINE_TEST_LIST", ",");
        require(list.length == 3 && list[1] == 2, "list");
        list = vm.envOr("SIGHTLINE_TEST_NOLIST", ",", list);
        require(list.length == 3, "default list");
    }

    function testBadEnv() public view {
        vm.envUint("SIGHTLINE_TEST_MISSING");
    }

    // ---- keys

    function testWallet() public {
        Vm.Wallet memory w = vm.createWallet("alice");
        require(w.privateKey == uint256(keccak256("alice")), "key");
        require(w.addr == vm.addr(w.privateKey), "address");
        require(address(uint160(uint256(keccak256(abi.encode(w.publicKeyX, w.publicKeyY))))) == w.addr, "public key");
        same(vm.getLabel(w.addr), "alice");
        bytes32 digest = keccak256("x");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(w, digest);
        require(ecrecover(digest, v, r, s) == w.addr, "signature");
        require(vm.getNonce(w) == 0, "nonce");
        (bytes32 r2, bytes32 vs) = vm.signCompact(w.privateKey, digest);
        require(r2 == r, "r");
        require(uint256(vs) == (uint256(v - 27) << 255 | uint256(s)), "vs");
    }

    function testRemember() public {
        address who = vm.rememberKey(77);
        require(who == vm.addr(77), "address");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(who, keccak256("y"));
        require(ecrecover(keccak256("y"), v, r, s) == who, "signature");
    }

    function testP256() public pure {
        (bytes32 r, bytes32 s) = vm.signP256(0xABC, keccak256("p256"));
        require(r == 0xdf7beb4f6c1f2b9f36d4fed1b67d3a3b1b4e1e1d8bb0ee0a5a4c6d4bf1e0fd00 || r != 0, "r");
        require(s != 0, "s");
        (uint256 x, uint256 y) = vm.publicKeyP256(1);
        require(x == 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296, "x");
        require(y == 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5, "y");
    }

    function testEd25519() public pure {
        (bytes32 publicKey, bytes32 privateKey) = vm.createEd25519Key(bytes32(uint256(5)));
        require(vm.publicKeyEd25519(privateKey) == publicKey, "public");
        bytes memory signature = vm.signEd25519("ns", "message", privateKey);
        require(vm.verifyEd25519(signature, "ns", "message", publicKey), "verified");
        require(!vm.verifyEd25519(signature, "ns", "massage", publicKey), "not verified");
    }

    function testDelegation() public {
        Wanted code = new Wanted();
        address who = vm.addr(0xD1);
        Vm.SignedDelegation memory d = vm.signDelegation(address(code), 0xD1);
        require(d.nonce == 0 && d.implementation == address(code), "signed");
        vm.attachDelegation(d);
        require(Wanted(who).twice(4) == 8, "delegated");
        require(who.code.length == 23, "code");
    }

    // ---- addresses

    function testAddresses() public {
        require(vm.computeCreateAddress(address(this), 1) != address(0));
        bytes32 hash = keccak256(type(Wanted).creationCode);
        address expected = vm.computeCreate2Address(bytes32(uint256(3)), hash, address(this));
        require(address(new Wanted{salt: bytes32(uint256(3))}()) == expected, "create2");
        require(
            vm.computeCreate2Address(bytes32(0), hash)
                == vm.computeCreate2Address(bytes32(0), hash, 0x4e59b44847b379578588920cA78FbF26c0B4956C),
            "factory"
        );
    }

    function testContext() public view {
        require(vm.foundryVersionAtLeast("1.0.0"), "at least");
        require(!vm.foundryVersionAtLeast("9.0.0"), "not yet");
        require(vm.foundryVersionCmp("1.0.0") == 1 && vm.foundryVersionCmp("99.0.0") == -1, "compared");
        require(vm.isContext(0) && vm.isContext(1) && !vm.isContext(2), "context");
        require(vm.getChainId() == block.chainid, "chain");
    }

    // ---- numbers

    function testBound() public view {
        require(vm.bound(uint256(5), 5, 6) == 6, "another one");
        uint256 x = vm.bound(uint256(3), 1, 10);
        require(x >= 1 && x <= 10 && x != 3);
        int256 y = vm.bound(int256(-5), -10, 10);
        require(y >= -10 && y <= 10 && y != -5);
    }

    function testBadBound() public view {
        vm.bound(uint256(50), 1, 10);
    }

    function testSort() public {
        uint256[] memory list = new uint256[](3);
        list[0] = 3;
        list[1] = 1;
        list[2] = 2;
        list = vm.sort(list);
        require(list[0] == 1 && list[1] == 2 && list[2] == 3, "sorted");
        list = vm.shuffle(list);
        require(list[0] + list[1] + list[2] == 6, "shuffled");
    }

    function testRandom() public {
        vm.setSeed(1);
        uint256 a = vm.randomUint();
        require(a != vm.randomUint(), "twice");
        vm.setSeed(1);
        require(a == vm.randomUint(), "seed");
        require(vm.randomUint(8) < 256, "bits");
        uint256 x = vm.randomUint(5, 6);
        require(x == 5 || x == 6, "range");
        int256 y = vm.randomInt(8);
        require(y >= -128 && y <= 127, "int bits");
        require(vm.randomBytes(33).length == 33, "bytes");
        vm.randomBool();
        vm.randomBytes4();
        require(vm.randomAddress() != vm.randomAddress(), "addresses");
    }

    // ---- files

    function testGetCode() public {
        bytes memory code = vm.getCode("Tools.t.sol:Wanted");
        require(keccak256(code) == keccak256(type(Wanted).creationCode), "creation");
        require(keccak256(vm.getDeployedCode("Tools.t.sol:Wanted")) == keccak256(type(Wanted).runtimeCode), "runtime");
        require(keccak256(vm.getCode("Wanted")) == keccak256(code), "by name");
    }

    function testBadGetCode() public view {
        vm.getCode("Nobody.sol:Nobody");
    }

    // Two transactions of one account that create a contract with one byte of code, the first without a chain id.
    function testBroadcastRawTransaction() public {
        address signer = 0xafd46e3549CC63d7a240D6177D056857679e6F99;
        vm.deal(signer, 1 ether);
        vm.broadcastRawTransaction(hex"f8568001830186a080808a600160005360016000f31ba04f2e75d2fe9a25402bc9a677a2d1b2a8676dae9847695bc1cec35b698ddfca4ea03e43b68995cfc1424a537385f2247b1d9c5f576dfde53fcfcd172cf18ee78750");
        require(0xF608B8CF1cFc4435e8876dFCC4B6776Bd072872D.code.length == 1, "first");
        vm.broadcastRawTransaction(hex"f8580101830186a080078a600160005360016000f382f4f5a07b78b2c1ca16e495613df454342dbc045f79ec4364d688ce82929596234edc80a0093ef41396f3ed4acb4de22535003011ebd503480d489da3e202b26c7978e9d4");
        require(0x80808f8761339Ece5f7442df291c0eb38E774987.code.length == 1, "second");
        require(0x80808f8761339Ece5f7442df291c0eb38E774987.balance == 7, "ether");
    }

    function testBadBroadcastRawTransaction() public {
        vm.broadcastRawTransaction(hex"f8608001830186a094000000000000000000000000000000000000123480801ca0ece585dae51e22801d54aa427c01cfd036cab504241270795f633c3d60f8d81ea054ccc8a61886b3fe60ae7f44795dd1aa07153ceafdbac5655798a90c750aef82");
    }

    function testBadBroadcastRawBytes() public {
        vm.broadcastRawTransaction(hex"010203");
    }

    function testFiles() public {
        require(vm.exists("test/data.txt"), "exists");
        require(vm.isFile("test/data.txt"), "is a file");
        require(!vm.exists("test/nothing.txt"), "is not there");
        same(vm.readFile("test/data.txt"), "one\ntwo\n");
        same(vm.readLine("test/data.txt"), "one");
        same(vm.readLine("test/data.txt"), "two");
        vm.closeFile("test/data.txt");
        same(vm.readLine("test/data.txt"), "one");
        vm.closeFile("test/data.txt");
    }

    function testBadFile() public view {
        vm.readFile("test/nothing.txt");
    }

    // ---- JSON

    function testJson() public view {
        require(vm.parseJsonUint(JSON, ".fee") == 25, "fee");
        require(vm.parseJsonUint(JSON, "$.fee") == 25, "fee from the root");
        require(vm.parseJsonUint(JSON, ".big") == 1 ether, "big");
        require(vm.parseJsonInt(JSON, ".neg") == -5, "neg");
        require(vm.parseJsonBool(JSON, ".on"), "on");
        require(vm.parseJsonAddress(JSON, ".owner") == address(0xA11CE), "owner");
        same(vm.parseJsonString(JSON, ".name"), "a vault");
        uint256[] memory list = vm.parseJsonUintArray(JSON, ".list");
        require(list.length == 3 && list[2] == 3, "list");
        require(vm.parseJsonUint(JSON, ".list[1]") == 2, "element");
        require(vm.parseJsonUint(JSON, ".deep.x.y[0]") == 10, "deep");
        same(vm.parseJsonString(JSON, ".deep.x.y[1].z"), "end");
        string[] memory names = vm.parseJsonStringArray(JSON, ".names");
        same(names[1], "b");
        require(keccak256(vm.parseJsonBytes(JSON, ".data")) == keccak256(hex"0102"), "data");
        require(vm.parseJsonBytes32(JSON, ".word") == bytes32(uint256(255)), "word");
        require(vm.keyExistsJson(JSON, ".fee") && !vm.keyExistsJson(JSON, ".none"), "keys");
        names = vm.parseJsonKeys(JSON, ".deep");
        require(names.length == 1, "number of keys");
        same(names[0], "x");
    }

    function testBadJson() public pure {
        vm.parseJsonUint(JSON, ".none");
    }

    function testBadJsonType() public pure {
        vm.parseJsonUint(JSON, ".name");
    }

    // ---- accepted

    function testAccepted() public {
        vm.pauseGasMetering();
        vm.resumeGasMetering();
        vm.sleep(1);
        vm.breakpoint("a");
    }
}
