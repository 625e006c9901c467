package compile_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// TestEncodings: a contract has what its source decodes and what the sources that it imports decode, in the ABI's types.
func TestEncodings(t *testing.T) {
	const orders = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.8;
interface IToken {}
type Price is uint128;
enum Side { Buy, Sell }
struct Order { IToken token; Price price; Side[2] sides; bytes data; }
library Orders {
    struct Nested { Order[] orders; uint deadline; }
    function decodeNested(bytes calldata data) internal pure returns (Nested calldata nested) {
        assembly { nested := add(data.offset, calldataload(data.offset)) }
    }
    function decodeAt(bytes calldata data, uint256 at) internal pure returns (uint256) { return uint8(data[at]); }
    function first(bytes calldata data) internal pure returns (uint256) { return uint8(data[0]); }
    function parse(bytes memory data) internal pure returns (mapping(uint => uint) storage m, uint256 n) { assembly { m.slot := 0 } n = data.length; }
}
`
	large := "struct Large0 { uint256 a; }\n" // 3^6 numbers in the last
	for i := range 6 {
		large += fmt.Sprintf("struct Large%d {", i+1)
		for j := range 3 {
			large += fmt.Sprintf(" Large%d a%d;", i, j)
		}
		large += " }\n"
	}
	large = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.8;\n" + large +
		"library Huge { function decode(bytes memory data) internal pure returns (Large6[] storage out) { assembly { out.slot := mload(data) } } }\n"
	const desk = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.8;
import {Order, Orders, IToken} from "./Orders.sol";
contract Desk {
    function take(bytes calldata data) external pure returns (uint256) {
        (address payable to, uint amount, Order memory order, uint8[][3] memory list) = abi.decode(data, (address, uint, Order, uint8[][3]));
        return amount + order.data.length + list.length + uint160(address(to)) + abi.decode(data, (Orders.Nested)).deadline;
    }
    function text(bytes memory data) external pure returns (string memory, IToken, bytes[] memory) { return abi.decode(data, (string, IToken, bytes[])); }
    function again(bytes memory data) external pure returns (string memory, IToken, bytes[] memory) { return abi.decode(data, (string, IToken, bytes[])); }
}
`
	const order, nested = "(address,uint128,uint8[2],bytes)", "(((address,uint128,uint8[2],bytes)[],uint256))"
	project := testbuild.Compile(t, "0.8.30", map[string]string{"Orders.sol": orders, "Desk.sol": desk, "Huge.sol": large})
	want := map[string][]string{
		"Desk":   {"(address,uint256," + order + ",uint8[][3])", nested, "(string,address,bytes[])"},
		"Orders": {nested},
		"IToken": {nested},
		"Huge":   nil,
	}
	for _, source := range []string{"Desk.sol", "Orders.sol", "Huge.sol"} {
		for _, c := range project.Contracts(source) {
			if !slices.Equal(c.Encodings, want[c.Name]) {
				t.Errorf("%s decodes\n%q, want\n%q", c.Name, c.Encodings, want[c.Name])
			}
			delete(want, c.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not seen: %v", want)
	}
}
