package oracle

import (
	"bytes"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// DosFailedCall sees calls of others that an attacker's contract makes fail, by refusing what it is called for (SWC-113; harvey §6). The same
// call succeeds where the contract does what is expected of it. A call that the attacker sends is tried from another account. It also
// sees one statement pay several accounts that storage names, where each can make all of it fail.
//
// Known false positives: callers that mean to call that contract and nothing else, such as a withdrawal to an account of their choice.
var DosFailedCall = &Oracle{
	ID:       "dos-failed-call",
	Title:    "Who is paid can make the call of another fail",
	SWC:      "113",
	CWE:      "703",
	Severity: Note,
	Doc: "A call that an attacker's contract neither sends nor is named in fails, since that contract refuses a payment or a call; it succeeds where the contract accepts. " +
		"Or one statement of a call pays several accounts that storage names, and reverts if one of the payments fails.",
	Remedy: "Let those who are owed something take it themselves (pull payments), and go on where one of several payments fails.",
	Examine: func(s *Scene, report func(Observation)) {
		examineDosFailedCall(s, report)
		examinePaysAll(s, report)
	},
}

func examineDosFailedCall(s *Scene, report func(Observation)) {
	by, at, _, ok := s.refusedOthers()
	if !ok {
		return
	}
	f := &s.Exec.Frames[by]
	report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Message: fmt.Sprintf("%s fails as long as a contract that it pays or calls refuses", functionOf(f))})
}

// refusedOthers reports whether the last call fails since the attacker's contract refuses what it is called for, and does so for others, by whom it
// succeeds in accepted, where that contract does what is expected of it.
func (s *Scene) refusedOthers() (by int, at bytecode.Location, accepted evm.Sequence, ok bool) {
	last := len(s.Exec.Calls) - 1
	root := &s.Exec.Frames[s.Exec.Calls[last].Frames[0]]
	if s.Exec.Calls[last].Outcome == evm.Success || bytes.Contains(root.Input, attacker.Address[:]) {
		return by, at, nil, false
	}
	if code, ok := panicCode(root.Output); ok && code == panicOverflow { // it goes on where it is refused, and counts that in what is full
		return by, at, nil, false
	}
	by, at = s.refused(s.Exec)
	own, how := s.isOutsider(root.Caller), [4]byte{}
	if own {
		how[0] = 1
	}
	if by < 0 || !s.Attempt(at, how) {
		return by, at, nil, false
	}
	calls := s.Calls().Clone()
	if own { // what he does to himself is nothing, unless it is the same for others
		calls[last].From = s.insider()
		exec, err := s.Run(calls)
		if err != nil || exec.Calls[last].Outcome == evm.Success {
			return by, at, nil, false
		}
		if _, there := s.refused(exec); there != at {
			return by, at, nil, false
		}
	}
	for i := range calls {
		calls[i].Instructions = nil
	}
	exec, err := s.Run(calls)
	return by, at, calls, err == nil && exec.Calls[last].Outcome == evm.Success
}

// refused is the first frame of the project's code in the last call that the attacker's contract refuses something, and where; −1: there is none.
func (s *Scene) refused(exec *evm.Execution) (by int, at bytecode.Location) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if f := &exec.Frames[i]; f.CodeAddress != attacker.Address || f.Outcome == evm.Success {
			continue
		}
		if by, at := caller(exec, i); by >= 0 && s.isProjects(&exec.Frames[by]) {
			return by, at
		}
	}
	return -1, bytecode.Location{}
}

// insider is a sender that the World knows; the outsider where there is none.
func (s *Scene) insider() common.Address {
	for i := range s.World.Senders {
		if a := s.World.Senders[i].Address; !s.isOutsider(a) {
			return a
		}
	}
	return s.outsider()
}
