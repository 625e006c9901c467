package oracle

import (
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/signature"
)

// TestActs: something comes of what the attacker's contract calls where that, or what it calls in turn, writes, pays or tells.
func TestActs(t *testing.T) {
	writes := []evm.StorageAccess{{}, {Write: true}}
	for name, c := range map[string]struct {
		frames []evm.Frame // 1 is the attacker's, and calls 2, which calls 3
		want   bool
	}{
		"nothing":               {[]evm.Frame{{Depth: 2, Parent: 1}, {Depth: 3, Parent: 2}}, false},
		"it writes":             {[]evm.Frame{{Depth: 2, Parent: 1, Storage: writes}, {Depth: 3, Parent: 2}}, true},
		"it reads":              {[]evm.Frame{{Depth: 2, Parent: 1, Storage: writes[:1]}, {Depth: 3, Parent: 2}}, false},
		"it tells":              {[]evm.Frame{{Depth: 2, Parent: 1, Logs: make([]evm.Log, 1)}, {Depth: 3, Parent: 2}}, true},
		"it is paid":            {[]evm.Frame{{Depth: 2, Parent: 1, Value: number(1)}, {Depth: 3, Parent: 2}}, false},
		"it pays":               {[]evm.Frame{{Depth: 2, Parent: 1}, {Depth: 3, Parent: 2, Value: number(1)}}, true},
		"a callee writes":       {[]evm.Frame{{Depth: 2, Parent: 1}, {Depth: 3, Parent: 2, Storage: writes}}, true},
		"a later callee writes": {[]evm.Frame{{Depth: 2, Parent: 1}, {Depth: 3, Parent: 2}, {Depth: 3, Parent: 2, Storage: writes}}, true},
		"another call writes":   {[]evm.Frame{{Depth: 2, Parent: 1}, {Depth: 3, Parent: 2}, {Depth: 2, Parent: 1, Storage: writes}}, false},
		"behind another call":   {[]evm.Frame{{Depth: 2, Parent: 1}, {Depth: 3, Parent: 2}, {Depth: 2, Parent: 1}, {Depth: 3, Parent: 4, Storage: writes}}, false},
	} {
		s := &Scene{Exec: &evm.Execution{Frames: append([]evm.Frame{{Parent: -1, Storage: writes}, {Depth: 1}}, c.frames...)}}
		if got := s.acts(1, 3); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestInstances: tokens are the instances that answer balanceOf, and that sequences may call; accounts are named as the World does.
func TestInstances(t *testing.T) {
	const balances = `[{"type":"function","name":"balanceOf","inputs":[{"type":"address"}],"outputs":[{"type":"uint256"}]}]`
	_, coin := contractOfCode(t, balances, []byte{0})
	_, other := contractOfCode(t, `[]`, []byte{1})
	w := &evm.World{Instances: []evm.Instance{
		{Name: "unknown", Address: user}, {Name: "asked", Address: stranger, Contract: coin.Contract, Asked: true},
		{Name: "Vault", Address: vault, Contract: other.Contract}, {Name: "Coin", Address: token, Contract: coin.Contract},
	}}
	s := &Scene{World: w}
	if got := s.tokens(); !slices.Equal(got, []common.Address{token}) {
		t.Errorf("tokens are %s", got)
	}
	for account, want := range map[common.Address]struct {
		name     string
		contract *bytecode.Contract
	}{vault: {"Vault", other.Contract}, token: {"Coin", coin.Contract}, user: {"unknown", nil}, {9}: {common.Address{9}.Hex(), nil}} {
		if got := s.instanceName(account); got != want.name {
			t.Errorf("%s is called %q, want %q", account, got, want.name)
		}
		if got := s.contractAt(account); got != want.contract {
			t.Errorf("at %s is %v", account, got)
		}
	}
	for i := range byte(10) {
		w.Instances = append(w.Instances, evm.Instance{Address: common.Address{0x77, i}, Contract: coin.Contract})
	}
	if got := len((&Scene{World: w}).tokens()); got != maxTokens {
		t.Errorf("%d tokens are asked for", got)
	}
}

// recovered is a frame of ecrecover that answers a signer.
func recovered(call, parent int, digest byte, signer common.Address) evm.Frame {
	input := make([]byte, signature.RecoveryInput)
	input[0] = digest
	return evm.Frame{Call: call, Parent: parent, Depth: 1, CodeAddress: signature.Ecrecover, Input: input, Output: common.LeftPadBytes(signer[:], wordBytes)}
}

// TestWasChecked: a signature was used before if another account, not an outsider, made the same call with it, and that changed something.
func TestWasChecked(t *testing.T) {
	outsider := common.Address{0xee}
	input := []byte{1, 2, 3, 4, 5}
	root := evm.Frame{Parent: -1, Caller: user, Self: vault, Input: input, Value: number(1)}
	last := evm.Frame{Parent: -1, Call: 1, Caller: outsider, Self: vault, Input: input}
	for name, c := range map[string]struct {
		change  func(root, check *evm.Frame)
		outcome evm.Outcome
		want    bool
	}{
		"it was":               {func(_, _ *evm.Frame) {}, evm.Success, true},
		"the call failed":      {func(_, _ *evm.Frame) {}, evm.Reverted, false},
		"of another digest":    {func(_, check *evm.Frame) { check.Input[0] = 9 }, evm.Success, false},
		"by another signer":    {func(_, check *evm.Frame) { check.Output[31] = 9 }, evm.Success, false},
		"input that is cut":    {func(_, check *evm.Frame) { check.Input = check.Input[:wordBytes] }, evm.Success, false},
		"by other code":        {func(_, check *evm.Frame) { check.CodeAddress = vault }, evm.Success, false},
		"of another contract":  {func(root, _ *evm.Frame) { root.Self = token }, evm.Success, false},
		"by an outsider":       {func(root, _ *evm.Frame) { root.Caller = outsider }, evm.Success, false},
		"with other arguments": {func(root, _ *evm.Frame) { root.Input = []byte{1, 2, 3, 4, 6} }, evm.Success, false},
		"nothing was changed":  {func(root, _ *evm.Frame) { root.Value = number(0) }, evm.Success, false},
	} {
		first, check := root, recovered(0, 0, 7, stranger)
		c.change(&first, &check)
		s := &Scene{
			World: &evm.World{Senders: []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}}},
			Exec: &evm.Execution{
				Frames: []evm.Frame{first, check, last, recovered(1, 2, 7, stranger)},
				Calls:  []evm.CallResult{{Frames: [2]int{0, 2}, Outcome: c.outcome}, {Frames: [2]int{2, 4}}},
			},
		}
		if got := s.wasChecked(&last, recovered(1, 2, 7, stranger).Input, stranger); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestChangesBySignature: a call changes something by a signature if it succeeds, has that signature checked in a frame that lasts, and the
// state is another behind it.
func TestChangesBySignature(t *testing.T) {
	before := &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}, Balance: number(1)}}}
	after := &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}, Balance: number(2)}}}
	undone := recovered(1, 1, 7, stranger)
	undone.Outcome = evm.Reverted
	elsewhere := recovered(1, 1, 7, stranger)
	elsewhere.CodeAddress = token
	early := recovered(0, 0, 7, stranger)
	for name, c := range map[string]struct {
		check   []evm.Frame // of the last call
		first   []evm.Frame // of the one before
		outcome evm.Outcome
		after   *evm.World
		fails   bool // the machine does
		want    bool
	}{
		"it does":              {check: []evm.Frame{recovered(1, 1, 7, stranger)}, after: after, want: true},
		"nothing changes":      {check: []evm.Frame{recovered(1, 1, 7, stranger)}, after: before},
		"it fails":             {check: []evm.Frame{recovered(1, 1, 7, stranger)}, after: after, outcome: evm.Reverted},
		"the machine fails":    {check: []evm.Frame{recovered(1, 1, 7, stranger)}, after: after, fails: true},
		"by another signer":    {check: []evm.Frame{recovered(1, 1, 7, user)}, after: after},
		"by other code":        {check: []evm.Frame{elsewhere}, after: after},
		"undone":               {check: []evm.Frame{undone}, after: after},
		"no signature":         {after: after},
		"in the call before":   {first: []evm.Frame{early}, after: after},
		"the second signature": {check: []evm.Frame{recovered(1, 1, 7, user), recovered(1, 1, 7, stranger)}, after: after, want: true},
	} {
		frames := append([]evm.Frame{{Parent: -1}}, c.first...)
		at := len(frames)
		frames = append(frames, evm.Frame{Parent: -1, Call: 1})
		for _, f := range c.check {
			f.Parent = at
			frames = append(frames, f)
		}
		exec := &evm.Execution{Frames: frames, Calls: []evm.CallResult{{Frames: [2]int{0, at}}, {Frames: [2]int{at, len(frames)}, Outcome: c.outcome}}}
		runs := 0
		s := &Scene{World: before}
		s.Run = func(calls evm.Sequence) (*evm.Execution, error) {
			if runs++; c.fails && runs == 2 {
				return nil, errors.New("no machine")
			}
			return &evm.Execution{Frames: exec.Frames, Calls: exec.Calls[:len(calls)]}, nil
		}
		s.State = func() *evm.World {
			if runs == 1 {
				return before
			}
			return c.after
		}
		if got := s.changes(evm.Sequence{{}}, evm.Call{}, stranger); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestUnexplainedChecks: a signature that code without a source checks, or Sightline's own, is not tried; nor is what is none of another account's.
func TestUnexplainedChecks(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.STOP))
	s1 := recovered(0, 1, 7, stranger)
	data := append([]byte{1, 2, 3, 4}, s1.Input[3*wordBytes:]...)
	other, short, silent, undone := s1, s1, s1, s1
	other.CodeAddress, short.Input, silent.Output, undone.Outcome = token, s1.Input[:3*wordBytes], nil, evm.Reverted
	sender := recovered(0, 1, 7, user)
	for name, c := range map[string]struct {
		by    *bytecode.Program
		check evm.Frame
		tried bool
	}{
		"the project's":   {p, s1, true},
		"unknown":         {&bytecode.Program{}, s1, false},
		"Sightline's":     {&bytecode.Program{Contract: &bytecode.Contract{Generated: true}}, s1, false},
		"by other code":   {p, other, false},
		"of less":         {p, short, false},
		"that is none":    {p, silent, false},
		"undone":          {p, undone, false},
		"of who sends it": {p, sender, false},
	} {
		tried := false
		s := &Scene{
			World: &evm.World{Accounts: map[common.Address]*evm.Account{vault: {Code: []byte{0}}}},
			Exec: &evm.Execution{
				Frames: []evm.Frame{{Parent: -1, Caller: user, Self: vault, Value: number(1), Program: p, Input: data}, {Parent: 0, Depth: 1, Program: c.by}, c.check},
				Calls:  []evm.CallResult{{Frames: [2]int{0, 3}}},
			},
			Attempt: func(bytecode.Location, [4]byte) bool { return true },
			Calls:   func() evm.Sequence { tried = true; return make(evm.Sequence, maxSceneCalls+1) },
		}
		examineSignatureReuse(s, func(o Observation) { t.Errorf("%s: %s", name, o.Message) })
		if tried != c.tried {
			t.Errorf("%s: tried %t", name, tried)
		}
	}
}

