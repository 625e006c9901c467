package compile

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
)

const assemblies = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

library Sums {
	uint256 constant LIMIT = 10;

	function sum(uint256 a, bytes memory b) internal pure returns (uint256 r) {
		assembly { // a comment
			let x := add(a, 1) /* and another */
			if gt(x, LIMIT) { r := mload(b) x := 0x0003 }
			for { let i := 0 } lt(i, x) { i := add(i, 1) } {
				r := xor(
					r,
					shl(2, i)
				)
				if eq(i, 7) { continue }
				if sgt(i, 9) { break }
			}
			switch x
			case 0 { r := mulmod(1, x, 7) }
			case "ab" { revert(0, 0) }
			default { r := div(x, hex"05") }
		}
	}
}

contract Child {
	uint256 public immutable z;

	constructor(uint256 q) {
		assembly { if slt(q, 2) { sstore(9, q) } }
		z = q;
	}
}

contract Maker {
	uint256 public s;
	string public name = "maker";

	function go(uint256 a, bytes memory b) external returns (uint256) {
		s = Sums.sum(a, b);
		assembly { if iszero(sload(s.slot)) { log0(0, 0) } }
		return s;
	}

	function make(bytes calldata d) external returns (address c) {
		c = address(new Child(d.length));
		assembly {
			function twice(p) -> q {
				if smod(p, 3) { leave }
				q := shr(1, p)
			}
			sstore(s.slot, twice(calldataload(d.offset)))
		}
	}
}
`

// TestLocateAssembly: what instructions of builds via the intermediate language do is what stands at
// the place that they have in inline assembly, which is that of its whole block before.
func TestLocateAssembly(t *testing.T) {
	// Instructions that the compiler's own code for these contracts has not, or not with a place in assembly.
	calls := map[vm.OpCode]string{
		vm.GT: "gt", vm.MLOAD: "mload", vm.LT: "lt", vm.XOR: "xor", vm.SHL: "shl", vm.SGT: "sgt", vm.MULMOD: "mulmod", vm.DIV: "div",
		vm.SLT: "slt", vm.SSTORE: "sstore", vm.SLOAD: "sload", vm.LOG0: "log0", vm.SMOD: "smod", vm.SHR: "shr", vm.CALLDATALOAD: "calldataload", vm.REVERT: "revert",
	}
	for _, version := range []string{"0.8.17", "0.8.30"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			input := standardJSON(t, map[string]string{"Maker.sol": assemblies, "Other.sol": "contract Other {}"}, map[string]any{"viaIR": true})
			o, err := DebugBuild(t.Context(), input, compiler(t, version), kept(t))
			if err != nil {
				t.Fatal(err)
			}
			places := func() (whole, exact int, seen map[string]bool) {
				seen = map[string]bool{}
				for _, c := range o.Contracts {
					for i, m := range []SourceMap{c.CreationMap, c.RuntimeMap} {
						code := c.Creation
						if i == 1 {
							code = c.Runtime
						}
						at := 0
						for pc := range m.Instructions(code.Bytes) {
							e := m.At(at)
							at++
							text := ""
							if e.File == 0 && e.Start >= 0 && e.Length >= 0 {
								text = assemblies[e.Start : e.Start+e.Length]
							}
							call := calls[vm.OpCode(code.Bytes[pc])]
							switch {
							case call == "":
							case strings.HasPrefix(text, "assembly"):
								whole++
							case strings.HasPrefix(text, call+"("):
								exact++
								seen[call] = true
							}
						}
					}
				}
				return whole, exact, seen
			}
			if _, exact, _ := places(); exact > 0 {
				t.Fatalf("%d instructions have exact places before", exact)
			}
			wanted := func(s *Source, n *Node) bool { return true }
			if err := o.LocateAssembly(t.Context(), compilers(t), kept(t), wanted); err != nil {
				t.Fatal(err)
			}
			whole, exact, seen := places()
			if whole > 0 || exact == 0 {
				t.Errorf("%d instructions have the place of the whole block, %d that of their call", whole, exact)
			}
			for _, call := range calls {
				if !seen[call] {
					t.Errorf("no instruction has the place of %s(…)", call)
				}
			}
		})
	}
}

// TestRestoreMerged: short code that ends a path, behind a label that other code runs into, gets back the place of its block,
// since it may belong to two branches.
func TestRestoreMerged(t *testing.T) {
	const whole, exact = 100, 7
	code := []byte{byte(vm.DUP1), byte(vm.JUMPI), // runs into what is behind the label
		byte(vm.JUMPDEST), byte(vm.DUP1), byte(vm.DUP1), byte(vm.REVERT),
		byte(vm.JUMPDEST), byte(vm.DUP1), byte(vm.DUP1), byte(vm.REVERT), // nothing runs into it
		byte(vm.JUMPI), byte(vm.JUMPDEST), byte(vm.DUP1), byte(vm.DUP1), byte(vm.DUP1), byte(vm.REVERT)} // longer
	var places, before SourceMap
	for range code {
		places = append(places, SourceMapEntry{Start: exact, Length: 1, Jump: '-'}.packed())
		before = append(before, SourceMapEntry{Start: whole, Length: 9, Jump: '-'}.packed())
	}
	restoreMerged(code, places, before)
	for i := range places {
		want := exact
		if i >= 2 && i <= 5 {
			want = whole
		}
		if got := places.At(i).Start; got != want {
			t.Errorf("instruction %d is at %d, want %d", i, got, want)
		}
	}
}
