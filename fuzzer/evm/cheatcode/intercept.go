package cheatcode

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Call is a call or a creation that a contract is about to make.
type Call struct {
	Depth    int            // of the frame that makes it; −1: it is the transaction
	By       common.Address // whose frame it is
	To       common.Address // whose code is to run; zero for creations
	Create   bool
	Create2  bool
	Delegate bool // it acts on the caller's state: DELEGATECALL and CALLCODE
	Static   bool // it is a STATICCALL
	Input    []byte
	Value    uint256.Int // wei
	Gas      uint64      // that it gets
}

// Plan says how a call is made.
type Plan struct {
	Sender common.Address  // who makes it
	Origin *common.Address // ORIGIN's answer meanwhile; nil: as before
	// Answer is returned without running the call; nil: the call is run.
	Answer *Answer
	// Counts: the sender's nonce goes up, as for a transaction.
	Counts bool
}

// Answer is the outcome of a call.
type Answer struct {
	Success bool
	Output  []byte
}

// Busy reports whether any call may have to be changed. While it is false, machines
// need not ask about calls.
func (s *State) Busy() bool {
	return len(s.Pranks) > 0 || s.Broadcast != nil || len(s.Mocks) > 0 || s.Revert != nil || len(s.Emits) > 0 ||
		len(s.Calls) > 0 || len(s.Creates) > 0 || len(s.Excused) > 0
}

// cheats reports whether a call is one of a cheatcode.
func (c *Call) cheats() bool { return !c.Create && (c.To == Address || c.To == Console) }

// Concerns reports whether a call's beginning and end matter: those of cheatcodes do
// where they are expected to fail.
func (s *State) Concerns(c *Call) bool {
	return !c.cheats() || s.Revert != nil && s.Revert.Cheat
}

// acting is the account that a call acts for.
func (c *Call) acting() common.Address {
	if c.Delegate {
		return c.By
	}
	return c.To
}

// prank finds the innermost prank that a frame of this depth may be under.
func (s *State) prank(depth int) *Prank {
	for i := len(s.Pranks) - 1; i >= 0; i-- {
		if s.Pranks[i].Depth <= depth {
			return &s.Pranks[i]
		}
	}
	return nil
}

// broadcast reports whether a call is one that a script sends.
func (s *State) broadcast(c *Call) bool {
	b := s.Broadcast
	return b != nil && b.Depth == c.Depth && b.By == c.By && !c.Delegate && !c.cheats()
}

// concerns reports whether a call is one of those that a prank, the innermost, may change.
func (p *Prank) concerns(c *Call) bool {
	return !c.cheats() && p.By == c.By && (!c.Delegate || p.Delegated)
}

// Sender is the sender of a call, and its transaction's sender; nil: as before.
func (s *State) Sender(c *Call) (common.Address, *common.Address) {
	if s.broadcast(c) {
		return s.Broadcast.Sender, s.Broadcast.Origin
	}
	p := s.prank(c.Depth)
	switch {
	case p == nil || !p.concerns(c):
		return c.By, nil
	case p.Depth == c.Depth:
		return p.Sender, p.Origin
	}
	return c.By, p.Origin
}

// Begin says how a call is made.
func (s *State) Begin(c *Call) Plan {
	plan := Plan{Sender: c.By}
	if c.cheats() {
		return plan
	}
	if s.Revert != nil && c.Depth >= s.Revert.Depth {
		s.Revert.deeper = true
	}
	s.count(c)
	if plan.Answer = s.mocked(c); plan.Answer != nil {
		return plan
	}
	plan.Sender, plan.Origin = s.Sender(c)
	if s.broadcast(c) {
		plan.Counts = !c.Create && !c.Static
		if s.Broadcast.Once && c.Static {
			text := "`staticcall`s are not allowed after `broadcast`; use `startBroadcast` instead"
			return Plan{Sender: c.By, Answer: &Answer{Output: failure(text)}}
		}
	} else if p := s.prank(c.Depth); p != nil && p.concerns(c) && (p.Depth == c.Depth || p.Origin != nil) {
		p.Used = true // in the test's own name, too
	}
	return plan
}

