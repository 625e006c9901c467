package oracle

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// From 0.4.10 to 0.7.6 solc writes the same for assert and for the checks that
// became Panic codes of their own in 0.8.0 (division by zero, array bounds, pop
// on an empty array): a conditional jump over INVALID. Yet a check stands in the
// middle of an expression and an assert is a statement: what follows a check
// works on operands that were computed before it,
//
//	DUP2 PUSH tag JUMPI INVALID JUMPDEST DIV        a / b
//	DUP2 LT PUSH tag JUMPI INVALID JUMPDEST BYTE    b[i]
//
// while a statement takes nothing off the stack that an earlier one put there,
// except to move or to drop it.

// isCheck reports whether the INVALID at pc is a check other than an assert: by
// the source map, if the build has one, else by the code.
func isCheck(p *bytecode.Program, pc uint32) bool {
	if p.Code != nil && p.Code.ChecksKnown {
		_, found := slices.BinarySearch(p.Code.Checks, pc)
		return found
	}
	return guardsExpression(p, pc)
}

// isAssert reports whether the INVALID at pc is an assert: neither another check nor what
// an author wrote in assembly or SafeMath refuses sums with.
func isAssert(p *bytecode.Program, pc uint32) bool {
	if p.Code != nil {
		if _, trap := slices.BinarySearch(p.Code.Traps, pc); trap {
			return false
		}
	}
	return !isCheck(p, pc)
}

// guardsExpression reports whether the INVALID at pc belongs to such a check. It
// answers for the straight-line code behind it, as far as that is plain; when in
// doubt, no. In optimized code the answer may be yes for an assert in front of a
// statement that uses up a variable.
func guardsExpression(p *bytecode.Program, pc uint32) bool {
	next := pc + 1
	if int(next) >= len(p.Bytes) || vm.OpCode(p.Bytes[next]) != vm.JUMPDEST {
		return false
	}
	// fresh says of each word above the depth that has been looked at, bottom up,
	// whether the code behind the check made it.
	var fresh []bool
	need := func(n int) { // words from before the check
		for len(fresh) < n {
			fresh = append([]bool{false}, fresh...)
		}
	}
	for at := next + 1; int(at) < len(p.Bytes); at += 1 + bytecode.PushSize(p.Bytes[at]) {
		op := vm.OpCode(p.Bytes[at])
		pops, pushes := stackEffect(op)
		switch {
		case endsStraightLine(op):
			return false
		case op == vm.POP:
			need(1)
			fresh = fresh[:len(fresh)-1]
		case vm.DUP1 <= op && op <= vm.DUP16:
			fresh = append(fresh, true)
		case vm.SWAP1 <= op && op <= vm.SWAP16:
			need(pops)
			top, other := len(fresh)-1, len(fresh)-pops
			fresh[top], fresh[other] = fresh[other], fresh[top]
		default:
			need(pops)
			for _, f := range fresh[len(fresh)-pops:] {
				if !f {
					return true
				}
			}
			fresh = fresh[:len(fresh)-pops]
			for range pushes {
				fresh = append(fresh, true)
			}
		}
	}
	return false
}

// endsStraightLine reports whether what follows the instruction may have another
// stack. STOP and what is undefined end it too.
func endsStraightLine(op vm.OpCode) bool {
	switch op {
	case vm.JUMP, vm.JUMPI, vm.JUMPDEST, vm.RETURN, vm.REVERT, vm.SELFDESTRUCT:
		return true
	}
	return !instructions[op].HasCost() // STOP, INVALID and the undefined cost nothing
}

// instructions is the newest set; what solc before 0.8 wrote means the same in it.
var instructions = func() vm.JumpTable {
	set, err := vm.LookupInstructionSet(params.Rules{IsOsaka: true})
	if err != nil {
		panic(fmt.Sprintf("oracle: go-ethereum has no instruction set for Osaka: %v", err))
	}
	return set
}()

// stackEffect is how many words an instruction takes and puts; for SWAPn n + 1
// of each.
func stackEffect(op vm.OpCode) (pops, pushes int) {
	low, high := instructions[op].Stack()
	return low, int(params.StackLimit) + low - high
}
