package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// outsider is of whom nothing knows in Worlds that are made by hand.
var outsider = common.Address{0xee}

// worldOf is a World of a contract at vault, a user and the outsider, with his contract.
func worldOf(p *bytecode.Program) *evm.World {
	return &evm.World{
		Accounts:  map[common.Address]*evm.Account{vault: {Code: []byte{0}}, attacker.Address: {Code: []byte{0}}},
		Senders:   []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}, {Address: attacker.Address, Through: outsider}},
		Instances: []evm.Instance{{Name: "Vault", Address: vault, Contract: p.Contract}},
	}
}

// TestCallsThatTheInputChooses: a contract makes a call that the input chooses where its own code calls the attacker's contract with what an outsider
// passed, and that lasts.
func TestCallsThatTheInputChooses(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.CALL))
	said := []byte{1, 2, 3, 4}
	for name, c := range map[string]struct {
		change func(exec *evm.Execution)
		want   int
	}{
		"it does":                  {func(*evm.Execution) {}, 1},
		"of code without a source": {func(e *evm.Execution) { e.Frames[1].Program = &bytecode.Program{} }, 0},
		"of unknown code between":  {func(e *evm.Execution) { e.Frames[1].Program = nil }, 0},
		"in a new contract's name": {func(e *evm.Execution) { e.Frames[1].Self = stranger }, 0},
		"of the attacker himself": {func(e *evm.Execution) {
			e.Frames[0].CodeAddress, e.Frames[0].Self, e.Frames[0].Kind = attacker.Address, attacker.Address, evm.KindCall
			e.Frames[2].CodeAddress = token
		}, 0},
		"to another":               {func(e *evm.Execution) { e.Frames[2].CodeAddress = token }, 0},
		"by DELEGATECALL":          {func(e *evm.Execution) { e.Frames[2].Kind = evm.KindDelegateCall }, 0},
		"by STATICCALL":            {func(e *evm.Execution) { e.Frames[2].Kind = evm.KindStaticCall }, 0},
		"three bytes":              {func(e *evm.Execution) { e.Frames[2].Input = said[:3] }, 0},
		"other bytes":              {func(e *evm.Execution) { e.Frames[2].Input = []byte{4, 3, 2, 1} }, 0},
		"undone":                   {func(e *evm.Execution) { e.Frames[1].Outcome = evm.Reverted }, 0},
		"it fails":                 {func(e *evm.Execution) { e.Frames[2].Outcome = evm.Reverted }, 0},
		"for a user":               {func(e *evm.Execution) { e.Frames[0].Caller = user }, 0},
		"for the outsider himself": {func(e *evm.Execution) { e.Frames[0].Caller = outsider }, 1},
	} {
		exec := &evm.Execution{
			Frames: []evm.Frame{
				{Parent: -1, Caller: attacker.Address, Self: vault, CodeAddress: vault, Program: p, Input: append([]byte{9, 9, 9, 9, 0}, said...)},
				{Parent: 0, Depth: 1, Kind: evm.KindCall, Caller: vault, Self: vault, CodeAddress: vault, Program: p},
				{Parent: 1, Depth: 2, Kind: evm.KindCall, Caller: vault, Self: attacker.Address, CodeAddress: attacker.Address, Input: said},
			},
			Calls: []evm.CallResult{{Frames: [2]int{0, 3}}},
		}
		c.change(exec)
		s := &Scene{
			Exec: exec, World: worldOf(p), Audit: true,
			Calls:   func() evm.Sequence { return make(evm.Sequence, 1) },
			Run:     func(evm.Sequence) (*evm.Execution, error) { return nil, errors.New("no machine") },
			Attempt: func(bytecode.Location, [4]byte) bool { return true },
		}
		seen := 0
		examineArbitraryCall(s, func(o Observation) {
			if seen++; o.Severity != Low || o.Call != 0 || o.Contract != contractOf(&exec.Frames[1]) {
				t.Errorf("%s: %+v", name, o)
			}
		})
		if seen != c.want {
			t.Errorf("%s: %d are seen", name, seen)
		}
	}
}

