package oracle

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// ArbitraryJump sees jumps to a destination that the input decides (SWC-127; harvey §6): a function's pointer that assembly
// computes of arguments or wei.
//
// Known false positives: dispatchers in assembly that jump into a table, after checking the index.
var ArbitraryJump = &Oracle{
	ID:       "arbitrary-jump",
	Title:    "The input decides where code goes on",
	SWC:      "127",
	CWE:      "695",
	Severity: Note,
	Doc:      "In a call that succeeds, the destination of a jump comes from calldata or from the wei that are sent.",
	Remedy:   "Do not compute pointers of functions in assembly.",
	Examine:  examineArbitraryJump,
}

func examineArbitraryJump(s *Scene, report func(Observation)) {
	t := s.trace()
	if t == nil {
		return
	}
	for i := range t.Jumps {
		j := &t.Jumps[i]
		if !j.Destination.Any(evm.FromCalldata | evm.FromCallValue) {
			continue
		}
		if f, at, ok := s.noted(j.At); ok {
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Message: fmt.Sprintf("where %s goes on is decided by the input", functionOf(f))})
		}
	}
}
