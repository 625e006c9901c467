package evm

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
)

// action is what the recorder does at an instruction.
type action uint8

const (
	actNone    action = iota // pushes nothing, means nothing to the recorder
	actPush                  // pushes one word that no comparison made
	actDup                   // DUP1 to DUP16
	actSwap                  // SWAP1 to SWAP16
	actCompare               // pushes the truth of a comparison
	actDiffer                // SUB, XOR, ADD: zero just when the operands are equal, or each other's negation
	actIsZero
	actJumpi
	actHash
	actLoad
	actStore
	actReturn
)

// instruction is what the recorder knows of an opcode.
type instruction struct {
	action action
	pops   uint8 // for SWAPn and DUPn: n
}

// instructions derives the recorder's table from go-ethereum's for the fork.
func instructions(rules params.Rules) (*[256]instruction, error) {
	set, err := vm.LookupInstructionSet(rules)
	if err != nil {
		return nil, err
	}
	table := new([256]instruction)
	for op, operation := range set {
		low, high := operation.Stack()
		in := instruction{pops: uint8(low)}
		if pushes := int(params.StackLimit) + low - high; pushes > 0 {
			in.action = actPush
		}
		table[op] = in
	}
	for n := range byte(16) {
		table[byte(vm.DUP1)+n] = instruction{actDup, n + 1}
		table[byte(vm.SWAP1)+n] = instruction{actSwap, n + 1}
	}
	for _, op := range []vm.OpCode{vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ} {
		table[op].action = actCompare
	}
	special := map[vm.OpCode]action{
		vm.SUB: actDiffer, vm.XOR: actDiffer, vm.ADD: actDiffer, vm.ISZERO: actIsZero, vm.JUMPI: actJumpi,
		vm.KECCAK256: actHash, vm.SLOAD: actLoad, vm.SSTORE: actStore, vm.RETURN: actReturn,
	}
	for op, a := range special {
		table[op].action = a
	}
	return table, nil
}