// TestAssertions: an assertion fails in the frame that ends with its Panic or INVALID, or whose event lasts.
func TestAssertions(t *testing.T) {
	topic := func() common.Hash {
		for h := range assertionFailedTopics {
			return h
		}
		return common.Hash{}
	}()
	const declared = `[{"type":"event","name":"AssertionFailed","inputs":[{"name":"why","type":"bytes32","indexed":false}]},{"type":"event","name":"Other","inputs":[]}]`
	parsed, err := abi.JSON(strings.NewReader(declared))
	if err != nil {
		t.Fatal(err)
	}
	own, other := parsed.Events["AssertionFailed"].ID, parsed.Events["Other"].ID
	// 0: INVALID of an assert; 2: that of a check; 5: an opcode of no fork; then topics that the code has.
	_, p := contractOfCode(t, declared, slices.Concat(code(vm.INVALID, vm.STOP, vm.INVALID, vm.JUMPDEST, vm.DIV, vm.OpCode(0x0c)), code(topic[:], own[:], other[:])))
	_, without := contractOfCode(t, declared, code(vm.INVALID))
	log := func(topics ...common.Hash) []evm.Log { return []evm.Log{{PC: 7, Topics: topics}} }
	for name, c := range map[string]struct {
		frame evm.Frame
		call  evm.Outcome
		want  string
	}{
		"a Panic":                      {evm.Frame{Outcome: evm.Reverted, Output: panicData(1)}, evm.Reverted, "assert fails (Panic 0x01)"},
		"another Panic":                {evm.Frame{Outcome: evm.Reverted, Output: panicData(0x11)}, evm.Reverted, ""},
		"a Panic that is returned":     {evm.Frame{Output: panicData(1)}, evm.Success, ""},
		"INVALID":                      {evm.Frame{Outcome: evm.InvalidOpcode, LastPC: 0}, evm.InvalidOpcode, "assert fails (INVALID)"},
		"INVALID, caught":              {evm.Frame{Outcome: evm.InvalidOpcode, LastPC: 0}, evm.Success, "assert fails (INVALID)"},
		"INVALID of a check":           {evm.Frame{Outcome: evm.InvalidOpcode, LastPC: 2}, evm.InvalidOpcode, ""},
		"an opcode of no fork":         {evm.Frame{Outcome: evm.InvalidOpcode, LastPC: 5}, evm.InvalidOpcode, ""},
		"behind the code":              {evm.Frame{Outcome: evm.InvalidOpcode, LastPC: 9999}, evm.InvalidOpcode, ""},
		"no gas for INVALID":           {evm.Frame{Outcome: evm.OutOfGas, LastPC: 0}, evm.OutOfGas, ""},
		"an event":                     {evm.Frame{Logs: log(topic)}, evm.Success, "AssertionFailed is emitted"},
		"an event of its own":          {evm.Frame{Logs: log(own)}, evm.Success, "AssertionFailed is emitted"},
		"another event":                {evm.Frame{Logs: log(other)}, evm.Success, ""},
		"an unknown event":             {evm.Frame{Logs: log(common.Hash{1})}, evm.Success, ""},
		"no topic":                     {evm.Frame{Logs: log()}, evm.Success, ""},
		"as the second topic":          {evm.Frame{Logs: log(other, topic)}, evm.Success, ""},
		"an event of a call that ends": {evm.Frame{Logs: log(topic)}, evm.Reverted, ""},
		"an event that is undone":      {evm.Frame{Logs: log(topic), Outcome: evm.Reverted}, evm.Success, ""},
		"a topic that is passed":       {evm.Frame{Logs: log(topic), Program: without}, evm.Success, ""},
		"of unknown code":              {evm.Frame{Outcome: evm.Reverted, Output: panicData(1), Program: &bytecode.Program{}}, evm.Reverted, ""},
	} {
		if c.frame.Program == nil {
			c.frame.Program = p
		}
		c.frame.Parent = -1
		var got []string
		checkAssertion(&evm.Execution{Frames: []evm.Frame{c.frame}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}, Outcome: c.call}}}, func(o Observation) { got = append(got, o.Message) })
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// TestRefusals: a frame refuses what its caller asks where it reverts by a check of its own, not by one of a frame that it has called, whichever that is.
func TestRefusals(t *testing.T) {
	approve, missing := crypto.Keccak256([]byte("approve()"))[:4], []byte{1, 2, 3, 4}
	_, p := contractOfCode(t, `[{"type":"function","name":"approve","inputs":[]}]`, slices.Concat(code(vm.PUSH4), approve, code(vm.PUSH4), missing, code(vm.REVERT)))
	_, pays := contractOfCode(t, `[{"type":"receive","stateMutability":"payable"}]`, code(vm.REVERT))
	called := func(p *bytecode.Program, input []byte) evm.Frame {
		return evm.Frame{Depth: 1, Kind: evm.KindCall, Self: vault, Program: p, Input: input, Outcome: evm.Reverted}
	}
	refusal := func(parent, depth int, output string) evm.Frame {
		f := called(p, approve)
		f.Parent, f.Depth, f.Output = parent, depth, []byte(output)
		return f
	}
	asks := evm.Frame{Parent: -1, Self: token, Program: p, Outcome: evm.Reverted}
	succeeds := evm.Frame{Parent: 1, Depth: 2, Self: user, Output: []byte("no")}
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   int
	}{
		"a refusal":                      {[]evm.Frame{asks, refusal(0, 1, "no")}, 1},
		"without a word":                 {[]evm.Frame{asks, refusal(0, 1, "")}, 1},
		"of a callee":                    {[]evm.Frame{asks, refusal(0, 1, "no"), refusal(1, 2, "no")}, 0},
		"of a callee, another one":       {[]evm.Frame{asks, refusal(0, 1, "no"), refusal(1, 2, "why")}, 1},
		"of the second callee":           {[]evm.Frame{asks, refusal(0, 1, "no"), refusal(1, 2, "why"), refusal(1, 2, "no")}, 0},
		"of a callee's callee":           {[]evm.Frame{asks, refusal(0, 1, "no"), refusal(1, 2, "why"), refusal(2, 3, "no")}, 1},
		"of what is called later":        {[]evm.Frame{asks, refusal(0, 1, "no"), refusal(0, 1, "no")}, 2},
		"what a callee returned":         {[]evm.Frame{asks, refusal(0, 1, "no"), succeeds}, 1},
		"a callee that says nothing":     {[]evm.Frame{asks, refusal(0, 1, ""), refusal(1, 2, "")}, 1},
		"a Panic":                        {[]evm.Frame{asks, refusal(0, 1, string(panicData(0x11)))}, 0},
		"of the sender":                  {[]evm.Frame{{Parent: -1, Self: vault, Program: p, Outcome: evm.Reverted}}, 0},
		"of the contract itself":         {[]evm.Frame{{Parent: -1, Self: vault, Program: p}, refusal(0, 1, "no")}, 0},
		"to code that is not known":      {[]evm.Frame{{Parent: -1, Self: token}, refusal(0, 1, "no")}, 0},
		"to an account that is new":      {[]evm.Frame{{Parent: -1, Self: stranger, Program: p}, refusal(0, 1, "no")}, 0},
		"of one that is not the project": {[]evm.Frame{asks, {Parent: 0, Depth: 1, Kind: evm.KindCall, Self: vault, Outcome: evm.Reverted}}, 0},
		"by DELEGATECALL":                {[]evm.Frame{asks, {Parent: 0, Depth: 1, Kind: evm.KindDelegateCall, Self: vault, Program: p, Outcome: evm.Reverted}}, 0},
		"no such function":               {[]evm.Frame{asks, called(p, missing)}, 0},
		"one that the caller is told":    {[]evm.Frame{{Parent: -1, Self: token, Program: pays}, called(p, approve)}, 0},
		"a payment":                      {[]evm.Frame{asks, called(pays, nil)}, 1},
		"a payment to what takes none":   {[]evm.Frame{asks, called(p, nil)}, 0},
		"less than a selector":           {[]evm.Frame{asks, called(pays, approve[:3])}, 0},
		"no gas":                         {[]evm.Frame{asks, {Parent: 0, Depth: 1, Kind: evm.KindCall, Self: vault, Program: p, Outcome: evm.OutOfGas}}, 0},
	} {
		w := worldOf(p)
		w.Accounts[token] = &evm.Account{Code: []byte{0}}
		for i := range c.frames { // a frame that calls itself is no other contract
			if i > 1 && c.frames[i].Parent > 0 && c.frames[i].Program != nil && c.frames[i].Self == vault {
				c.frames[i].Self = stranger
			}
		}
		seen := 0
		examineRequirement(&Scene{Exec: &evm.Execution{Frames: c.frames, Calls: []evm.CallResult{{Frames: [2]int{0, len(c.frames)}}}}, World: w}, func(Observation) { seen++ })
		if seen != c.want {
			t.Errorf("%s: %d are seen, want %d", name, seen, c.want)
		}
	}
}

