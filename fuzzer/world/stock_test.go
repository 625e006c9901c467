package world_test

import (
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestStock: an exchange is told of two tokens, and has what its owner alone puts into it, as has what hands out rewards; what anyone may pay in, or the
// owner only once, is left to the campaign.
func TestStock(t *testing.T) {
	c := newChain(t, source(t, "testdata/stocked.sol"), world.Options{})
	ask := func(instance, method string, args ...any) *uint256.Int {
		t.Helper()
		exec := c.call(world.User1, instance, method, args...)
		if exec.Calls[0].Outcome != evm.Success {
			t.Fatalf("%s.%s fails: %s", instance, method, exec.Calls[0].Reason())
		}
		return new(uint256.Int).SetBytes(exec.Calls[0].Output)
	}
	first, second := ask("Exchange", "first"), ask("Exchange", "second")
	if first.IsZero() || second.IsZero() || first.Eq(second) {
		t.Errorf("the exchange is told of %s and %s", first.Hex(), second.Hex())
	}
	if slices.ContainsFunc(c.world.Instances, func(in evm.Instance) bool { return in.Name == "Money#3" }) {
		t.Error("there is a token that nothing is told of")
	}
	for _, test := range []struct {
		instance, token string
		want            bool
	}{
		{"Exchange", "Money", true},
		{"Exchange", "Money#2", true},
		{"Farm", "Money", true},
		{"Bowl", "Money", false},
		{"Sale", "Money", false},
	} {
		has := ask(test.token, "balanceOf", c.instance(test.instance).Address)
		if has.IsZero() == test.want {
			t.Errorf("%s has %s of %s", test.instance, has, test.token)
		}
		if user := ask(test.token, "balanceOf", world.User1.Address); user.IsZero() || !has.Lt(user) {
			t.Errorf("%s has %s, and a user %s", test.instance, has, user)
		}
	}
}
