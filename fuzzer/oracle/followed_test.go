package oracle

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestWraps: an operation that goes beyond its type is reported where it is in code to judge, nothing checks it, and it is no sum of signed numbers.
func TestWraps(t *testing.T) {
	const numbers = `[{"type":"function","name":"f","inputs":[{"type":"uint256"}]},{"type":"function","name":"g","inputs":[{"type":"int256"}]},{"type":"function","name":"h","inputs":[{"type":"uint256"},{"type":"int8"}]}]`
	_, p := contractOfCode(t, numbers, code(vm.ADD))
	negative := *new(uint256.Int).SubUint64(new(uint256.Int), 3)
	passed := func(function string) []byte {
		word := negative.Bytes32()
		return append(bytes.Clone(p.Contract.ABI.Methods[function].ID), word[:]...)
	}
	fromInput := evm.Taint{Sources: evm.FromCalldata}
	signed := func(left, right uint256.Int, leftTaint, rightTaint evm.Taint) evm.Wrap {
		return evm.Wrap{Doubt: evm.MaybeSigned, Left: left, Right: right, LeftTaint: leftTaint, RightTaint: rightTaint}
	}
	for name, c := range map[string]struct {
		wrap  evm.Wrap
		input []byte
		want  bool
	}{
		"it is kept":                     {evm.Wrap{}, passed("f"), true},
		"it is checked":                  {evm.Wrap{Checked: true}, passed("f"), false},
		"it is lost sight of":            {evm.Wrap{Lost: true}, passed("f"), false},
		"it is used as a signed number":  {evm.Wrap{Doubt: evm.UsedSigned}, passed("f"), false},
		"in a frame that is undone":      {evm.Wrap{At: evm.At{Frame: 1}}, passed("f"), false},
		"in no frame":                    {evm.Wrap{At: evm.At{Frame: 9}}, passed("f"), false},
		"of what is passed":              {signed(negative, number(5), fromInput, evm.Taint{}), passed("f"), true},
		"of what is passed, second":      {signed(number(5), negative, evm.Taint{}, fromInput), passed("f"), true},
		"of small numbers":               {signed(number(5), number(6), evm.Taint{}, evm.Taint{}), passed("f"), true},
		"of what is passed with a sign":  {signed(negative, number(5), fromInput, evm.Taint{}), passed("g"), false},
		"of what may have one":           {signed(negative, number(5), fromInput, evm.Taint{}), passed("h"), false},
		"of what is not passed":          {signed(negative, number(5), evm.Taint{}, evm.Taint{}), passed("f"), false},
		"of what was computed of that":   {signed(negative, number(5), fromInput, evm.Taint{}), passed("f")[:4], false},
		"of what an unknown call passes": {signed(negative, number(5), fromInput, evm.Taint{}), append([]byte{9, 9, 9, 9}, passed("f")[4:]...), false},
	} {
		c.wrap.Op = byte(vm.ADD)
		c.wrap.Sinks = []evm.Sink{{Kind: evm.SinkStore, Access: 0}}
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}}}, Audit: true, New: true,
			Exec: &evm.Execution{
				Frames: []evm.Frame{{Parent: -1, Self: vault, Program: p, Input: c.input, Storage: []evm.StorageAccess{{Write: true}}}, {Parent: 0, Self: vault, Program: p, Outcome: evm.Reverted}},
				Calls:  []evm.CallResult{{Frames: [2]int{0, 2}}},
			},
			Trace: func() *evm.Trace { return &evm.Trace{Wraps: []evm.Wrap{c.wrap}} },
		}
		seen := false
		examineArithmetic(s, func(Observation) { seen = true })
		if seen != c.want {
			t.Errorf("%s: seen %t", name, seen)
		}
	}
}