// TestNoMachine: what takes further runs is silent without a machine for them, or where it is not worth one.
func TestNoMachine(t *testing.T) {
	_, p := contractOfCode(t, `[{"type":"function","name":"owner","inputs":[],"outputs":[{"type":"address"}],"stateMutability":"view"}]`, code(vm.CALL))
	outsider := common.Address{0xee}
	contract := evm.Sender{Address: attacker.Address, Through: outsider}
	calls := evm.Sequence{{From: attacker.Address, To: vault, Data: []byte{1, 2, 3, 4, 5}}}
	exec := &evm.Execution{
		Frames: []evm.Frame{
			{Parent: -1, Caller: attacker.Address, Self: vault, CodeAddress: vault, Program: p, Input: calls[0].Data, Storage: []evm.StorageAccess{
				{Address: vault, Write: true, Slot: number(1), Base: number(1), Value: accountWord(attacker.Address), Keys: evm.Keys{Count: 1, Words: [2]uint256.Int{accountWord(outsider)}}},
			}},
			{Parent: 0, Depth: 1, Kind: evm.KindCall, Caller: vault, Self: attacker.Address, CodeAddress: attacker.Address, Value: number(5), Input: calls[0].Data},
			{Parent: 1, Depth: 2, Kind: evm.KindCall, Caller: attacker.Address, Self: vault, CodeAddress: vault, Program: p, Input: []byte{1, 2, 3, 4}},
		},
		Calls: []evm.CallResult{{Frames: [2]int{0, 3}}},
	}
	for _, attempts := range []bool{true, false} {
		s := &Scene{
			Exec: exec, New: true, Audit: true,
			World: &evm.World{
				Accounts:  map[common.Address]*evm.Account{vault: {Code: []byte{0}}, attacker.Address: {Code: []byte{0}}},
				Senders:   []evm.Sender{{Address: user}, {Address: outsider, Outsider: true}, contract},
				Instances: []evm.Instance{{Name: "Vault", Address: vault, Contract: p.Contract}},
			},
			Calls:    func() evm.Sequence { return calls },
			Run:      func(evm.Sequence) (*evm.Execution, error) { return nil, errors.New("no machine") },
			State:    func() *evm.World { t.Error("a state is asked for"); return nil },
			Attempt:  func(bytecode.Location, [4]byte) bool { return attempts },
			Replaced: func(int, common.Address, common.Address, []byte, []byte) evm.Sequence { return calls },
		}
		for _, o := range []*Oracle{Reentrancy, ReadOnlyReentrancy, Takeover, SignatureReuse, ThirdPartyLoss, DosFailedCall, GasLimit} {
			o.Examine(s, func(seen Observation) { t.Errorf("%s sees %q", o.ID, seen.Message) })
		}
		seen := 0
		ArbitraryCall.Examine(s, func(Observation) { seen++ })
		if want := map[bool]int{true: 1}[attempts]; seen != want { // that there is nothing to lose, it says without a machine
			t.Errorf("%s sees %d things", ArbitraryCall.ID, seen)
		}
		if _, ok := s.ask(calls, vault, nil); ok {
			t.Error("an account answers")
		}
		if _, ok := s.inOrder(calls, func(int) bool { return true }); ok {
			t.Error("there is a state behind calls")
		}
		if _, _, ok := s.answers(calls, evm.Call{}); ok {
			t.Error("a view answers")
		}
	}
}

