package oracle

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// ArbitraryJump sees jumps to a destination that the input decides (SWC-127; harvey §6): a function's pointer that assembly
// computes of arguments or wei. Several pointers share a word of storage, and an index says which part of it is meant: what comes from there
// is left out, and so is what happens behind such a jump.
//
// Known false positives: dispatchers in assembly that jump into a table, after checking the index.
var ArbitraryJump = &Oracle{
	ID:       "arbitrary-jump",
	Title:    "The input decides where code goes on",
	SWC:      "127",
	CWE:      "695",
	Severity: Note,
	Doc:      "In a call that succeeds, the destination of a jump comes from calldata or from the wei that are sent, and not by way of storage.",
	Remedy:   "Do not compute pointers of functions in assembly.",
	Examine:  examineArbitraryJump,
}

func examineArbitraryJump(s *Scene, report func(Observation)) {
	t := s.trace()
	if t == nil {
		return
	}
	last := -1
	for i := range t.Jumps {
		j := &t.Jumps[i]
		if !j.Destination.Any(evm.FromCalldata|evm.FromCallValue) || j.Destination.Any(evm.FromStorage) {
			continue
		}
		if f, at, ok := s.noted(j.At); ok && f.Call != last {
			last = f.Call // what comes behind such a jump is a consequence of it
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Message: fmt.Sprintf("where %s goes on is decided by the input", functionOf(f))})
		}
	}
}