// TestPaysAll: a statement pays several accounts and fails as a whole where it pays, by plain CALLs that it requires to succeed, accounts that storage
// names, and more than one.
func TestPaysAll(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.CALL, 9, vm.JUMPI, 0, 0, vm.REVERT, vm.JUMPDEST, 9, vm.JUMPI, vm.SSTORE)) // jumps at 3 and 12
	pays := func(callee int) evm.TracedCall {
		return evm.TracedCall{
			At: evm.At{Frame: 0, PC: 0}, Kind: evm.KindCall, Callee: callee, Success: true, Address: evm.Taint{Sources: evm.FromStorage},
			SuccessUse: evm.Use{Kind: evm.UseBranch, At: evm.At{Frame: 0, PC: 3}},
		}
	}
	for name, c := range map[string]struct {
		change func(second *evm.TracedCall, exec *evm.Execution)
		want   int
	}{
		"it does":                      {func(*evm.TracedCall, *evm.Execution) {}, 1},
		"the same one":                 {func(second *evm.TracedCall, _ *evm.Execution) { second.Callee = 1 }, 0},
		"one that input names":         {func(second *evm.TracedCall, _ *evm.Execution) { second.Address.Sources |= evm.FromCalldata }, 0},
		"one that code names":          {func(second *evm.TracedCall, _ *evm.Execution) { second.Address.Sources = 0 }, 0},
		"it fails":                     {func(second *evm.TracedCall, _ *evm.Execution) { second.Success = false }, 0},
		"nothing requires it":          {func(second *evm.TracedCall, _ *evm.Execution) { second.SuccessUse.Kind = evm.UseStore }, 0},
		"another frame requires it":    {func(second *evm.TracedCall, _ *evm.Execution) { second.SuccessUse.Frame = 1 }, 0},
		"it goes on either way":        {func(second *evm.TracedCall, _ *evm.Execution) { second.SuccessUse.PC = 12 }, 0},
		"another statement":            {func(second *evm.TracedCall, _ *evm.Execution) { second.PC = 1 }, 0},
		"by DELEGATECALL":              {func(second *evm.TracedCall, _ *evm.Execution) { second.Kind = evm.KindDelegateCall }, 0},
		"a frame that is not kept":     {func(second *evm.TracedCall, _ *evm.Execution) { second.Callee = -1 }, 0},
		"a call with data":             {func(_ *evm.TracedCall, exec *evm.Execution) { exec.Frames[2].Input = []byte{1} }, 0},
		"in a frame that is undone":    {func(_ *evm.TracedCall, exec *evm.Execution) { exec.Frames[0].Outcome = evm.Reverted }, 0},
		"in code that is not to judge": {func(_ *evm.TracedCall, exec *evm.Execution) { exec.Frames[0].Self = stranger }, 0},
	} {
		second := pays(2)
		exec := &evm.Execution{Frames: []evm.Frame{{Parent: -1, Self: vault, Program: p}, {Parent: 0, Self: user}, {Parent: 0, Self: stranger}, {Parent: 0, Self: token}}, Calls: []evm.CallResult{{Frames: [2]int{0, 4}}}}
		c.change(&second, exec)
		calls := []evm.TracedCall{pays(1), second}
		if c.want > 0 {
			calls = append(calls, pays(3)) // a third makes no other
		}
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}}}, New: true, Exec: exec,
			Trace: func() *evm.Trace { return &evm.Trace{Calls: calls} },
		}
		seen := 0
		examinePaysAll(s, func(Observation) { seen++ })
		if seen != c.want {
			t.Errorf("%s: %d are seen, want %d", name, seen, c.want)
		}
	}
}

