package compare

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// TestAmbiguous: an address that is an instance on one side, and not the same one on the other, means
// something else there; one of an instance that moved does as an address of the base, and is translated as
// one of the head.
func TestAmbiguous(t *testing.T) {
	at := func(n byte) common.Address { return common.Address{19: n} }
	side := func(instances ...input.Instance) *deploy.Deployment {
		return &deploy.Deployment{Space: &input.Space{Instances: instances}}
	}
	named := func(name string, address byte) (in input.Instance) {
		in.Name, in.Address = name, at(address)
		return in
	}
	s := &Sides{
		Head:  side(named("same", 1), named("new", 2), named("moved", 3), named("a", 5)),
		Base:  side(named("same", 1), named("gone", 6), named("moved", 4), named("b", 5)),
		calls: map[input.Callable]counterpart{}, moved: movedAddresses{}, ambiguous: map[common.Address]bool{}, storage: map[common.Address]*storagePair{},
	}
	s.pairInstances(&Base{})
	if want := map[common.Address]bool{at(2): true, at(4): true, at(5): true, at(6): true}; !maps.Equal(s.ambiguous, want) {
		t.Errorf("%v, want %v", s.ambiguous, want)
	}
	if s.moved.back(at(3)) != at(4) {
		t.Errorf("moved: %v", s.moved)
	}
}

// TestMask: what differs before any call is masked, also where it is one address and two instances.
func TestMask(t *testing.T) {
	at := func(n byte) common.Address { return common.Address{19: n} }
	side := func(words map[byte]byte) *deploy.Deployment {
		storage := map[common.Hash]common.Hash{}
		for slot, value := range words {
			storage[common.Hash{31: slot}] = common.Hash{31: value}
		}
		return &deploy.Deployment{World: &evm.World{Accounts: map[common.Address]*evm.Account{at(9): {Storage: storage}}}}
	}
	s := &Sides{
		Head:    side(map[byte]byte{1: 1, 2: 2, 3: 3, 4: 4, 6: 6}),
		Base:    side(map[byte]byte{1: 1, 2: 7, 3: 4, 4: 4, 5: 5}),
		moved:   movedAddresses{at(4): at(3)},
		storage: map[common.Address]*storagePair{at(9): {same: true}},
	}
	s.mask()
	want := map[word]bool{}
	for _, slot := range []uint64{2, 3, 4, 5, 6} { // 4 is the address of another instance there
		want[word{at(9), *uint256.NewInt(slot)}] = true
	}
	if !maps.Equal(s.masked, want) {
		t.Errorf("%v, want %v", s.masked, want)
	}
	s.storage[at(9)].same = false
	if s.mask(); len(s.masked) > 0 {
		t.Errorf("%v, though variables moved", s.masked)
	}
}

// TestReturned: what a side returned is named as that side has it.
func TestReturned(t *testing.T) {
	at := common.Address{19: 7}
	space := func(name string) *input.Space {
		contract := &bytecode.Contract{Name: name, Source: name + ".sol"}
		var err error
		if contract.ABI, err = abi.JSON(strings.NewReader(`[{"type":"function","name":"f","inputs":[],"outputs":[{"type":"address"}],"stateMutability":"view"}]`)); err != nil {
			t.Fatal(err)
		}
		s, err := input.NewSpace(&evm.World{Senders: []evm.Sender{{Name: "user1"}}, Instances: []evm.Instance{{Name: name, Address: at, Contract: contract}}}, input.SpaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	head, base := space("Vault"), space("Beacon")
	p := &pair{Sides: &Sides{Head: &deploy.Deployment{Space: head}, Base: &deploy.Deployment{Space: base}}}
	call := &input.Call{Function: &input.Function{Kind: input.Method, Signature: "f()"}}
	word := common.LeftPadBytes(at[:], 32)
	for names, want := range map[*input.Space]string{head: "returns vault", base: "returns beacon"} {
		if got := p.returned(call, word, names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestMovedEqual: data says the same as it is, or with the first execution's addresses.
func TestMovedEqual(t *testing.T) {
	data := func(n byte) []byte { return append(make([]byte, 31), n) }
	m := movedAddresses{{19: 4}: {19: 3}}
	for _, c := range []struct {
		a, b byte
		want bool
	}{{3, 4, true}, {4, 4, true}, {5, 5, true}, {4, 3, false}, {3, 5, false}} {
		if got := m.equal(data(c.a), data(c.b)); got != c.want {
			t.Errorf("%d and %d: %t", c.a, c.b, got)
		}
		x, y := evm.Log{Address: common.Address{19: 3}, Data: data(c.a), Topics: []common.Hash{{}}}, evm.Log{Address: common.Address{19: 4}, Data: data(c.b), Topics: []common.Hash{{}}}
		if got := m.equalLogs(x, y); got != c.want {
			t.Errorf("events with %d and %d: %t", c.a, c.b, got)
		}
		x.Topics[0][31], y.Topics[0][31], x.Data, y.Data = c.a, c.b, nil, nil
		if got := m.equalLogs(x, y); got != c.want {
			t.Errorf("events about %d and %d: %t", c.a, c.b, got)
		}
	}
}

// TestWithoutEther: where the sender lacks the ether for a call on one side, no code runs there, and nothing is compared.
func TestWithoutEther(t *testing.T) {
	side := func(outcome evm.Outcome) *compared {
		return &compared{exec: &evm.Execution{Calls: []evm.CallResult{{Outcome: outcome, Frames: [2]int{0, 0}}}}}
	}
	s := &Sides{}
	for _, c := range []struct {
		head, base evm.Outcome
		want       Kind
	}{{evm.InsufficientBalance, evm.Success, ""}, {evm.Success, evm.InsufficientBalance, ""}, {evm.Reverted, evm.Success, Reverts}} {
		if d, _ := s.differIn(side(c.head), side(c.base), 0, nil); d.Kind != c.want {
			t.Errorf("%v, on the base %v: %q, want %q", c.head, c.base, d.Kind, c.want)
		}
	}
}

// TestIsNewFunction: bytes that the base's fallback function gets may be a call of a function of the head.
func TestIsNewFunction(t *testing.T) {
	parsed, err := abi.JSON(strings.NewReader(`[{"type":"function","name":"uri","inputs":[],"outputs":[]}]`))
	if err != nil {
		t.Fatal(err)
	}
	instance := input.Instance{}
	instance.Contract = &bytecode.Contract{ABI: parsed}
	head := &deploy.Deployment{Space: &input.Space{Instances: []input.Instance{instance}}}
	method, fallback := &input.Function{Kind: input.Method}, &input.Function{Kind: input.Fallback}
	uri := parsed.Methods["uri"].ID
	for name, c := range map[string]struct {
		function *input.Function
		data     []byte
		want     bool
	}{
		"its selector":         {fallback, uri, true},
		"and more":             {fallback, append(slices.Clone(uri), 1), true},
		"another selector":     {fallback, []byte{1, 2, 3, 4}, false},
		"too short":            {fallback, uri[:3], false},
		"a call of a function": {method, uri, false},
	} {
		r := &ran{Sides: &Sides{Head: head}, sequence: input.Sequence{{Function: c.function}},
			head: &evm.Execution{Calls: []evm.CallResult{{Frames: [2]int{0, 1}}}, Frames: []evm.Frame{{Input: c.data}}}}
		if got := r.isNewFunction(0); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