// TestGrows: a list grows for anyone if it is as long where the outsider makes the calls that made it longer, and shorter without the last of them. Of
// one that is so long that it is no coincidence, the second is not asked.
func TestGrows(t *testing.T) {
	b := number(3)
	through := func(n uint64) *evm.Execution {
		f := evm.Frame{Self: vault, Storage: []evm.StorageAccess{{Address: vault, Slot: b, Base: b, Value: number(n)}}}
		for i := range n {
			f.Storage = append(f.Storage, evm.StorageAccess{Address: vault, Base: b, Slot: *new(uint256.Int).AddUint64(elementsOf(&b), i)})
		}
		return &evm.Execution{Frames: []evm.Frame{{Self: user}, {Self: user}, f}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 2}}, {Frames: [2]int{2, 3}}}}
	}
	for name, c := range map[string]struct {
		count       uint64
		all, less   uint64 // how many are gone through, by three calls and by two
		fails       int    // the run that fails; 0: none
		reverts     bool
		runs        int
		want        bool
		elsewhere   bool // the last call of the outsider goes through another contract's
		lengthFirst uint64
	}{
		"it does":                      {count: 5, all: 5, less: 4, runs: 2, want: true},
		"not for him":                  {count: 5, all: 4, less: 3, runs: 1},
		"it is as long without":        {count: 5, all: 5, less: 5, runs: 2},
		"only one is left":             {count: 2, all: 2, less: 1, runs: 2, want: true},
		"none is left":                 {count: 2, all: 2, less: 0, runs: 2, want: true},
		"so long that it is certain":   {count: certainLength, all: certainLength, less: certainLength, runs: 1, want: true},
		"not quite":                    {count: certainLength - 1, all: certainLength - 1, less: certainLength - 1, runs: 2},
		"as long as it may be":         {count: mostLength, all: mostLength, less: 2, runs: 1, want: true},
		"the machine fails":            {count: 5, all: 5, less: 4, fails: 1, runs: 1},
		"the machine fails the second": {count: 5, all: 5, less: 4, fails: 2, runs: 2},
		"the call fails":               {count: 5, all: 5, less: 4, reverts: true, runs: 1},
		"of another contract":          {count: 5, all: 5, less: 4, elsewhere: true, runs: 1},
	} {
		calls := evm.Sequence{{From: user, To: vault}, {From: user, To: vault, Data: []byte{1}}, {From: stranger, To: vault, Data: []byte{2}}}
		runs := 0
		s := &Scene{World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}}, Calls: func() evm.Sequence { return calls }}
		s.Run = func(tried evm.Sequence) (*evm.Execution, error) {
			runs++
			if runs == c.fails {
				return nil, errors.New("no machine")
			}
			if tried[0].From != user || runs == 1 && (len(tried) != 3 || tried[1].From != outsider || tried[2].From != stranger) || runs == 2 && (len(tried) != 2 || tried[1].From != stranger) {
				t.Errorf("%s: run %d is of %+v", name, runs, tried)
			}
			exec := through(c.all)
			if runs == 2 {
				exec = through(c.less)
				exec.Frames, exec.Calls = exec.Frames[1:], []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 2}}}
			}
			if last := &exec.Frames[len(exec.Frames)-1]; c.elsewhere {
				last.Self = token
			}
			if c.reverts {
				exec.Calls[len(tried)-1].Outcome = evm.Reverted
			}
			return exec, nil
		}
		if got := s.growsFor(&extent{vault, b, b, c.count}, []int{1}); got != c.want || runs != c.runs {
			t.Errorf("%s: %t after %d runs, want %t after %d", name, got, runs, c.want, c.runs)
		}
		if calls[1].From != user || len(calls) != 3 {
			t.Errorf("%s: the calls are changed", name)
		}
	}
}

