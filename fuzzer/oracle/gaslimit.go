package oracle

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// GasLimit sees calls that run out of gas by what a contract of the project does itself (SWC-128): it goes round a loop as often
// as an argument or an array says, and a transaction cannot have more (2^24, EIP-7825). It also sees calls that will: they go through a list
// in storage, all of it, that anyone can make longer.
//
// Known false positives: arguments that only hurt who gives them; lists that cost more to fill than it is worth.
var GasLimit = &Oracle{
	ID:       "gas-limit",
	Title:    "A call takes more gas than there is",
	SWC:      "128",
	CWE:      "400",
	Severity: Note,
	Doc: "A call uses up all the gas that a transaction can have, in a frame of the project's code that has called no one who did; " +
		"or a call that is not a view goes through all elements of an array, or of a mapping that a variable counts, and a call that anyone can make adds elements.",
	Remedy: "Bound the loop, or let its work be done in several calls.",
	Examine: func(s *Scene, report func(Observation)) {
		examineGasLimit(s, report)
		examineGrowth(s, report)
	},
}

func examineGasLimit(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if s.Exec.Calls[last].Outcome == evm.Success {
		return
	}
	for i := s.Exec.Calls[last].Frames[0]; i < s.Exec.Calls[last].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if usesAllGas(f) && s.isProjects(f) && !s.burns(i) {
			report(Observation{Call: last, Location: FunctionEntry(f, selectorOf(f)), Contract: contractOf(f), Message: fmt.Sprintf("%s uses more gas than a transaction can have", functionOf(f))})
			return
		}
	}
}

// burns reports whether a frame called one that used half of its gas or more.
func (s *Scene) burns(frame int) bool {
	for i := frame + 1; i < len(s.Exec.Frames) && s.Exec.Frames[i].Depth > s.Exec.Frames[frame].Depth; i++ {
		if s.Exec.Frames[i].GasUsed > s.Exec.Frames[frame].GasUsed/2 {
			return true
		}
	}
	return false
}

// usesAllGas reports whether a frame ran out of about as much gas as a transaction can have.
func usesAllGas(f *evm.Frame) bool { return f.Outcome == evm.OutOfGas && f.GasUsed > evm.CallGas/2 }