// TestRefusedCalls: another's call fails through the attacker's contract where it fails as it refuses something, also when another account makes it, and
// succeeds where the contract does not.
func TestRefusedCalls(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.CALL))
	exec := func(outcome evm.Outcome, at uint32) *evm.Execution {
		return &evm.Execution{
			Frames: []evm.Frame{
				{Parent: -1, Self: vault, Program: p, Outcome: outcome},
				{Parent: 0, Depth: 1, CodeAddress: token, Outcome: evm.Reverted},
				{Parent: 0, Depth: 1, CodeAddress: attacker.Address},
				{Parent: 0, Depth: 1, CodeAddress: attacker.Address, Outcome: evm.Reverted, CallPC: at},
			},
			Calls: []evm.CallResult{{Frames: [2]int{0, 4}, Outcome: outcome}},
		}
	}
	for name, c := range map[string]struct {
		caller common.Address
		input  []byte
		output []byte
		runs   []*evm.Execution // what comes of further runs; nil: the machine fails
		want   bool
	}{
		"a user's call":                     {user, nil, nil, []*evm.Execution{exec(evm.Success, 0)}, true},
		"it fails without it":               {user, nil, nil, []*evm.Execution{exec(evm.Reverted, 0)}, false},
		"the machine fails":                 {user, nil, nil, []*evm.Execution{nil}, false},
		"the attacker is named":             {user, attacker.Address[:], nil, nil, false},
		"it overflows":                      {user, nil, panicData(0x11), nil, false},
		"another Panic":                     {user, nil, panicData(0x12), []*evm.Execution{exec(evm.Success, 0)}, true},
		"his own, and another's":            {outsider, nil, nil, []*evm.Execution{exec(evm.Reverted, 7), exec(evm.Success, 0)}, true},
		"his own, not another's":            {outsider, nil, nil, []*evm.Execution{exec(evm.Success, 7)}, false},
		"his own, and another's elsewhere":  {outsider, nil, nil, []*evm.Execution{exec(evm.Reverted, 8)}, false},
		"his own, and the machine fails":    {outsider, nil, nil, []*evm.Execution{nil}, false},
		"his own, and the machine fails, 2": {outsider, nil, nil, []*evm.Execution{exec(evm.Reverted, 7), nil}, false},
	} {
		first := exec(evm.Reverted, 7)
		first.Frames[0].Caller, first.Frames[0].Input, first.Frames[0].Output = c.caller, c.input, c.output
		script := attacker.AppendInstructions(nil, []attacker.Answer{{End: attacker.Revert}})
		runs := 0
		s := &Scene{
			Exec: first, World: worldOf(p),
			Attempt: func(bytecode.Location, [4]byte) bool { return true },
			Calls:   func() evm.Sequence { return evm.Sequence{{From: c.caller, To: vault, Instructions: script}} },
		}
		s.Run = func(calls evm.Sequence) (*evm.Execution, error) {
			if runs++; runs > len(c.runs) {
				t.Fatalf("%s: run %d", name, runs)
			}
			if last := runs == len(c.runs) && (c.caller == user || runs == 2); calls[0].From != user || last != (calls[0].Instructions == nil) {
				t.Errorf("%s: run %d is of %+v", name, runs, calls)
			}
			if c.runs[runs-1] == nil {
				return nil, errors.New("no machine")
			}
			return c.runs[runs-1], nil
		}
		seen := false
		examineDosFailedCall(s, func(Observation) { seen = true })
		if seen != c.want || runs != len(c.runs) {
			t.Errorf("%s: seen %t after %d runs", name, seen, runs)
		}
	}
}

// TestPaysThem: where a call pays the attackers is where a contract of the project sends one of them ether or destroys itself, and else where something
// is kept for one, in the name of the project's code that asked for it.
func TestPaysThem(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.CALL, vm.SELFDESTRUCT))
	ether := evm.Frame{Parent: 0, Depth: 1, Kind: evm.KindCall, Self: outsider, Value: number(1), CallPC: 5}
	kept := evm.Frame{Parent: 0, Depth: 1, Kind: evm.KindCall, Self: token, Program: p, CallPC: 6,
		Storage: []evm.StorageAccess{{Write: true, PC: 7, Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(outsider)}}}}}
	change := func(f evm.Frame, change func(*evm.Frame)) evm.Frame {
		f.Storage = slices.Clone(f.Storage)
		change(&f)
		return f
	}
	root := evm.Frame{Parent: -1, Self: vault, Program: p}
	for name, c := range map[string]struct {
		frames []evm.Frame
		pc     uint32
		paid   bool
	}{
		"ether":                      {[]evm.Frame{root, ether}, 5, true},
		"nothing":                    {[]evm.Frame{root, change(ether, func(f *evm.Frame) { f.Value = number(0) })}, 0, false},
		"ether for another":          {[]evm.Frame{root, change(ether, func(f *evm.Frame) { f.Self = user })}, 0, false},
		"by DELEGATECALL":            {[]evm.Frame{root, change(ether, func(f *evm.Frame) { f.Kind = evm.KindDelegateCall })}, 0, false},
		"it is undone":               {[]evm.Frame{root, change(ether, func(f *evm.Frame) { f.Outcome = evm.Reverted }), ether}, 5, true},
		"undone, then nothing":       {[]evm.Frame{root, change(ether, func(f *evm.Frame) { f.Outcome = evm.Reverted })}, 0, false},
		"of who sends":               {[]evm.Frame{{Parent: -1, Self: outsider, Value: number(1), Kind: evm.KindCall}}, 0, false},
		"of one that is no victim":   {[]evm.Frame{{Parent: -1, Self: stranger, Program: p}, ether}, 0, false},
		"kept for him":               {[]evm.Frame{root, kept}, 6, true},
		"kept for another":           {[]evm.Frame{root, change(kept, func(f *evm.Frame) { f.Storage[0].Keys.Words[0] = accountWord(user) })}, 0, false},
		"kept, as he asks":           {[]evm.Frame{{Parent: -1, Self: token, Program: p, Storage: kept.Storage}}, 7, true},
		"kept, as a stranger asks":   {[]evm.Frame{{Parent: -1, Self: stranger, Program: p}, kept}, 7, true},
		"kept, then ether":           {[]evm.Frame{root, kept, ether}, 5, true},
		"a contract ends":            {[]evm.Frame{change(root, func(f *evm.Frame) { f.LastPC = 1 })}, 1, true},
		"a contract of another ends": {[]evm.Frame{{Parent: -1, Self: stranger, Program: p, LastPC: 1}}, 0, false},
		"unknown code ends":          {[]evm.Frame{{Parent: -1, Self: vault, LastPC: 1}}, 0, false},
	} {
		s := &Scene{
			World: worldOf(p), Calls: func() evm.Sequence { return make(evm.Sequence, 1) },
			Exec: &evm.Execution{Frames: c.frames, Calls: []evm.CallResult{{Frames: [2]int{0, len(c.frames)}}}},
		}
		at, contract := (&lossAlone{Scene: s}).paysThem(0)
		if (contract != "") != c.paid || c.paid && at != (bytecode.Location{Code: p.ID, PC: c.pc}) {
			t.Errorf("%s: by %q at %v, want %t at %d", name, contract, at, c.paid, c.pc)
		}
	}
}