// TestIsGone: an account is gone where it has no code behind the calls, whichever of them failed.
func TestIsGone(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.SELFDESTRUCT))
	for name, c := range map[string]struct {
		account *evm.Account
		want    bool
	}{
		"there is no account": {nil, true},
		"it has no code":      {&evm.Account{Balance: number(1)}, true},
		"a byte of code":      {&evm.Account{Code: []byte{0}}, false},
		"it has its code":     {&evm.Account{Code: []byte{0, 1, 2}}, false},
	} {
		after := &evm.World{Accounts: map[common.Address]*evm.Account{}}
		if c.account != nil {
			after.Accounts[vault] = c.account
		}
		s := &Scene{
			Attempt: func(bytecode.Location, [4]byte) bool { return true },
			Calls:   func() evm.Sequence { return make(evm.Sequence, 2) },
			Run: func(evm.Sequence) (*evm.Execution, error) {
				return &evm.Execution{Calls: []evm.CallResult{{Outcome: evm.Reverted}, {}}}, nil
			},
			State: func() *evm.World { return after },
		}
		if got := s.isGone(&evm.Frame{Self: vault, Program: p}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		s.Attempt = func(bytecode.Location, [4]byte) bool { return false }
		if s.isGone(&evm.Frame{Self: vault, Program: p}) {
			t.Errorf("%s: it is gone, though it was not looked at", name)
		}
	}
}

