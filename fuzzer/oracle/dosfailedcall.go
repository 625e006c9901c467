package oracle

import (
	"bytes"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// DosFailedCall sees calls of others that an attacker's contract makes fail, by refusing what it is called for (SWC-113; harvey §6). The same
// call succeeds where the contract does what is expected of it.
//
// Known false positives: callers that mean to call that contract and nothing else, such as a withdrawal to an account of their choice.
var DosFailedCall = &Oracle{
	ID:       "dos-failed-call",
	Title:    "Who is paid can make the call of another fail",
	SWC:      "113",
	CWE:      "703",
	Severity: Note,
	Doc:      "A call that an attacker's contract neither sends nor is named in fails, since that contract refuses a payment or a call; it succeeds where the contract accepts.",
	Remedy:   "Let those who are owed something take it themselves (pull payments), and go on where one of several payments fails.",
	Examine:  examineDosFailedCall,
}

func examineDosFailedCall(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	frames := s.Exec.Calls[last].Frames
	root := &s.Exec.Frames[frames[0]]
	if s.Exec.Calls[last].Outcome == evm.Success || s.isOutsider(root.Caller) || bytes.Contains(root.Input, attacker.Address[:]) {
		return
	}
	for i := frames[0]; i < frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if f.CodeAddress != attacker.Address || f.Outcome == evm.Success {
			continue
		}
		by, at := caller(s.Exec, i)
		if by < 0 || !s.isProjects(&s.Exec.Frames[by]) || !s.Attempt(at, [4]byte{}) {
			continue
		}
		calls := s.Calls().Clone()
		for j := range calls {
			calls[j].Instructions = nil
		}
		exec, _, err := s.Run(calls)
		if err != nil || exec.Calls[last].Outcome != evm.Success {
			continue
		}
		c := &s.Exec.Frames[by]
		report(Observation{Call: f.Call, Location: at, Contract: contractOf(c), Message: fmt.Sprintf("%s fails as long as a contract that it pays or calls refuses", functionOf(c))})
		return
	}
}
