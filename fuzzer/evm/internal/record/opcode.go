package record

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
)

// Action is what the recorder does at an instruction.
type Action uint8

// The actions.
const (
	ActNone    Action = iota // pushes nothing, means nothing to the recorder
	ActPush                  // pushes one word that no comparison made
	ActDup                   // DUP1 to DUP16
	ActSwap                  // SWAP1 to SWAP16
	ActCompare               // pushes the truth of a comparison
	ActDiffer                // SUB, XOR, ADD: zero just when the operands are equal, or each other's negation
	ActIsZero
	ActJumpi
	ActHash
	ActLoad
	ActStore
	ActReturn
)

// Instruction is what the recorder knows of an opcode.
type Instruction struct {
	Action Action
	Pops   uint8 // for SWAPn and DUPn: n
}

// Instructions derives the recorder's table from go-ethereum's for the fork.
func Instructions(rules params.Rules) (*[256]Instruction, error) {
	set, err := vm.LookupInstructionSet(rules)
	if err != nil {
		return nil, err
	}
	table := new([256]Instruction)
	for op, operation := range set {
		low, high := operation.Stack()
		in := Instruction{Pops: uint8(low)}
		if pushes := int(params.StackLimit) + low - high; pushes > 0 {
			in.Action = ActPush
		}
		table[op] = in
	}
	for n := range byte(16) {
		table[byte(vm.DUP1)+n] = Instruction{ActDup, n + 1}
		table[byte(vm.SWAP1)+n] = Instruction{ActSwap, n + 1}
	}
	for _, op := range []vm.OpCode{vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ} {
		table[op].Action = ActCompare
	}
	special := map[vm.OpCode]Action{
		vm.SUB: ActDiffer, vm.XOR: ActDiffer, vm.ADD: ActDiffer, vm.ISZERO: ActIsZero, vm.JUMPI: ActJumpi,
		vm.KECCAK256: ActHash, vm.SLOAD: ActLoad, vm.SSTORE: ActStore, vm.RETURN: ActReturn,
	}
	for op, a := range special {
		table[op].Action = a
	}
	return table, nil
}
