package world_test

import (
	"math/big"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestEntrusting: contracts have the rights that they need over those that they were told of, no others have them, and the deployer stays the owner.
func TestEntrusting(t *testing.T) {
	c := newChain(t, source(t, "testdata/rights.sol"), world.Options{})
	succeeds := func(instance, method string, args ...any) bool {
		t.Helper()
		return c.call(world.User1, instance, method, args...).Calls[0].Outcome == evm.Success
	}
	answer := func(instance, method string, args ...any) *uint256.Int {
		t.Helper()
		return new(uint256.Int).SetBytes(c.call(world.User1, instance, method, args...).Calls[0].Output)
	}
	for _, test := range []struct {
		instance, method string
		args             []any
		want             bool
	}{
		{"Press", "print", []any{big.NewInt(5)}, true},
		{"Crew", "store", []any{big.NewInt(5)}, true},
		{"Janitor", "clean", nil, true},
		{"Crew", "burn", nil, false}, // only the owner may
	} {
		if got := succeeds(test.instance, test.method, test.args...); got != test.want {
			t.Errorf("%s.%s succeeds: %v", test.instance, test.method, got)
		}
	}
	for _, role := range []struct {
		name string
		has  bool
	}{{"ENGINE_ROLE", true}, {"AUDITOR_ROLE", false}} {
		id := answer("Scrip", role.name).Bytes32()
		if got := !answer("Scrip", "hasRole", id, c.instance("Press").Address).IsZero(); got != role.has {
			t.Errorf("the press has %s: %v", role.name, got)
		}
	}
	if got := answer("Depot", "owner").Bytes20(); got != world.Deployer.Address {
		t.Errorf("the depot's owner is %x", got)
	}
	for _, name := range []string{"Guest", "Janitor"} {
		if !answer("Depot", "isWorker", c.instance(name).Address).IsZero() {
			t.Errorf("%s is a worker", name)
		}
	}
}