// mocked is the answer that vm.mockCall prepared for a call.
func (s *State) mocked(c *Call) *Answer {
	if c.Create {
		return nil
	}
	for i := range s.Mocks {
		m := &s.Mocks[i]
		if m.To != c.To || !bytes.HasPrefix(c.Input, m.Data) || m.Value != nil && *m.Value != c.Value {
			continue
		}
		if len(m.Answer) == 0 {
			return nil // Foundry makes the call then, whatever else is mocked
		}
		answer := &Answer{Success: !m.Revert, Output: m.Answer[0]}
		if len(m.Answer) > 1 {
			m.Answer = m.Answer[1:]
		}
		return answer
	}
	return nil
}

// dummyOutput is the result of a call that failed as expected: enough zeros for Solidity to
// decode whatever it expects (Foundry's own number).
var dummyOutput = make([]byte, 8192)

// End returns the outcome of a call as the caller sees it, and cleans up after the call. If
// it changes the outcome of a creation, the machine returns an address for it: 1 where it
// failed as expected, as in Foundry.
func (s *State) End(c *Call, got Answer) Answer {
	sender, _ := s.Sender(c)
	if !c.cheats() {
		s.Pranks = slices.DeleteFunc(s.Pranks, func(p Prank) bool { return p.Once && p.Depth == c.Depth })
		if b := s.Broadcast; b != nil && b.Once && b.Depth == c.Depth {
			s.Broadcast = nil
		}
		if s.excused(c, got) {
			return Answer{Output: Assume}
		}
	}
	if r := s.Revert; r != nil && !got.Success && !c.cheats() && r.by == nil {
		by := c.acting()
		r.by = &by
	}
	if r := s.Revert; r != nil && c.Depth <= r.Depth && r.Cheat == c.cheats() {
		return s.endRevert(c, got)
	}
	if c.cheats() {
		return got
	}
	if c.Create && got.Success {
		s.created(c, sender, got.Output)
	}
	if !c.Create && !c.Static && slices.ContainsFunc(s.Emits, func(e ExpectedEmit) bool { return e.Depth == c.Depth }) {
		got = s.endEmits(got)
	}
	if c.Depth < 0 && got.Success {
		if text := s.missing(); text != "" {
			return Answer{Output: failure(text)}
		}
	}
	return got
}

// endRevert compares the outcome of a call with the expectation.
func (s *State) endRevert(c *Call, got Answer) Answer {
	r := s.Revert
	s.Revert = nil
	if text := r.judge(c, got); text != "" {
		return Answer{Output: failure(text)}
	}
	if r.Left--; r.Left > 0 {
		r.by = nil
		s.Revert = r
	}
	if c.Create {
		return Answer{Success: true}
	}
	return Answer{Success: true, Output: dummyOutput}
}

// judge says how the outcome of a call differs from the expectation; empty: it does not.
func (r *ExpectedRevert) judge(c *Call, got Answer) string {
	switch {
	case !r.Cheat && !r.deeper:
		return "call didn't revert at a lower depth than cheatcode call depth"
	case r.Never:
		if got.Success || !r.Any && !r.matches(got.Output) {
			return ""
		}
		return "call reverted although it was expected not to"
	case got.Success && r.Cheat:
		return "next cheatcode call did not revert as expected"
	case got.Success:
		return "next call did not revert as expected"
	case r.Reverter != nil && r.by != nil && *r.by != *r.Reverter:
		return fmt.Sprintf("Reverter != expected reverter: %s != %s", r.by, r.Reverter)
	case r.Any:
		return ""
	case len(r.Reason) > 0 && len(got.Output) == 0:
		return "call reverted as expected, but without data"
	case r.matches(got.Output):
		return ""
	case c.cheats() && bytes.Contains(reasonText(got.Output), r.Reason):
		return ""
	}
	return fmt.Sprintf("Error != expected error: %s != %s", printable(reasonText(got.Output)), printable(reasonText(r.Reason)))
}

// matches reports whether what a call returned is the expected reason.
func (r *ExpectedRevert) matches(output []byte) bool {
	if r.Partial {
		return len(output) >= 4 && len(r.Reason) >= 4 && string(output[:4]) == string(r.Reason[:4])
	}
	return string(output) == string(r.Reason) || string(reasonText(output)) == string(r.Reason)
}