// TestExtends: the calls that made a list longer are those that succeed, last, and write its length: none that is zero, or more than there are.
func TestExtends(t *testing.T) {
	e := &extent{account: vault, length: number(3), base: number(3), count: 4}
	length := func(n uint64) evm.StorageAccess {
		return evm.StorageAccess{Address: vault, Write: true, Slot: number(3), Value: number(n)}
	}
	elsewhere, read, wide := length(2), length(2), length(2)
	elsewhere.Address, read.Write, wide.Value = token, false, uint256.Int{2, 1}
	for name, c := range map[string]struct {
		access  evm.StorageAccess
		frame   evm.Outcome
		outcome evm.Outcome
		want    bool
	}{
		"longer":                    {length(2), evm.Success, evm.Success, true},
		"to what it is":             {length(4), evm.Success, evm.Success, true},
		"to more":                   {length(5), evm.Success, evm.Success, false},
		"to nothing":                {length(0), evm.Success, evm.Success, false},
		"to a number without bound": {wide, evm.Success, evm.Success, false},
		"of another contract":       {elsewhere, evm.Success, evm.Success, false},
		"it reads":                  {read, evm.Success, evm.Success, false},
		"another word":              {evm.StorageAccess{Address: vault, Write: true, Slot: number(2), Value: number(2)}, evm.Success, evm.Success, false},
		"undone":                    {length(2), evm.Reverted, evm.Success, false},
		"in a call that fails":      {length(2), evm.Success, evm.Reverted, false},
	} {
		f := evm.Frame{Parent: -1, Storage: []evm.StorageAccess{c.access, c.access}, Outcome: c.frame}
		nothing := evm.Frame{Parent: -1}
		s := &Scene{Exec: &evm.Execution{
			Frames: []evm.Frame{nothing, f, f, nothing, f},
			Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 3}, Outcome: c.outcome}, {Frames: [2]int{3, 4}}, {Frames: [2]int{4, 5}}},
		}}
		var want []int
		if c.want {
			want = []int{1}
		}
		if got := s.extends(e, 3); !slices.Equal(got, want) { // the last call is not before itself
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestTurnsOut: what accounts have before a call and after it is compared; where the machine fails, nothing turns out, neither that they lose
// nothing.
func TestTurnsOut(t *testing.T) {
	for name, c := range map[string]struct {
		now, fails              int
		lost, nothing, gainedIt bool
	}{
		"the same":                {5, 0, false, true, false},
		"more":                    {6, 0, false, true, true},
		"less":                    {4, 0, true, false, false},
		"the machine fails":       {6, 1, false, false, false},
		"the machine fails again": {6, 2, false, false, false},
	} {
		for _, how := range []struct {
			is   func(before, now []uint256.Int) bool
			want bool
		}{{lost, c.lost}, {lostNothing, c.nothing}, {gained, c.gainedIt}} {
			runs := 0
			s := &Scene{World: &evm.World{}}
			s.Run = func(calls evm.Sequence) (*evm.Execution, error) {
				if runs++; runs == c.fails {
					return nil, errors.New("no machine")
				}
				if len(calls) != 1+runs || calls[0].To != vault || runs == 2 && calls[2].To != token {
					t.Errorf("%s: run %d is of %+v", name, runs, calls)
				}
				return &evm.Execution{Calls: []evm.CallResult{{Outcome: evm.Reverted}}}, nil
			}
			s.State = func() *evm.World {
				has := map[int]uint64{1: 5, 2: uint64(c.now)}[runs]
				return &evm.World{Accounts: map[common.Address]*evm.Account{user: {Balance: number(has)}}}
			}
			if got := s.turnsOut([]common.Address{user, stranger}, evm.Sequence{{To: vault}, {To: vault}}, evm.Call{To: token}, how.is); got != how.want {
				t.Errorf("%s: %t, want %t", name, got, how.want)
			}
		}
	}
}

// TestMomentary: what a view says is momentary if it says so neither before the call that it is in the middle of, nor behind it, nor where the calls
// that the attacker's contract made in its middle come behind it, or without it.
func TestMomentary(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.STOP))
	script := attacker.AppendInstructions(nil, []attacker.Answer{{Calls: []attacker.Call{{To: token, Data: []byte{8}}}}})
	first, whole := evm.Call{From: user, To: vault, Data: []byte{6}}, evm.Call{From: attacker.Address, To: vault, Data: []byte{7}, Instructions: script}
	word := func(n byte) string { return string(common.LeftPadBytes([]byte{n}, wordBytes)) }
	same := func(n byte) map[string]string {
		return map[string]string{"first": word(n), "first, whole": word(n), "first, plain": word(n), "first, plain, other": word(n), "first, other": word(n)}
	}
	check := func(name string, answers map[string]string, view byte, fails int, want bool) {
		t.Helper()
		runs := 0
		f := &evm.Frame{Call: 1, Caller: token, Self: vault, Input: []byte{1, 2, 3, 4}, Output: []byte(word(view))}
		s := &Scene{
			Exec: &evm.Execution{
				Frames: []evm.Frame{
					{Parent: -1}, {Parent: -1, Call: 1, Caller: attacker.Address, Self: vault, Program: p},
					{Parent: 1, Depth: 1, Call: 1, Caller: vault, Self: attacker.Address, CodeAddress: attacker.Address},
					{Parent: 2, Depth: 2, Call: 1, Kind: evm.KindCall, Caller: attacker.Address, Self: token, CodeAddress: token, Input: []byte{8}},
				},
				Calls: []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 4}}},
			},
			World: worldOf(p),
			Calls: func() evm.Sequence { return evm.Sequence{first, whole} },
		}
		s.Run = func(calls evm.Sequence) (*evm.Execution, error) {
			if runs++; runs == fails {
				return nil, errors.New("no machine")
			}
			last := len(calls) - 1
			if question := calls[last]; question.From != token || question.To != vault || !bytes.Equal(question.Data, f.Input) {
				t.Errorf("%s: run %d asks %+v", name, runs, question)
			}
			var made []string
			for _, c := range calls[:last] {
				switch {
				case bytes.Equal(c.Data, first.Data):
					made = append(made, "first")
				case bytes.Equal(c.Data, whole.Data) && slices.Equal(c.Instructions, script):
					made = append(made, "whole")
				case bytes.Equal(c.Data, whole.Data) && slices.Equal(c.Instructions, attacker.WithoutCalls(script)):
					made = append(made, "plain")
				case c.To == token && bytes.Equal(c.Data, []byte{8}):
					made = append(made, "other")
				}
			}
			output, ok := answers[strings.Join(made, ", ")]
			if !ok {
				t.Errorf("%s: run %d is behind %v", name, runs, made)
			}
			exec := &evm.Execution{Calls: make([]evm.CallResult, len(calls))}
			exec.Calls[last].Output = []byte(output)
			return exec, nil
		}
		if got := s.isMomentary(f); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	check("it is", same(5), 9, 0, true)
	for made := range same(5) {
		answers := same(5)
		answers[made] = word(9)
		check("it says so behind "+made, answers, 9, 0, false)
		answers[made] = word(8)
		check("it says something else behind "+made, answers, 9, 0, true)
	}
	for run := range 6 {
		check(fmt.Sprintf("run %d fails", run+1), same(5), 9, run+1, false)
	}
	check("whether a call is under way", same(0), 1, 0, false)
	check("whether none is", same(1), 0, 0, false)
	check("a number that was a flag", same(0), 2, 0, true)
	check("a flag that was a number", same(2), 1, 0, true)
	turned := same(0)
	turned["first, whole"] = word(2)
	check("a flag that turns into a number", turned, 1, 0, true)
}