// TestReenteredOnce: a call into which two others are made is compared once with all of them, one after the other.
func TestReenteredOnce(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.CALL))
	inner := evm.Frame{Parent: 1, Depth: 2, Kind: evm.KindCall, Caller: attacker.Address, Self: vault, CodeAddress: vault, Program: p, Value: number(1)}
	runs := 0
	s := &Scene{
		World: worldOf(p), Attempt: func(bytecode.Location, [4]byte) bool { return true },
		Calls: func() evm.Sequence {
			return evm.Sequence{{To: vault, Instructions: attacker.AppendInstructions(nil, nil)}}
		},
		Run: func(evm.Sequence) (*evm.Execution, error) { runs++; return nil, errors.New("it fails") },
		Exec: &evm.Execution{
			Frames: []evm.Frame{
				{Parent: -1, Self: vault, CodeAddress: vault, Program: p},
				{Parent: 0, Depth: 1, Kind: evm.KindCall, Self: attacker.Address, CodeAddress: attacker.Address}, inner, inner,
			},
			Calls: []evm.CallResult{{Frames: [2]int{0, 4}}},
		},
	}
	examineReentrancy(s, func(o Observation) { t.Errorf("%v is seen", o) })
	if runs != 1 {
		t.Errorf("%d runs, want 1", runs)
	}
}

// TestReenteringFrames: a contract is entered again where the attacker's contract calls code of the project, other than a view, in the middle of a call of
// the project's that lasts, and does something there.
func TestReenteringFrames(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.CALL))
	_, transient := contractOfCode(t, `[]`, code(vm.PUSH0, vm.PUSH0, vm.TSTORE))
	_, ends := contractOfCode(t, `[]`, code(vm.PUSH0, vm.SELFDESTRUCT))
	for name, c := range map[string]struct {
		change func(f []evm.Frame)
		tried  bool
	}{
		"it is":             {func([]evm.Frame) {}, true},
		"doing nothing":     {func(f []evm.Frame) { f[2].Storage = nil }, false},
		"only reading":      {func(f []evm.Frame) { f[2].Storage[0].Write = false }, false},
		"with ether":        {func(f []evm.Frame) { f[2].Storage, f[2].Value = nil, number(1) }, true},
		"with a new one":    {func(f []evm.Frame) { f[2].Storage, f[3].Kind, f[3].Depth = nil, evm.KindCreate, 3 }, true},
		"with another new":  {func(f []evm.Frame) { f[2].Storage, f[3].Kind, f[3].Depth = nil, evm.KindCreate2, 3 }, true},
		"a new one behind":  {func(f []evm.Frame) { f[2].Storage, f[3].Kind = nil, evm.KindCreate }, false},
		"transient storage": {func(f []evm.Frame) { f[2].Storage, f[2].Program = nil, transient }, true},
		"it may end":        {func(f []evm.Frame) { f[2].Storage, f[2].Program = nil, ends }, true},
		"a view":            {func(f []evm.Frame) { f[2].Kind = evm.KindStaticCall }, false},
		"undone":            {func(f []evm.Frame) { f[2].Outcome = evm.Reverted }, false},
		"of another's code": {func(f []evm.Frame) { f[2].Program = nil }, false},
		"a new contract":    {func(f []evm.Frame) { f[2].Self = stranger }, false},
		"by another":        {func(f []evm.Frame) { f[1].CodeAddress = token }, false},
		"the attacker begins": {func(f []evm.Frame) {
			f[0] = evm.Frame{Parent: -1, Self: attacker.Address, CodeAddress: attacker.Address}
			f[1].Parent = -1
			f[1].Depth = 0
		}, false},
		"in a call of unknown code": {func(f []evm.Frame) { f[0].Program = nil }, false},
		"in a call of a new one":    {func(f []evm.Frame) { f[0].Self = stranger }, false},
	} {
		frames := []evm.Frame{
			{Parent: -1, Self: vault, CodeAddress: vault, Program: p},
			{Parent: 0, Depth: 1, Kind: evm.KindCall, Self: attacker.Address, CodeAddress: attacker.Address},
			{Parent: 1, Depth: 2, Kind: evm.KindCall, Caller: attacker.Address, Self: vault, CodeAddress: vault, Program: p,
				Storage: []evm.StorageAccess{{Write: true, Value: number(1)}}},
			{Parent: 0, Depth: 1},
		}
		c.change(frames)
		tried := false
		s := &Scene{
			World: worldOf(p), Exec: &evm.Execution{Frames: frames, Calls: []evm.CallResult{{Frames: [2]int{0, 4}}}},
			Attempt: func(bytecode.Location, [4]byte) bool { tried = true; return false },
		}
		examineReentrancy(s, func(Observation) { t.Errorf("%s: it is seen", name) })
		if tried != c.tried {
			t.Errorf("%s: looked at closely %t", name, tried)
		}
	}
}

