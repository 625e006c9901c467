package oracle

import (
	"bytes"

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

// isPanicCode reports whether solc's own panics have a code (Solidity documentation, "Panic
// via assert and Error via require"). It never makes the generic 0x00, which is also an
// offset that code pushes.
func isPanicCode(code byte) bool {
	switch code {
	case panicAssertCode, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51:
		return true
	}
	return false
}
