package world_test

import (
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestFactories: what asks the factory that made it gets an answer, and can be paid; of
// what a constructor made there is no second one.
func TestFactories(t *testing.T) {
	c := newChain(t, source(t, "testdata/factories.sol"), world.Options{})
	if exec := c.call(world.User1, "Pool", "fee"); exec.Calls[0].Outcome == evm.Success {
		t.Error("a pool that no factory made knows a fee: this tests nothing")
	}
	exec := c.call(world.User1, "Pool#2", "fee")
	if fee := new(uint256.Int).SetBytes(exec.Calls[0].Output); fee.Uint64() != 30 {
		t.Errorf("the fee is %s: %s", fee, exec.Calls[0].Reason())
	}
	exec = c.call(world.User1, "TestToken#2", "allowance", world.Attacker.Address, c.instance("Pool#2").Address)
	if allowed := new(uint256.Int).SetBytes(exec.Calls[0].Output); allowed.IsZero() {
		t.Error("the pool of the factory may not take the attacker's tokens")
	}
	for _, in := range c.world.Instances {
		if in.Name == "Registry#3" || in.Name == "Pool#3" {
			t.Errorf("there is a %s", in.Name)
		}
	}
}
