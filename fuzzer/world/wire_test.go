package world_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestWiring: contracts are told of each other by their setters, so that constructors that ask a
// registry find what they need, proxies that it makes are what others are given, and what is listed
// there can be paid with.
func TestWiring(t *testing.T) {
	c := newChain(t, source(t, "testdata/wiring.sol"), world.Options{})
	address := func(instance, method string) common.Address {
		t.Helper()
		return common.BytesToAddress(c.call(world.User1, instance, method).Calls[0].Output)
	}
	for _, test := range []struct{ instance, method, want string }{
		{"Registry", "getMarket", "Market#proxy"},
		{"Registry", "getPriceSource", "PriceSource"},
		{"Registry", "getChief", "deployer"},
		{"Registry", "seen", ""},
		{"Gate", "chief", "deployer"},
		{"Share", "market", "Market#proxy"},
		{"Market#proxy", "registry", "Registry"},
		{"Market#proxy", "listed", "Coin"},
	} {
		var want common.Address
		switch test.want {
		case "":
		case "deployer":
			want = world.Deployer.Address
		default:
			want = c.instance(test.want).Address
		}
		if got := address(test.instance, test.method); got != want {
			t.Errorf("%s.%s is %s, want %s", test.instance, test.method, got, test.want)
		}
	}
	exec := c.call(world.User1, "Market#proxy", "deposit", big.NewInt(1000))
	if exec.Calls[0].Outcome != evm.Success {
		t.Errorf("a user cannot pay with what is listed: %s", exec.Calls[0].Reason())
	}
	if !slices.ContainsFunc(c.report.Calls, func(call string) bool { return strings.HasPrefix(call, "Registry.setMarketImpl(") }) {
		t.Errorf("the report does not tell: %v", c.report.Calls)
	}
}

// TestRegistry: a World has the ERC-1820 registry if code names it, and no other has.
func TestRegistry(t *testing.T) {
	all := source(t, "testdata/wiring.sol")
	c := newChain(t, all, world.Options{})
	if got := common.BytesToAddress(c.call(world.User1, "Registered", "implementer").Calls[0].Output); got != c.instance("Registered").Address {
		t.Errorf("the registry answers %s", got)
	}
	all = slices.DeleteFunc(all, func(c *bytecode.Contract) bool { return c.Name == "Registered" })
	c = newChain(t, all, world.Options{})
	if slices.ContainsFunc(c.world.Instances, func(in evm.Instance) bool { return in.Name == "ERC1820Registry" }) {
		t.Error("there is a registry that nothing names")
	}
}
