package oracle

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// CheckFails sees checks of the compiler fail in code before Solidity 0.8, which say INVALID as its asserts do, and take all gas (SWC-110; [Panic]
// is about those since): an index that is out of bounds, a division by zero, a number that an enum lacks.
//
// Known false positives: inputs that only hurt who gives them.
var CheckFails = &Oracle{
	ID:       "check-fails",
	Title:    "A check of the compiler takes all gas",
	SWC:      "110",
	CWE:      "670",
	Severity: Note,
	Doc: "Code before Solidity 0.8 indexes an array out of its bounds, divides by zero or converts a number to an enum that lacks it, in a call of a function that is not a view. " +
		"It halts on INVALID there, as a failing assert does.",
	Remedy:  "Reject such input with a reason (require), or use a compiler of 0.8 or later.",
	Examine: examineCheckFails,
}

func examineCheckFails(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	frames := s.Exec.Calls[last].Frames
	root := &s.Exec.Frames[frames[0]]
	if s.Exec.Calls[last].Outcome == evm.Success {
		return
	}
	if m := methodOf(root); m != nil && m.IsConstant() {
		return // no transaction calls it
	}
	for i := frames[0]; i < frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if f.Outcome == evm.InvalidOpcode && s.isProjects(f) && opAt(f) == opInvalid && isCheck(f.Program, f.LastPC) {
			report(Observation{Call: last, Location: decision(f), Contract: contractOf(f), Message: fmt.Sprintf("a check of the compiler fails in %s (INVALID)", functionOf(f))})
		}
	}
}