// TestTakenOver: a view of who is in charge names an outsider behind the attack, and did not before, and that costs him nothing.
func TestTakenOver(t *testing.T) {
	const views = `[{"type":"function","name":"owner","inputs":[],"outputs":[{"type":"address"}],"stateMutability":"view"}]`
	none := common.Address{}
	for name, c := range map[string]struct {
		interfaces    string
		before, after common.Address
		slot          uint64 // that the view reads
		paid          uint64
		audit         bool
		fails         int
		want          Severity // Note: nothing is seen
	}{
		"it does":                     {views, user, outsider, 1, 0, false, 0, Critical},
		"his contract":                {views, user, attacker.Address, 1, 0, false, 0, Critical},
		"it names another":            {views, user, stranger, 1, 0, false, 0, Note},
		"it named him before":         {views, outsider, outsider, 1, 0, false, 0, Note},
		"it names whom it did":        {views, user, user, 1, 0, false, 0, Note},
		"it named none":               {views, none, outsider, 1, 0, false, 0, Note},
		"it named none, in audits":    {views, none, outsider, 1, 0, true, 0, Low},
		"it reads another word":       {views, user, outsider, 2, 0, false, 0, Note},
		"he pays for it":              {views, user, outsider, 1, 1, false, 0, Note},
		"the machine fails":           {views, user, outsider, 1, 0, false, 1, Note},
		"the machine fails, 2":        {views, user, outsider, 1, 0, false, 2, Note},
		"the machine fails, 3":        {views, user, outsider, 1, 0, false, 3, Note},
		"the machine fails, 4":        {views, user, outsider, 1, 0, false, 4, Note},
		"the machine fails, 5":        {views, user, outsider, 1, 0, false, 5, Note},
		"a view of something else":    {strings.Replace(views, "owner", "oracle", 1), user, outsider, 1, 0, false, 0, Note},
		"a view of one to come":       {strings.Replace(views, "owner", "pendingOwner", 1), user, outsider, 1, 0, false, 0, Note},
		"a function that is no view":  {strings.Replace(views, `"view"`, `"nonpayable"`, 1), user, outsider, 1, 0, false, 0, Note},
		"a view of a number":          {strings.Replace(views, `"outputs":[{"type":"address"`, `"outputs":[{"type":"uint256"`, 1), user, outsider, 1, 0, false, 0, Note},
		"a view that is told of whom": {strings.Replace(views, `"inputs":[]`, `"inputs":[{"type":"uint256"}]`, 1), user, outsider, 1, 0, false, 0, Note},
	} {
		_, p := contractOfCode(t, c.interfaces, code(vm.SSTORE))
		access := evm.StorageAccess{Address: vault, Write: true, Slot: number(1), Base: number(1), Value: accountWord(c.after)}
		s := &Scene{
			Exec:    &evm.Execution{Frames: []evm.Frame{{Parent: -1, Self: vault, Program: p, Storage: []evm.StorageAccess{access}}}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}},
			World:   worldOf(p),
			Audit:   c.audit,
			Calls:   func() evm.Sequence { return evm.Sequence{{From: outsider, To: vault}} },
			Attempt: func(bytecode.Location, [4]byte) bool { return true },
		}
		runs, attacked := 0, false
		s.Run = func(calls evm.Sequence) (*evm.Execution, error) {
			if runs++; runs == c.fails {
				return nil, errors.New("no machine")
			}
			attacked = len(calls) > 0 && calls[0].From == outsider
			exec := &evm.Execution{Calls: make([]evm.CallResult, len(calls))}
			for i := range calls {
				exec.Frames = append(exec.Frames, evm.Frame{Parent: -1, Call: i})
				exec.Calls[i].Frames = [2]int{i, i + 1}
			}
			if n := len(calls); n > 0 && calls[n-1].From == user {
				names := c.before
				if attacked {
					names = c.after
				}
				exec.Calls[n-1].Output = common.LeftPadBytes(names[:], wordBytes)
				exec.Frames[n-1].Storage = []evm.StorageAccess{{Address: vault, Slot: number(c.slot)}}
			}
			return exec, nil
		}
		s.State = func() *evm.World {
			has := uint64(5)
			if attacked {
				has -= c.paid
			}
			return &evm.World{Accounts: map[common.Address]*evm.Account{outsider: {Balance: number(has)}}}
		}
		got := Note
		seen := s.takenOver(0, 0, &access, func(o Observation) { got = o.Severity })
		if got != c.want || seen != (c.want != Note) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
