package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// panicSelector is that of Panic(uint256), which solc pushes as four bytes or
// as a word with the selector on the left.
var panicSelector = crypto.Keccak256([]byte("Panic(uint256)"))[:4]

// panicAssertCode is Panic's code of a failing assert.
const panicAssertCode = 0x01

// panicOverflow is Panic's code of arithmetic that goes beyond a type.
const panicOverflow = 0x11

// panicAssert is the ABI encoding of Panic(0x01).
var panicAssert = append(bytes.Clone(panicSelector), common.LeftPadBytes([]byte{panicAssertCode}, 32)...)

// ownPanic reports whether frame i, which reverts with a Panic, made it itself. What
// counts is where the data comes from, not what it is: a frame that catches a callee's
// panic and then fails by an assertion of its own returns the same bytes.
//
// The frame made the data if the code that reverts makes them of constants, as solc's does.
// Otherwise they came from elsewhere if a callee returned them or the frame was called with
// them: they are copied in many ways (RETURNDATACOPY, the call's own output, word by word)
// and wrapped as the result of a call that succeeded. What is left is code that makes
// panics with a code that it computes, such as OpenZeppelin's Panic.panic.
func ownPanic(exec *evm.Execution, i int) bool {
	f := &exec.Frames[i]
	if code, made := panicMade(f.Program, f.LastPC); made && code == f.Output[len(f.Output)-1] {
		return true
	}
	if f.Kind != evm.KindCreate && f.Kind != evm.KindCreate2 && bytes.Contains(f.Input, f.Output) {
		return false
	}
	for j := i + 1; j < len(exec.Frames) && exec.Frames[j].Call == f.Call; j++ {
		if child := &exec.Frames[j]; child.Parent == i && bytes.Contains(child.Output, f.Output) {
			return false
		}
	}
	return true
}

// panicMade is the code of the Panic that the straight-line code up to a pc makes; false
// where it makes none of constants.
func panicMade(p *bytecode.Program, pc uint32) (code byte, made bool) {
	block, ok := p.BlockOf(pc)
	if !ok {
		return 0, false
	}
	for block > 0 && vm.OpCode(p.Bytes[p.Blocks[block].Start]) != vm.JUMPDEST { // a target may have cut it
		block--
	}
	distance := maxPanicDistance + 1
	for at := p.Blocks[block].Start; at <= pc; at += 1 + bytecode.PushSize(p.Bytes[at]) {
		distance++
		switch immediate := pushed(p, at); {
		case len(immediate) >= 4 && bytes.HasPrefix(immediate, panicSelector):
			made, distance = false, 0
		case len(immediate) == 1 && distance <= maxPanicDistance && isPanicCode(immediate[0]):
			code, made, distance = immediate[0], true, maxPanicDistance+1
		}
	}
	return code, made
}

// pushed is what a PUSH at a pc pushes, as far as the code has it; empty for other
// instructions.
func pushed(p *bytecode.Program, pc uint32) []byte {
	size := bytecode.PushSize(p.Bytes[pc])
	return p.Bytes[min(int(pc)+1, len(p.Bytes)):min(int(pc+1+size), len(p.Bytes))]
}

// checkNames names what solc checks, by the Panic code of a failure, asserts apart
// (Solidity documentation, "Panic via assert and Error via require"). solc never makes the
// generic 0x00, which is also an offset that code pushes.
var checkNames = map[byte]string{
	panicOverflow: "arithmetic overflows or underflows",
	0x12:          "a division by zero",
	0x21:          "a number is not a value of its enum",
	0x22:          "a byte array in storage is malformed",
	0x31:          "pop on an empty array",
	0x32:          "an array index is out of bounds",
	0x41:          "too much memory is allocated",
	0x51:          "an uninitialized function is called",
}

// panicSuffix is a Panic's code behind what it means.
func panicSuffix(code byte) string { return fmt.Sprintf(" (Panic 0x%02x)", code) }

// isPanicCode reports whether solc's own panics have a code.
func isPanicCode(code byte) bool { return code == panicAssertCode || checkNames[code] != "" }

// Panic sees checks of the compiler fail that are ordinary reverts unless the project asks
// for them: overflow, division by zero, array bounds and so on, each by its Panic code. Of
// a panic that is passed on it sees the first frame, see [ownPanic].
//
// It is not part of [All]: code since 0.8 relies on these reverts. [With] makes it watch the
// codes that a project asks for; by itself it sees all of them.
//
// Known false positives: a check that the code relies on, such as a subtraction that
// refuses to spend more than there is. Code in unchecked blocks or before 0.8 has no
// checks to fail.
var Panic = panicsOf(slices.Sorted(maps.Keys(checkNames)))

// panicsOf is [Panic] for some codes.
func panicsOf(codes []byte) *Oracle {
	wanted := func(code byte) bool { return slices.Contains(codes, code) }
	return &Oracle{
		ID:       "panic",
		Title:    "A check of the compiler fails",
		Severity: High,
		Doc: "A check that the compiler adds fails with a Panic code that the project asks for (setting panics): overflow (0x11), division by zero (0x12), " +
			"array bounds (0x32) and others. Unless it asks, these are ordinary reverts.",
		Remedy: "Reject the input that leads there with a reason of your own (require), or compute so that it cannot happen: multiply before dividing, " +
			"use wider types, check lengths. If a revert is what you want there, take the code out of the setting panics.",
		Check: func(exec *evm.Execution, report func(Observation)) {
			for i := range exec.Frames {
				f := &exec.Frames[i]
				if f.Program == nil || f.Program.Contract == nil || f.Outcome != evm.Reverted {
					continue
				}
				if code, ok := panicCode(f.Output); ok && wanted(code) && ownPanic(exec, i) {
					report(Observation{Call: f.Call, Location: decision(f), Contract: contractOf(f), Message: checkNames[code] + panicSuffix(code)})
				}
			}
		},
		Places: func(p *bytecode.Program) []uint32 {
			places := panicPlaces(p, wanted)
			slices.Sort(places)
			return slices.Compact(places)
		},
	}
}

// panicCode is the code of revert data that is a Panic with a code of one byte.
func panicCode(data []byte) (code byte, ok bool) {
	last := len(panicAssert) - 1
	if len(data) != len(panicAssert) || !bytes.Equal(data[:last], panicAssert[:last]) {
		return 0, false
	}
	return data[last], true
}

// PanicCodes reads Panic codes as a project asks for them: numbers in decimal or with 0x.
func PanicCodes(texts []string) ([]byte, error) {
	var codes []byte
	for _, text := range texts {
		code, err := strconv.ParseUint(strings.TrimSpace(text), 0, 8)
		switch {
		case err == nil && code == panicAssertCode:
			return nil, fmt.Errorf("%q is a failing assert, which the oracle assertion reports in any case", text)
		case err != nil || checkNames[byte(code)] == "":
			return nil, fmt.Errorf("%q is not a code of the compiler's checks: want 0x11 (overflow), 0x12 (division by zero), 0x21 (enum), "+
				"0x22 (storage byte array), 0x31 (pop), 0x32 (array bounds), 0x41 (memory) or 0x51 (uninitialized function)", text)
		}
		codes = append(codes, byte(code))
	}
	slices.Sort(codes)
	return slices.Compact(codes), nil
}
