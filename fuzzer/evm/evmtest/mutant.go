package evmtest

import (
	"math/rand/v2"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
)

// mutate makes some small changes to code. Most keep instructions where they are:
// code whose jumps all miss would end at once. The chances are arbitrary.
func mutate(r *rand.Rand, code []byte) []byte {
	code = slices.Clone(code)
	starts := instructions(code)
	if len(starts) == 0 {
		return code
	}
	for range r.IntN(5) {
		at := starts[r.IntN(len(starts))]
		if at >= len(code) {
			continue // a removal made it shorter
		}
		op := vm.OpCode(code[at])
		switch r.IntN(8) {
		case 0:
			code[at] = byte(r.IntN(256))
		case 1:
			code[r.IntN(len(code))] ^= 1 << r.IntN(8)
		case 2, 3, 4: // another of the same kind
			if kin := kinOf(op); kin != nil {
				code[at] = byte(kin[r.IntN(len(kin))])
			}
		case 5, 6: // another constant
			if n := pushed(op); n > 0 && at+n < len(code) {
				word := wordOf(r).Bytes32()
				copy(code[at+1:at+1+n], word[32-n:])
			}
		case 7:
			if r.IntN(4) == 0 {
				code = slices.Delete(code, at, at+1)
			}
		}
	}
	return code
}

// kin are instructions that take and leave as many words.
var kin = [][]vm.OpCode{
	binary,
	{vm.ISZERO, vm.NOT, vm.BALANCE, vm.EXTCODESIZE, vm.EXTCODEHASH, vm.CALLDATALOAD, vm.SLOAD, vm.TLOAD, vm.MLOAD},
	{vm.SSTORE, vm.TSTORE, vm.MSTORE, vm.MSTORE8},
	{vm.RETURN, vm.REVERT},
	{vm.CALLDATACOPY, vm.CODECOPY, vm.RETURNDATACOPY, vm.MCOPY},
	{vm.CALL, vm.CALLCODE}, {vm.DELEGATECALL, vm.STATICCALL},
	{vm.DUP1, vm.DUP2, vm.DUP3, vm.DUP4, vm.DUP5, vm.DUP6}, {vm.SWAP1, vm.SWAP2, vm.SWAP3, vm.SWAP4},
	environment,
}

func kinOf(op vm.OpCode) []vm.OpCode {
	for _, group := range kin {
		if slices.Contains(group, op) {
			return group
		}
	}
	return nil
}

// pushed is the number of bytes that an instruction carries.
func pushed(op vm.OpCode) int {
	if op >= vm.PUSH1 && op <= vm.PUSH32 {
		return int(op-vm.PUSH1) + 1
	}
	return 0
}

// instructions lists where they begin.
func instructions(code []byte) []int {
	var starts []int
	for pc := 0; pc < len(code); pc += 1 + pushed(vm.OpCode(code[pc])) {
		starts = append(starts, pc)
	}
	return starts
}

// selectorsOf lists what may be function selectors: what PUSH4 pushes.
func selectorsOf(code []byte) [][]byte {
	var list [][]byte
	for _, pc := range instructions(code) {
		if vm.OpCode(code[pc]) == vm.PUSH4 && pc+5 <= len(code) {
			list = append(list, code[pc+1:pc+5])
		}
	}
	return list
}
