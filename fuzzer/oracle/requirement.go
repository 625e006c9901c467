package oracle

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Requirement sees calls between contracts of the project that the callee refuses (SWC-123; harvey §6): a frame of one contract calls
// another, which reverts by a check of its own. Either the check is too strict, or its caller breaks it.
//
// Calls that others put together, as those of a governor, a timelock or a wallet of several owners, say nothing of the contract that
// makes them: its code names no function then. Where a contract lacks the function that is called, it requires nothing.
//
// Known false positives: callers that pass on what their own callers gave them, and count on the callee to check it.
var Requirement = &Oracle{
	ID:       "requirement",
	Title:    "A contract breaks what another one requires",
	SWC:      "123",
	CWE:      "573",
	Severity: Note,
	Doc:      "A contract of the project calls a function of another one, which reverts, by a check of its own and no Panic. Calls that the calling code does not name are left out.",
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
		if !s.isProjects(by) || by.Self == f.Self || !isCalledByName(f, by) || s.passedOn(i) || ownPanic(s.Exec, i) && isPanic(f.Output) {
			continue
		}
		report(Observation{Call: f.Call, Location: decision(f), Contract: contractOf(f),
			Message: fmt.Sprintf("%s of %s refuses a call of %s", functionOf(f), nameOf(f), nameOf(by))})
	}
}

// isCalledByName reports whether a frame runs a function of its contract that the calling code itself has chosen: one with a selector, which that code
// names, or the receive function.
func isCalledByName(f, by *evm.Frame) bool {
	abi := &f.Program.Contract.ABI
	if len(f.Input) == 0 {
		return abi.HasReceive() || abi.HasFallback()
	}
	if len(f.Input) < 4 {
		return false
	}
	_, err := abi.MethodById(f.Input[:4])
	return (err == nil || abi.HasFallback()) && by.Program.Names([4]byte(f.Input))
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
