package world_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestCallers: whoever a contract compares msg.sender with sends calls, in whatever form it asks; whoever it
// refuses does not, and of contracts that only they themselves may call, one is enough for what they share.
func TestCallers(t *testing.T) {
	all, one := source(t, "testdata/callers.sol"), big.NewInt(1)
	only := func(names ...string) world.Options { return world.Options{Only: names, Targets: names} }
	for _, test := range []struct {
		contract string
		method   string
		args     []any
		sender   string // by address, or an instance
	}{
		{"Constant", "set", []any{one}, "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789"},
		{"Immutable", "set2", []any{one}, "0xFEED0001"},
		{"Slot", "set3", []any{one}, "0xFEED0002"},
		{"Role", "set4", []any{one}, "0xFEED0003"},
		{"TwoStep", "accept", nil, "0xFEED0004"},
		{"Own", "one", []any{one}, "Own"},
		{"Refusing", "set5", []any{one}, "0xFEED0005"},
	} {
		c := newChain(t, all, only(test.contract))
		want := common.HexToAddress(test.sender)
		if test.sender == test.contract {
			want = c.instance(test.contract).Address
		}
		added := c.world.Senders[len(world.Senders()):]
		if len(added) != 1 || added[0].Address != want {
			t.Errorf("%s: senders %v besides those of every World, want %s", test.contract, added, want)
			continue
		}
		if exec := c.call(added[0], test.contract, test.method, test.args...); exec.Calls[0].Outcome != evm.Success {
			t.Errorf("%s.%s fails as %s: %s", test.contract, test.method, want, exec.Calls[0].Reason())
		}
		if exec := c.call(world.User2, test.contract, test.method, test.args...); exec.Calls[0].Outcome == evm.Success {
			t.Errorf("%s.%s is for everyone", test.contract, test.method)
		}
		p := c.report.Callers
		if len(p) != 1 || p[0].Address != want || !world.IsCaller(&p[0]) {
			t.Errorf("%s: %v does not say why the account is a sender", test.contract, p)
		}
	}
}

// TestBestCallers: a contract that may call itself does not become a sender where another one gets past the same checks, and
// more of them.
func TestBestCallers(t *testing.T) {
	all := source(t, "testdata/callers.sol")
	targets := []string{"Own", "OwnToo", "Constant", "Immutable", "Slot"}
	c := newChain(t, all, world.Options{Only: targets, Targets: targets})
	sends := func(contract string) bool {
		address := c.instance(contract).Address
		for _, s := range c.world.Senders {
			if s.Address == address {
				return true
			}
		}
		return false
	}
	if !sends("OwnToo") || sends("Own") || len(c.world.Senders) != len(world.Senders())+4 {
		t.Errorf("senders: %v, want OwnToo, which gets past the check of Own's functions and of its own, and three accounts", c.world.Senders)
	}
}
