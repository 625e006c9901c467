package oracle

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Requirement sees calls between contracts of the project that the callee refuses (SWC-123; harvey §6): a frame of one contract calls
// another, which reverts by a check of its own. Either the check is too strict, or its caller breaks it.
//
// Known false positives: callers that pass on what their own callers gave them, and count on the callee to check it.
var Requirement = &Oracle{
	ID:       "requirement",
	Title:    "A contract breaks what another one requires",
	SWC:      "123",
	CWE:      "573",
	Severity: Note,
	Doc:      "A contract of the project calls another one, which reverts, by a check of its own and no Panic.",
	Remedy:   "Check what the callee requires before calling it, or require less there.",
	Examine:  examineRequirement,
}

func examineRequirement(s *Scene, report func(Observation)) {
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if f.Parent < 0 || f.Outcome != evm.Reverted || !s.isProjects(f) || f.Kind == evm.KindDelegateCall {
			continue
		}
		by := &s.Exec.Frames[f.Parent]
		if !s.isProjects(by) || by.Self == f.Self || s.passedOn(i) || ownPanic(s.Exec, i) && isPanic(f.Output) {
			continue
		}
		report(Observation{Call: f.Call, Location: decision(f), Contract: contractOf(f),
			Message: fmt.Sprintf("%s of %s refuses a call of %s", functionOf(f), nameOf(f), nameOf(by))})
	}
}

// passedOn reports whether a frame failed with what one that it called failed with.
func (s *Scene) passedOn(frame int) bool {
	f := &s.Exec.Frames[frame]
	for i := frame + 1; i < len(s.Exec.Frames) && s.Exec.Frames[i].Depth > f.Depth; i++ {
		if g := &s.Exec.Frames[i]; g.Parent == frame && g.Outcome != evm.Success && len(g.Output) > 0 && string(g.Output) == string(f.Output) {
			return true
		}
	}
	return false
}

func isPanic(output []byte) bool {
	_, ok := panicCode(output)
	return ok
}
