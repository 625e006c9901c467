package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file has the conditional jumps of the paths that formulas were read of.

// decision is a conditional jump along a path: its condition, and whether it was taken.
type decision struct {
	jump
	condition int32
	context   uint64 // see Decision
}

// jump is a conditional jump of a frame, and which way it went.
type jump struct {
	code  bytecode.CodeID
	frame int // within the call
	pc    uint32
	taken bool
}

// Decision is a conditional jump that the path of a frame passes.
type Decision struct {
	Code  bytecode.CodeID
	Frame int    // within the call, in order of entry
	PC    uint32 // of the JUMPI
	Taken bool
	Moves bool // numbers of the call move its condition, which is not that of the jump before it, too (see [Echoes])
	// Stored tells that the condition depends on what was read from storage: calls before this one may move it.
	Stored bool
	Fed    bool // numbers of earlier calls do
	// Context tells apart from where the code around the jump was called, and the first times that it was: it is made of the
	// places in code to which the functions on the stack return, and of how often the path had passed the jump with them.
	Context uint64
}

// Decisions lists the jumps of the last call's path, as far as it was read, in order.
func (f *Formulas) Decisions() []Decision {
	all := make([]Decision, 0, len(f.decisions)-f.before)
	for i := f.before; i < len(f.decisions); i++ {
		d := f.decisions[i]
		t, echoes := &f.terms[d.condition], f.echoes(i)
		all = append(all, Decision{Code: d.code, Frame: d.frame, PC: d.pc, Taken: d.taken, Moves: t.moves && !echoes, Stored: t.read != 0 && !echoes, Fed: t.of>>f.own != 0, Context: d.context})
	}
	return all
}

// Reads lists the state variables that a decision's condition depends on, in the order in which they were first read.
func (f *Formulas) Reads(at int) (list []StateVariable) {
	read := f.terms[f.decisions[f.before+at].condition].read
	for i := range f.read {
		if read>>i&1 != 0 {
			list = append(list, f.read[i])
		}
	}
	return list
}

// Of is the number of the decision that a branch of the last call is; −1: it was not read.
func (f *Formulas) Of(b *Branch) int {
	j := jumpOf(b)
	return slices.IndexFunc(f.decisions[f.before:], func(d decision) bool { return d.jump == j })
}

// Behind is the number of the decision that has to go otherwise for another one to: that one, or where it asks whether a call succeeded that
// failed, the last in there that numbers move. −1: there is none.
func (f *Formulas) Behind(at int) int {
	at += f.before
	failed, ok := f.failures[f.decisions[at].condition]
	if !ok {
		return at - f.before
	}
	for at = failed.to - 1; at >= failed.from; at-- {
		if f.terms[f.decisions[at].condition].moves && !f.echoes(at) {
			return at - f.before
		}
	}
	return -1
}

// Times are when the last call reached its branches: numbers of decisions, and the number of all for those that were not read.
func (f *Formulas) Times(branches []Branch) []int {
	first := map[jump]int{}
	for i := len(f.decisions) - 1; i >= f.before; i-- {
		first[f.decisions[i].jump] = i
	}
	times := make([]int, len(branches))
	for i := range branches {
		at, ok := first[jumpOf(&branches[i])]
		if !ok {
			at = len(f.decisions)
		}
		times[i] = at
	}
	return times
}

func jumpOf(b *Branch) jump { return jump{b.Code, b.Frame, b.PC, b.Taken} }

// echoes reports whether a jump is on what the one before it is on (see [Echoes]).
func (f *Formulas) echoes(at int) bool {
	return at > f.before && f.tested(f.decisions[at].condition) == f.tested(f.decisions[at-1].condition)
}

// tested is what a condition negates any number of times.
func (f *Formulas) tested(condition int32) int32 {
	for f.terms[condition].op == vm.ISZERO {
		condition = f.terms[condition].args[0]
	}
	return condition
}
