package oracle

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestRepeats: a call repeats the one before it if it is the same in all but the time before the first.
func TestRepeats(t *testing.T) {
	call := evm.Call{From: user, To: vault, Data: []byte{1, 2, 3, 4}}
	changed := func(change func(*evm.Call)) evm.Call { c := call; change(&c); return c }
	later := changed(func(c *evm.Call) { c.TimeAdvance = 5 })
	for name, c := range map[string]struct {
		calls evm.Sequence
		want  bool
	}{
		"once more":          {evm.Sequence{call, call}, true},
		"once more at once":  {evm.Sequence{later, call}, true},
		"the first":          {evm.Sequence{call}, false},
		"later":              {evm.Sequence{call, later}, false},
		"a block later":      {evm.Sequence{call, changed(func(c *evm.Call) { c.BlockAdvance = 1 })}, false},
		"by another":         {evm.Sequence{call, changed(func(c *evm.Call) { c.From = stranger })}, false},
		"of another":         {evm.Sequence{call, changed(func(c *evm.Call) { c.To = token })}, false},
		"with other numbers": {evm.Sequence{call, changed(func(c *evm.Call) { c.Data = []byte{1, 2, 3, 5} })}, false},
		"that pays":          {evm.Sequence{call, changed(func(c *evm.Call) { c.Value = number(1) })}, false},
	} {
		s := &Scene{Calls: func() evm.Sequence { return c.calls }}
		if got := s.repeats(len(c.calls) - 1); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestIsPaidAgain: repetitions pay more than all that was paid in.
func TestIsPaidAgain(t *testing.T) {
	attackers := common.Address{0xef}
	pay := evm.Call{From: attackers, To: vault, Data: []byte{1, 1, 1, 1}}
	take := evm.Call{From: attackers, To: vault, Data: []byte{2, 2, 2, 2}}
	for name, c := range map[string]struct {
		calls evm.Sequence
		has   []uint64 // what the attackers have behind so many calls
		want  bool
	}{
		"more than was paid":       {evm.Sequence{pay, take, take, take}, []uint64{100, 90, 100, 110, 120}, true},
		"as much as was paid":      {evm.Sequence{pay, take, take}, []uint64{100, 90, 100, 110}, false},
		"paid by the first alone":  {evm.Sequence{pay, take, take}, []uint64{100, 90, 300, 310}, false},
		"without a repetition":     {evm.Sequence{pay, take}, []uint64{100, 90, 300}, false},
		"nothing paid":             {evm.Sequence{take, take}, []uint64{100, 101, 102}, true},
		"what is paid in between":  {evm.Sequence{pay, take, pay, take, take}, []uint64{100, 50, 60, 10, 60, 110}, false},
		"repetitions that pay too": {evm.Sequence{take, take, take}, []uint64{100, 110, 100, 105}, false},
	} {
		runs := 0
		s := &Scene{
			Calls: func() evm.Sequence { return c.calls },
			Exec:  &evm.Execution{Calls: make([]evm.CallResult, len(c.calls))},
			World: &evm.World{Senders: []evm.Sender{{Address: attackers, Outsider: true}}},
			Run: func(calls evm.Sequence) (*evm.Execution, error) {
				runs = len(calls)
				return &evm.Execution{Calls: make([]evm.CallResult, len(calls))}, nil
			},
			State: func() *evm.World {
				return &evm.World{Accounts: map[common.Address]*evm.Account{attackers: {Balance: number(c.has[runs])}}}
			},
		}
		l := &lossAlone{Scene: s}
		if got := l.isPaidAgain(0); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
