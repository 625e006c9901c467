package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestFaucets: every sender has some of each token, whatever it takes to obtain it, and what
// is usable is left as it is.
func TestFaucets(t *testing.T) {
	c := newChain(t, source(t, "testdata/faucets.sol"), world.Options{})
	word := func(from evm.Sender, instance, method string, args ...any) *uint256.Int {
		t.Helper()
		return new(uint256.Int).SetBytes(c.call(from, instance, method, args...).Calls[0].Output)
	}
	for _, token := range []string{"AmountToken", "DripToken", "FaucetToken", "WrappedToken", "MockLoose"} {
		for _, s := range world.Senders() {
			if word(s, token, "balanceOf", s.Address).IsZero() {
				t.Errorf("%s has nothing of %s", s.Name, token)
			}
			if word(s, token, "allowance", s.Address, c.instance("Desk").Address).IsZero() {
				t.Errorf("the desk may not take %s's %s", s.Name, token)
			}
		}
	}
	for _, call := range c.report.Calls {
		if strings.HasPrefix(call, "Ready") || strings.HasPrefix(call, "Again") {
			t.Errorf("%s, which its constructor did", call)
		}
	}
	if got := word(world.User1, "Harness", "total"); got.Uint64() != 5 {
		t.Errorf("setUp() was not called: the total is %s", got)
	}
	if word(world.User1, "Locked", "initialized").IsZero() {
		t.Error("initialize() was not called, which the constructor had not done")
	}
	count := map[string]int{}
	for _, in := range c.world.Instances {
		count[in.Contract.Name]++
	}
	if count["Ready"] != 1 || count["Again"] != 1 || count["Made"] != 1 || count["OracleMock"] != 1 || count["MockUnused"] != 0 {
		t.Errorf("instances: %v", count)
	}
	if slices.ContainsFunc(c.report.Failures, func(f world.Failure) bool { return f.Contract.Name == "Made" }) {
		t.Error("Made counts as not deployed, though a factory made one")
	}
	for _, d := range c.report.Deployments {
		if d.Initialization != "" && d.Name != "Harness" && d.Name != "Locked" {
			t.Errorf("%s was initialized again: %s", d.Name, d.Initialization)
		}
	}
}
