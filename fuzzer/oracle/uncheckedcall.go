package oracle

import (
	"fmt"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// UncheckedCall sees calls that fail without anything coming of it (SWC-104; harvey §6, mufuzz §III): ether is not
// sent, or a token answers false, no branch, return or storage depends on that, and in the same call what is kept for an account
// changes, as if the payment had been made.
//
// What the caller does not expect to be answered, as of the transferFrom of ERC-721, is none.
//
// The result may be looked at later: what counts is whether it is before the call ends. Of failed calls without ether, and of those that
// nothing is kept about, only an audit says a word (low).
//
// Known false positives: payments that are best effort, where what is kept is about something else.
var UncheckedCall = &Oracle{
	ID:       "unchecked-call",
	Title:    "A payment fails, and the books say that it was made",
	SWC:      "104",
	CWE:      "252",
	Severity: Medium,
	Doc:      "A call that sends ether fails, or a token's transfer, transferFrom or approve answers false, and nothing that follows depends on it; the call as a whole succeeds, and changes what is kept for an account.",
	Remedy:   "Require that the call succeeds, and use a library for tokens that checks what they answer (SafeERC20). Where a failure must not stop the others, keep what is still owed.",
	Examine:  examineUncheckedCall,
}

func examineUncheckedCall(s *Scene, report func(Observation)) {
	if !s.ignoresFailure() || s.Trace == nil || !s.Audit && !s.mayNotBePaid() {
		return
	}
	t := s.Trace()
	if t == nil {
		return
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		f, at, ok := s.judged(c.At)
		if !ok || c.Kind != evm.KindCall || c.Callee < 0 {
			continue
		}
		callee := &s.Exec.Frames[c.Callee]
		said, pays := s.ignored(c, callee)
		if said == "" {
			continue
		}
		severity := Low
		if pays && s.keepsBooks(c.Frame) {
			severity = Medium
		}
		if severity == Low && !s.Audit {
			continue
		}
		message := fmt.Sprintf("%s in %s, and nothing looks at that", said, functionOf(f))
		if severity == Medium {
			message += "; what is kept for an account changes all the same"
		}
		report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Severity: severity, Message: message})
	}
}

// ignoresFailure reports whether a frame that lasts has called something that failed, or a token that answered
// false: whether anything came of that takes a trace.
func (s *Scene) ignoresFailure() bool {
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if f.Parent < 0 || f.Kind != evm.KindCall || !lasts(s.Exec, f.Parent) || !s.isProjects(&s.Exec.Frames[f.Parent]) {
			continue
		}
		failed := f.Outcome != evm.Success || len(f.Output) == wordBytes && isPayment(selectorOf(f)) && new(uint256.Int).SetBytes(f.Output).IsZero()
		if failed && (s.New || s.Attempt(bytecode.Location{Code: s.Exec.Frames[f.Parent].Program.ID, PC: f.CallPC}, selectorOf(f))) {
			return true
		}
	}
	return false
}

// mayNotBePaid reports whether a payment failed in a frame to judge, with what is kept for an account changed all the same: where
// nothing looks at that, it is more than a word in an audit.
func (s *Scene) mayNotBePaid() bool {
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if f.Parent < 0 || !lasts(s.Exec, f.Parent) || !s.isProjects(&s.Exec.Frames[f.Parent]) {
			continue
		}
		failed := f.Outcome != evm.Success && (!f.Value.IsZero() || isPayment(selectorOf(f))) || len(f.Output) == wordBytes && isPayment(selectorOf(f))
		if failed && s.keepsBooks(f.Parent) {
			return true
		}
	}
	return false
}

// ignored says what of a call's result nothing looks at, and whether that is a payment; empty: nothing.
func (s *Scene) ignored(c *evm.TracedCall, callee *evm.Frame) (said string, pays bool) {
	if !c.Success {
		if c.SuccessUse.Decided() {
			return "", false
		}
		if !callee.Value.IsZero() {
			return "ether cannot be sent", true
		}
		return "a call fails", isPayment(selectorOf(callee))
	}
	if len(callee.Output) == wordBytes && c.Copied && isPayment(selectorOf(callee)) && new(uint256.Int).SetBytes(callee.Output).IsZero() && !c.AnswerUse.Decided() {
		return "a token answers false", true
	}
	return "", false
}

func isPayment(id [4]byte) bool { return id == transfer || id == transferFrom || id == approve }

// keepsBooks reports whether a frame, or one that it is part of, changes what is kept for an account.
func (s *Scene) keepsBooks(frame int) bool {
	before := map[uint256.Int]uint256.Int{}
	for at := frame; at >= 0; at = s.Exec.Frames[at].Parent {
		f := &s.Exec.Frames[at]
		for i := range f.Storage {
			access := &f.Storage[i]
			if !s.isByAccount(access) {
				continue
			}
			was, known := before[access.Slot]
			if access.Write && (!known || was != access.Value) {
				return true
			}
			before[access.Slot] = access.Value
		}
	}
	return false
}
