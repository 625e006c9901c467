package evm_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// nest creates itself in its constructor, with other arguments, and looks at its own
// arguments before and after.
const nest = `
contract Nest {
    uint256 public first;
    uint256 public second;
    address public inner;
    constructor(uint256 depth, uint256 value) {
        first = value;
        if (depth > 0) {
            address made;
            assembly {
                let size := codesize()
                let code := mload(0x40)
                mstore(0x40, add(code, size))
                codecopy(code, 0, size)
                mstore(add(code, sub(size, 64)), sub(depth, 1))
                mstore(add(code, sub(size, 32)), add(value, 1))
                made := create(0, code, size)
            }
            inner = made;
        }
        uint256 again;
        assembly { codecopy(0, sub(codesize(), 32), 32) again := mload(0) }
        second = again;
        require(second == first && value % 7 != 6);
    }
}`

// TestConstructorArguments: creation code that differs from the last only in its
// arguments runs with its own, also while the same code runs further out.
func TestConstructorArguments(t *testing.T) {
	b := deployed(t, nest, "Nest", testsolc.Settings{}, common.Big0, common.Big1)
	var seq evm.Sequence
	for i := range 40 {
		packed, err := b.contract.ABI.Pack("", common.Big3, big.NewInt(int64(i)))
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			packed[31] = byte(i / 9)
		}
		call := b.deploy
		call.Address[0] = byte(i + 1)
		call.Data = append(common.CopyBytes(b.contract.Creation.Bytes), packed...)
		seq = append(seq, call)
		b.run(call)
	}
	b.run(seq...)
}

const named = `
contract Named {
    string public name;
    uint256 public size;
    uint256 immutable half;
    constructor(string memory given, uint8[] memory list) {
        name = given;
        uint256 all;
        assembly { all := codesize() }
        size = all;
        half = bytes(given).length / 2;
        require(list.length != 3, given);
    }
    function read() external view returns (uint256) { return half; }
}`

// TestLengthsOfArguments: creation code runs with arguments of other lengths than the last, and leaves other code where
// these are part of it.
func TestLengthsOfArguments(t *testing.T) {
	b := deployed(t, named, "Named", testsolc.Settings{}, "", []byte{})
	var seq evm.Sequence
	for i, length := range []int{0, 5, 40, 1000, 31, 32, 33, 1000, 0, 0, 7, 7} {
		packed, err := b.contract.ABI.Pack("", strings.Repeat("x", length), make([]byte, i%4))
		if err != nil {
			t.Fatal(err)
		}
		call := b.deploy
		call.Address[0] = byte(i + 1)
		call.Data = append(common.CopyBytes(b.contract.Creation.Bytes), packed...)
		read := b.call("read")
		read.To = call.Address
		seq = append(seq, call, read)
		b.run(call, read)
	}
	b.run(seq...)
}

// TestJumpsIntoArguments: what a constructor's arguments are decides whether a jump leads there.
func TestJumpsIntoArguments(t *testing.T) {
	const to = 32 // behind the program
	for name, program := range map[string][]byte{
		"jump":             {0x60, to, 0x56, 0xfe},                      // PUSH1 JUMP INVALID
		"conditional jump": {0x34, 0x15, 0x60, to, 0x57, 0xfe},          // CALLVALUE ISZERO PUSH1 JUMPI INVALID
		"comparison":       {0x60, 1, 0x34, 0x10, 0x60, to, 0x57, 0xfe}, // PUSH1 CALLVALUE LT PUSH1 JUMPI INVALID
		"row":              {0x60, 9, 0x80, 0x60, to, 0x56, 0xfe},       // PUSH1 DUP1 PUSH1 JUMP INVALID
	} {
		program = append(program, 0, 0) // whether a JUMPDEST follows ends a block, too
		contract := &bytecode.Contract{Name: name, Source: name, Creation: &bytecode.Code{Kind: bytecode.Creation, Bytes: program}}
		table := bytecode.NewTable([]*bytecode.Contract{contract})
		reference, err := gethvm.New(emptyWorld(), table)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := interp.New(emptyWorld(), table)
		if err != nil {
			t.Fatal(err)
		}
		for i, there := range [][]byte{{0, 0}, {0x5b, 0}, {0, 0}, nil, {0x5b}, {0x7f, 0x5b}, {0x5b, 0, 1, 2}} {
			data := append(common.CopyBytes(program), make([]byte, to-len(program))...)
			if there == nil {
				data = data[:len(program)+1]
			}
			seq := evm.Sequence{{From: deployer, Create: true, Address: place, Data: append(data, there...)}}
			want, err := reference.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			got, err := fast.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			if d := evm.Differ(want, got); d != nil {
				t.Errorf("%s, arguments %d: reference and interpreter differ: %v", name, i, d)
			}
		}
	}
}