// TestTriesAgain: what a signature allowed is tried again by the outsider, with no time between and without a script; and by who sent it.
func TestTriesAgain(t *testing.T) {
	_, p := contractOfCode(t, `[]`, code(vm.STOP))
	root := evm.Frame{Parent: -1, Caller: user, Self: vault, Program: p, Input: []byte{1, 2, 3, 4}}
	first := evm.Call{From: stranger, To: vault, TimeAdvance: 3}
	last := evm.Call{From: user, Origin: user, To: vault, Data: root.Input, TimeAdvance: 5, BlockAdvance: 6, Instructions: attacker.AppendInstructions(nil, []attacker.Answer{{End: attacker.Revert}})}
	state, senders := uint64(0), map[common.Address]int{}
	s := &Scene{
		World: worldOf(p), Exec: &evm.Execution{Frames: []evm.Frame{root}, Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}},
		Calls: func() evm.Sequence { return evm.Sequence{first, last} },
		State: func() *evm.World {
			state++ // each changes something
			return &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}, Balance: number(state)}, outsider: {Balance: number(1000 - state)}, user: {Balance: number(1000 - state)}}}
		},
	}
	s.World.Instances = append(s.World.Instances, evm.Instance{Name: "Other", Address: token, Contract: p.Contract})
	others := 0
	s.Run = func(calls evm.Sequence) (*evm.Execution, error) {
		if calls[0].From != stranger || calls[0].TimeAdvance != 3 {
			t.Errorf("the call before is %+v", calls[0])
		}
		if len(calls) > 2 && len(calls[2].Data) == len(last.Data) {
			again := calls[2]
			senders[again.From]++
			if again.To == token {
				others++
			}
			if again.TimeAdvance != 0 || again.BlockAdvance != 0 || !bytes.Equal(again.Data, last.Data) || again.From == outsider && (again.Origin != common.Address{} || again.Instructions != nil) {
				t.Errorf("%+v is tried", again)
			}
			if calls[1].TimeAdvance != 5 || calls[1].From != user {
				t.Errorf("behind %+v", calls[1])
			}
		}
		exec := &evm.Execution{Calls: make([]evm.CallResult, len(calls))}
		for i := range calls {
			exec.Frames = append(exec.Frames, recovered(i, -1, 7, stranger))
			exec.Calls[i].Frames = [2]int{i, i + 1}
		}
		return exec, nil
	}
	if how := s.reuse(&root, stranger, recovered(0, 0, 7, stranger).Input); how != "" {
		t.Errorf("what costs the outsider something is used again %s", how)
	}
	if senders[outsider] == 0 || senders[user] == 0 || others == 0 || len(senders) != 2 {
		t.Errorf("it is tried by %v, %d times with the other contract", senders, others)
	}
}
