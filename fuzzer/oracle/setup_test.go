package oracle

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestEmptyBytes: byte strings become empty, and nothing else changes; what the ABI does not explain stays.
func TestEmptyBytes(t *testing.T) {
	const text = `[{"type":"function","name":"f","inputs":[{"name":"a","type":"uint256"},{"name":"b","type":"bytes"},{"name":"c","type":"string"},{"name":"d","type":"bytes"}]}]`
	parsed, err := abi.JSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	f := parsed.Methods["f"]
	data := func(b, d []byte) []byte {
		packed, err := f.Inputs.Pack(common.Big3, b, "said", d)
		if err != nil {
			t.Fatal(err)
		}
		return append(bytes.Clone(f.ID), packed...)
	}
	s := &Scene{World: &evm.World{Instances: []evm.Instance{{Address: vault, Contract: &bytecode.Contract{ABI: parsed}}, {Address: token}}}}
	full := data([]byte{1, 2}, []byte{3})
	for name, c := range map[string]struct {
		to         common.Address
		data, want []byte
	}{
		"both":             {vault, full, data(nil, nil)},
		"without a text":   {token, full, full},
		"of another":       {user, full, full},
		"another function": {vault, append([]byte{9, 9, 9, 9}, full[4:]...), append([]byte{9, 9, 9, 9}, full[4:]...)},
		"cut short":        {vault, full[:40], full[:40]},
		"no function":      {vault, full[:3], full[:3]},
	} {
		call := evm.Call{To: c.to, Data: bytes.Clone(c.data)}
		if s.emptyBytes(&call); !bytes.Equal(call.Data, c.want) {
			t.Errorf("%s: %x, want %x", name, call.Data, c.want)
		}
	}
}

// TestInTheOpen: what the attackers call an account with, in the middle of a call of theirs, comes in the place of that call.
func TestInTheOpen(t *testing.T) {
	outsider := common.Address{0xee}
	outer, plain := evm.Call{From: outsider, To: token, Data: []byte{1}}, evm.Call{From: outsider, To: vault, Data: []byte{2}}
	for name, c := range map[string]struct {
		inner evm.Frame
		open  bool
	}{
		"called back":           {evm.Frame{Parent: 0, Kind: evm.KindCall, Self: vault, Caller: outsider}, true},
		"by another":            {evm.Frame{Parent: 0, Kind: evm.KindCall, Self: vault, Caller: user}, false},
		"another account":       {evm.Frame{Parent: 0, Kind: evm.KindCall, Self: token, Caller: outsider}, false},
		"what is undone":        {evm.Frame{Parent: 0, Kind: evm.KindCall, Self: vault, Caller: outsider, Outcome: evm.Reverted}, false},
		"code in its own name":  {evm.Frame{Parent: 0, Kind: evm.KindDelegateCall, Self: vault, Caller: outsider}, false},
		"the transaction alone": {evm.Frame{Parent: -1, Kind: evm.KindCall, Self: vault, Caller: outsider}, false},
	} {
		c.inner.Input, c.inner.Value = []byte{7}, number(5)
		s := &Scene{
			World: &evm.World{Senders: []evm.Sender{{Address: outsider, Outsider: true}}},
			Calls: func() evm.Sequence { return evm.Sequence{{From: user}, outer, plain} },
			Exec: &evm.Execution{
				Calls:  []evm.CallResult{{Frames: [2]int{0, 0}}, {Frames: [2]int{0, 2}}, {Frames: [2]int{2, 3}}},
				Frames: []evm.Frame{{Parent: -1, Self: token, Caller: outsider}, c.inner, {Parent: -1, Self: vault, Caller: outsider}},
			},
		}
		got := s.inTheOpen(1, vault)
		if len(got) != 2 || !bytes.Equal(got[1].Data, plain.Data) {
			t.Fatalf("%s: %+v", name, got)
		}
		if open := bytes.Equal(got[0].Data, []byte{7}) && got[0].To == vault && got[0].Value == number(5); open != c.open {
			t.Errorf("%s: %+v", name, got[0])
		}
	}
}

// TestWritesFrom: a word is written from a call on, if that lasts; where that cannot be run, it may be.
func TestWritesFrom(t *testing.T) {
	access := evm.StorageAccess{Address: vault, Slot: number(1)}
	written := func(outcome evm.Outcome, write bool, at common.Address, slot uint64) evm.Frame {
		return evm.Frame{Parent: -1, Outcome: outcome, Storage: []evm.StorageAccess{{Write: write, Address: at, Slot: number(slot)}}}
	}
	for name, c := range map[string]struct {
		frames [2]evm.Frame
		err    error
		from   int
		want   bool
	}{
		"in the last call":   {[2]evm.Frame{{Parent: -1}, written(evm.Success, true, vault, 1)}, nil, 1, true},
		"before it":          {[2]evm.Frame{written(evm.Success, true, vault, 1), {Parent: -1}}, nil, 1, false},
		"in the first call":  {[2]evm.Frame{written(evm.Success, true, vault, 1), {Parent: -1}}, nil, 0, true},
		"only read":          {[2]evm.Frame{{Parent: -1}, written(evm.Success, false, vault, 1)}, nil, 0, false},
		"what is undone":     {[2]evm.Frame{{Parent: -1}, written(evm.Reverted, true, vault, 1)}, nil, 0, false},
		"another's":          {[2]evm.Frame{{Parent: -1}, written(evm.Success, true, token, 1)}, nil, 0, false},
		"another word":       {[2]evm.Frame{{Parent: -1}, written(evm.Success, true, vault, 2)}, nil, 0, false},
		"behind all calls":   {[2]evm.Frame{{Parent: -1}, {Parent: -1}}, nil, 2, true},
		"the machine failed": {[2]evm.Frame{{Parent: -1}, {Parent: -1}}, errors.New("fails"), 0, true},
	} {
		s := &Scene{Run: func(evm.Sequence) (*evm.Execution, error) {
			return &evm.Execution{Calls: []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, 2}}}, Frames: c.frames[:]}, c.err
		}}
		if got := s.writesFrom(c.from, nil, &access); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
