package cheatcode

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// Emitted takes an event into account, in the order in which they are emitted.
func (s *State) Emitted(e Event) {
	if s.Listening && len(s.Events) < maxEvents && s.keep(e.Data) {
		s.Events = append(s.Events, *e.clone())
	}
	if len(s.Emits) > 0 {
		s.expectedEvent(e)
	}
}

// clone is a copy that the machine does not overwrite.
func (e *Event) clone() *Event {
	return &Event{append([]common.Hash(nil), e.Topics...), append([]byte(nil), e.Data...), e.Emitter}
}

// Watches reports whether any cheatcode needs to see events.
func (s *State) Watches() bool { return s.Listening || len(s.Emits) > 0 }

// maxEvents and maxAccesses bound what is recorded for contracts; maxExpected what
// they may expect. All are arbitrary.
const (
	maxEvents   = 1 << 12
	maxAccesses = 1 << 14
	maxExpected = 1 << 8
)

// expectedEvent makes the event the template of the oldest expectation without one, or else
// checks it against the first that has not seen its own. Expectations are met in their
// order: those that were met move to the end of the queue, as in Foundry.
func (s *State) expectedEvent(e Event) {
	known := func(x ExpectedEmit) bool { return x.Event != nil }
	if at := slices.IndexFunc(s.Emits, func(x ExpectedEmit) bool { return !known(x) }); at >= 0 {
		if (len(e.Topics) > 0 || s.Emits[at].Nameless) && s.keep(e.Data) {
			s.Emits[at].Event = e.clone()
		}
		return
	}
	first := true // of those that are waiting
	for i := range s.Emits {
		x := &s.Emits[i]
		if x.Times > 0 && (x.found() || !first) {
			continue
		}
		first = first && x.Times == 0
		if x.matches(&e) {
			x.Seen++
		}
	}
}

// matches reports whether an event is the expected one, in the parts that count.
func (x *ExpectedEmit) matches(e *Event) bool {
	if len(e.Topics) != len(x.Event.Topics) || x.Emitter != nil && *x.Emitter != e.Emitter {
		return false
	}
	for i := range e.Topics {
		if x.Checked[i] && e.Topics[i] != x.Event.Topics[i] {
			return false
		}
	}
	return !x.Checked[4] || bytes.Equal(e.Data, x.Event.Data)
}

// endEmits checks a call that ends against the events that it had to emit. Events that
// were not emitted stay expected.
func (s *State) endEmits(got Answer) Answer {
	if !got.Success {
		return got
	}
	for i := range s.Emits {
		x := &s.Emits[i]
		switch {
		case x.Times == 0 && x.Seen > 0:
			return Answer{Output: bare("log emitted but expected 0 times")}
		case x.Times > 1 && !x.found():
			return Answer{Output: bare(fmt.Sprintf("log emitted %d times, expected %d", x.Seen, x.Times))}
		case x.Times > 0 && !x.found():
			return Answer{Output: bare("log != expected log")}
		}
	}
	s.Emits = nil
	return got
}

// count takes a call into account where calls are expected.
func (s *State) count(c *Call) {
	if c.Create {
		return
	}
	for i := range s.Calls {
		x := &s.Calls[i]
		if x.To == c.To && bytes.HasPrefix(c.Input, x.Data) && (x.Value == nil || *x.Value == c.Value) &&
			(x.Gas == nil || *x.Gas == c.Gas) && (x.LeastGas == nil || *x.LeastGas <= c.Gas) {
			x.Seen++
		}
	}
}

// created takes a contract into account where one is expected.
func (s *State) created(c *Call, sender common.Address, code []byte) {
	at := slices.IndexFunc(s.Creates, func(x ExpectedCreate) bool {
		return x.By == sender && x.Create2 == c.Create2 && bytes.Equal(x.Code, code)
	})
	if at >= 0 {
		s.Creates = slices.Delete(s.Creates, at, at+1)
	}
}

// missing describes the first expectation that a transaction did not meet by its end; empty:
// it met all. Expectations do not carry over to the next one.
func (s *State) missing() string {
	defer func() { s.Calls, s.Creates, s.Emits, s.Excused = nil, nil, nil, nil }()
	for i := range s.Calls {
		x := &s.Calls[i]
		if x.Counted && x.Seen != x.Times || x.Seen < x.Times {
			return fmt.Sprintf("expected call to %s with data 0x%x to be called %s, but was called %s", x.To, x.Data, times(x.Times), times(x.Seen))
		}
	}
	if len(s.Creates) > 0 {
		return fmt.Sprintf("expected creation by %s of a contract with %d bytes of code, but there was none", s.Creates[0].By, len(s.Creates[0].Code))
	}
	for i := range s.Emits {
		if x := &s.Emits[i]; x.Times > 0 && !x.found() {
			return "expected an emit, but no logs were emitted afterwards. you might have mismatched events or not enough events were emitted"
		}
	}
	return ""
}

func times(n uint64) string {
	if n == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", n)
}

// excused reports whether the failure of a call is one that ends the run without failing
// the test. Only the next call is asked about; creations are not.
func (s *State) excused(c *Call, got Answer) bool {
	if len(s.Excused) == 0 || c.Create {
		return false
	}
	if !got.Success && s.excusedBy == nil {
		by := c.acting()
		s.excusedBy = &by
	}
	if c.Depth > s.Excused[0].Depth {
		return false
	}
	excuses, by := s.Excused, s.excusedBy
	s.Excused, s.excusedBy = nil, nil
	return !got.Success && slices.ContainsFunc(excuses, func(x Excuse) bool {
		if x.Any {
			return true
		}
		if (x.Reverter != common.Address{}) && x.Reverter != *by {
			return false
		}
		r := ExpectedRevert{Partial: x.Partial, Reason: x.Reason}
		return len(x.Reason) == 0 || r.matches(got.Output)
	})
}