// TestWithin: a frame is in the middle of a call of an account where that has called the attacker's contract, which has led to the frame.
func TestWithin(t *testing.T) {
	_, p := contractOfCode(t, "", code(vm.STOP))
	chain := func(accounts ...common.Address) (frames []evm.Frame) {
		for i, a := range accounts {
			f := evm.Frame{Parent: i - 1, Depth: i, Self: a, CodeAddress: a, Program: p}
			if a == attacker.Address {
				f.Program = nil
			}
			frames = append(frames, f)
		}
		return frames
	}
	unknown := chain(vault, attacker.Address, token)
	unknown[0].Program = nil
	for name, c := range map[string]struct {
		frames []evm.Frame
		want   int
	}{
		"in the middle":              {chain(vault, attacker.Address, token), 1},
		"of another account":         {chain(user, attacker.Address, token), -1},
		"the attacker begins":        {chain(attacker.Address, vault, token), -1},
		"no attacker":                {chain(vault, user, token), -1},
		"further out":                {chain(vault, user, attacker.Address, user, token), 2},
		"twice":                      {chain(vault, attacker.Address, user, attacker.Address, token), 3},
		"of code that is not known":  {unknown, -1},
		"the account, not around it": {chain(user, attacker.Address, vault), -1},
	} {
		s := &Scene{Exec: &evm.Execution{Frames: c.frames}}
		if got := s.within(len(c.frames)-1, vault); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
