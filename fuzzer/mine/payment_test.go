package mine

import (
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// newBank mines a World with a contract that takes ether.
func newBank(t *testing.T) *Miner {
	t.Helper()
	contract := &bytecode.Contract{Name: "Bank", ABI: abi.ABI{Receive: abi.NewMethod("", "", abi.Receive, "payable", false, true, nil, nil)}}
	return New(nil, &evm.World{
		Accounts:  map[common.Address]*evm.Account{vault: {}, owner: {}, user: {}},
		Instances: []evm.Instance{{Name: "Bank", Address: vault, Contract: contract}},
		Senders:   []evm.Sender{{Name: "owner", Address: owner}, {Name: "user", Address: user}},
	}, func(*evm.Instance) bool { return true })
}

// flow is a call to the bank, with what it takes and pays, and whether it can.
type flow struct {
	by, to     common.Address
	takes, pay uint64
	short      bool
}

func (f flow) outcome() evm.Outcome {
	if f.short {
		return evm.Reverted
	}
	return evm.Success
}

func flows(all ...flow) (input.Sequence, *evm.Execution) {
	exec := &evm.Execution{}
	var seq input.Sequence
	f := &input.Function{Name: "pay", Signature: "pay()", Kind: input.Method}
	for i, call := range all {
		root := evm.Frame{Call: i, Parent: -1, Caller: call.by, Self: vault, Value: *uint256.NewInt(call.takes), Outcome: call.outcome()}
		first := len(exec.Frames)
		exec.Frames = append(exec.Frames, root)
		if call.pay > 0 {
			paid := evm.Frame{Call: i, Parent: first, Depth: 1, Kind: evm.KindCall, Caller: vault, Self: call.to, Value: *uint256.NewInt(call.pay)}
			if call.short {
				paid.Outcome = evm.InsufficientBalance
			}
			exec.Frames = append(exec.Frames, paid)
		}
		exec.Calls = append(exec.Calls, evm.CallResult{Frames: [2]int{first, len(exec.Frames)}, Outcome: root.Outcome})
		seq = append(seq, input.Call{Function: f})
	}
	return seq, exec
}

// TestLawsOfCalls: what calls that fail break, the state between calls does not show.
func TestLawsOfCalls(t *testing.T) {
	const pays = "Bank's ether covers each payment out of it"
	in := flow{by: user, takes: 9}
	for _, test := range []struct {
		name     string
		calls    []flow
		broken   string
		payments int // 0: not looked at
	}{
		{"pays", []flow{in, {by: user, to: user, pay: 5}, {by: owner, to: user, pay: 4}}, "", 2},
		{"cannot pay", []flow{in, {by: user, to: user, pay: 5}, {by: owner, to: user, pay: 5, short: true}}, pays, 0},
		{"fails for something else", []flow{in, {by: owner, to: user, pay: 5}, {by: owner}}, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newBank(t)
			seq, exec := flows(in)
			m.See(seq, exec, markBroken)
			seq, exec = flows(test.calls...)
			last := len(seq) - 1
			if fails := m.FailsToPay(exec, last); fails != (test.broken != "") {
				t.Errorf("the last call breaks a law by failing: %t", fails)
			}
			m.See(seq, exec, markBroken)
			laws := holding(m)
			for _, l := range m.laws {
				if want := l.String() == test.broken; l.Broken != want && l.OfCalls() {
					t.Errorf("%q is broken: %t", l, l.Broken)
				}
				if l.Broken && (m.BrokenIn(l, seq, exec) != last || !m.BrokenBy(l, seq, exec, last) || m.BrokenBy(l, seq, exec, 0)) {
					t.Errorf("%q is not broken by the last call alone", l)
				}
			}
			if l := laws[pays]; test.payments > 0 && l.Calls != test.payments {
				t.Errorf("%d payments, want %d", l.Calls, test.payments)
			}
		})
	}
}

// TestGains: what somebody took out without having paid it in may be lent.
func TestGains(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls []flow
		gains bool
		keeps int // so many calls lend nothing
	}{
		{"who paid in", []flow{{by: user, takes: 9}, {by: user, to: user, pay: 9}}, false, 0},
		{"a part", []flow{{by: user, takes: 9}, {by: user, to: user, pay: 4}}, false, 0},
		{"another", []flow{{by: user, takes: 9}, {by: owner, to: owner, pay: 1}}, true, 0},
		{"more", []flow{{by: user, takes: 9}, {by: owner, takes: 9}, {by: user, to: user, pay: 10}}, true, 0},
		{"not paid", []flow{{by: user, takes: 9}, {by: owner, to: owner, pay: 10, short: true}}, false, 0},
		{"lent by none", []flow{{by: user, takes: 9}, {by: owner, to: owner, pay: 1}}, false, 2},
		{"lent by one of two", []flow{{by: owner, to: owner, pay: 1}, {by: owner, to: owner, pay: 1}}, true, 1},
	} {
		m := newBank(t)
		seq, exec := flows(test.calls...)
		m.See(seq, exec, markBroken)
		if gains := m.Gains(m.pays[m.ethers[vault]], exec, func(call int) bool { return call >= test.keeps }); gains != test.gains {
			t.Errorf("%s: %t", test.name, gains)
		}
	}
}

// TestGainsOfTokens: transfers of a token are movements of it, by whom it is taken from.
func TestGainsOfTokens(t *testing.T) {
	token := common.HexToAddress("0x4000")
	m := newBank(t)
	l := &Law{Template: Pays, A: &Quantity{Kind: Holding, Instance: m.instances[vault], Token: &evm.Instance{Address: token}}}
	call := func(from common.Address, selector uint32, words ...[]byte) evm.Frame {
		f := evm.Frame{Parent: -1, Kind: evm.KindCall, Caller: from, Self: token, Input: []byte{byte(selector >> 24), byte(selector >> 16), byte(selector >> 8), byte(selector)}}
		for _, word := range words {
			f.Input = append(f.Input, common.LeftPadBytes(word, wordBytes)...)
		}
		return f
	}
	in := call(vault, transferFromSelector, user[:], vault[:], []byte{9})
	for name, test := range map[string]struct {
		out   evm.Frame
		gains bool
	}{
		"back":    {call(vault, transferSelector, user[:], []byte{9}), false},
		"more":    {call(vault, transferSelector, user[:], []byte{10}), true},
		"another": {call(vault, transferSelector, owner[:], []byte{1}), true},
	} {
		exec := &evm.Execution{Frames: []evm.Frame{in, test.out}, Calls: []evm.CallResult{{Frames: [2]int{0, 2}}}}
		if gains := m.Gains(l, exec, func(int) bool { return true }); gains != test.gains {
			t.Errorf("%s: %t", name, gains)
		}
	}
}
