package world_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// chain is a World with a machine on it.
type chain struct {
	t       *testing.T
	table   *bytecode.Table
	world   *evm.World
	report  *world.Report
	machine evm.Machine
}

func newChain(t *testing.T, contracts []*bytecode.Contract, options world.Options) *chain {
	t.Helper()
	c := &chain{t: t, table: bytecode.NewTable(contracts)}
	var err error
	if c.world, c.report, err = world.Auto(context.Background(), c.table, options); err != nil {
		t.Fatal(err)
	}
	if c.machine, err = gethvm.New(c.world, c.table); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *chain) instance(name string) *evm.Instance {
	c.t.Helper()
	var names []string
	for i := range c.world.Instances {
		if c.world.Instances[i].Name == name {
			return &c.world.Instances[i]
		}
		names = append(names, c.world.Instances[i].Name)
	}
	c.t.Fatalf("no instance %q among %s", name, strings.Join(names, ", "))
	return nil
}

// call calls a method of an instance by that instance's ABI.
func (c *chain) call(from evm.Sender, instance, method string, args ...any) *evm.Execution {
	c.t.Helper()
	return c.run(c.encode(from, instance, method, args...))
}

// encode is such a call.
func (c *chain) encode(from evm.Sender, instance, method string, args ...any) evm.Call {
	c.t.Helper()
	in := c.instance(instance)
	data, err := in.Contract.ABI.Pack(method, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return evm.Call{From: from.Address, To: in.Address, Data: data}
}

// run runs calls, one after the other.
func (c *chain) run(calls ...evm.Call) *evm.Execution {
	c.t.Helper()
	exec, err := c.machine.Run(calls)
	if err != nil {
		c.t.Fatal(err)
	}
	return exec
}

func source(t *testing.T, path string) []*bytecode.Contract {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return testsolc.Compile(t, string(text), testsolc.Settings{})
}

// TestThroughProxies: what runs behind a proxy is the implementation's code, on
// the proxy's storage, whatever kind of proxy it is.
func TestThroughProxies(t *testing.T) {
	c := newChain(t, source(t, "testdata/proxies.sol"), world.Options{})
	for _, tc := range []struct {
		instance, method string
		from             evm.Sender
		args             []any
		want             evm.Outcome
	}{
		{"Vault#proxy", "cap", world.User1, nil, evm.Success},                     // ours
		{"Vault#proxy", "raise", world.Deployer, []any{common.Big1}, evm.Success}, // initialized for the deployer
		{"Vault#proxy", "raise", world.Attacker, []any{common.Big1}, evm.Reverted},
		{"Vault#proxy#2", "cap", world.User1, nil, evm.Success}, // Plain's
		{"Vault#proxy#3", "cap", world.User1, nil, evm.Success}, // Administered's
		{"Wallet#proxy", "execute", world.User1, nil, evm.Success},
		{"Wallet#proxy#2", "execute", world.User1, nil, evm.Success}, // Trailing's
	} {
		exec := c.call(tc.from, tc.instance, tc.method, tc.args...)
		if got := exec.Calls[0].Outcome; got != tc.want {
			t.Errorf("%s.%s: outcome %d (%s), want %d", tc.instance, tc.method, got, exec.Calls[0].Reason(), tc.want)
		}
		in := c.instance(tc.instance)
		covered := false
		for _, block := range exec.Covered {
			covered = covered || block.Code == in.Contract.Runtime.ID
		}
		if !covered {
			t.Errorf("%s.%s does not run the code of %s", tc.instance, tc.method, in.Contract.Name)
		}
		for _, frame := range exec.Frames {
			for _, access := range frame.Storage {
				if access.Address != in.Address {
					t.Errorf("%s.%s: storage of %s", tc.instance, tc.method, access.Address)
				}
			}
		}
	}
	// A proxy with functions of its own can still be called by them.
	exec := c.call(world.Deployer, "Administered", "changeAdmin", world.User2.Address)
	if exec.Calls[0].Outcome != evm.Success {
		t.Errorf("changeAdmin: %s", exec.Calls[0].Reason())
	}
	if c.instance("Administered").Address != c.instance("Vault#proxy#3").Address {
		t.Error("the proxy and what is behind it are at two addresses")
	}
}

// TestOwnProxy: a build's ERC1967Proxy is used in place of ours.
func TestOwnProxy(t *testing.T) {
	text, err := os.ReadFile("testdata/proxies.sol")
	if err != nil {
		t.Fatal(err)
	}
	for _, refuses := range []bool{false, true} { // newer ones refuse to be left uninitialized
		renamed := strings.NewReplacer("Plain", "ERC1967Proxy").Replace(string(text))
		if refuses {
			renamed = strings.Replace(renamed, "if (data.length > 0) {", `require(data.length > 0, "uninitialized"); {`, 1)
		}
		contracts := testsolc.Compile(t, renamed, testsolc.Settings{})
		c := newChain(t, contracts, world.Options{Only: []string{"Vault", "Coin"}})
		exec := c.call(world.Deployer, "Vault#proxy", "raise", common.Big1)
		if exec.Calls[0].Outcome != evm.Success {
			t.Fatal(exec.Calls[0].Reason())
		}
		contract := exec.Frames[0].Program.Contract
		if refuses && contract != nil {
			t.Errorf("the proxy is %s, want ours", contract.Name)
		}
		if !refuses && (contract == nil || contract.Name != "ERC1967Proxy") {
			t.Errorf("the proxy is %v, want the build's", contract)
		}
	}
}

// TestUninitialized: contracts whose initializer is to be reached keep an
// instance where it can be called.
func TestUninitialized(t *testing.T) {
	contracts := source(t, "testdata/proxies.sol")
	c := newChain(t, contracts, world.Options{Only: []string{"Vault", "Pool", "Coin"}, Uninitialized: []string{"Vault", "Pool"}})
	coin := c.instance("Coin").Address
	coin2 := c.instance("Coin#2").Address
	for _, tc := range []struct {
		instance string
		args     []any
		want     evm.Outcome
	}{
		{"Vault", []any{world.User1.Address, coin, common.Big1}, evm.Reverted},
		{"Vault#proxy", []any{world.User1.Address, coin, common.Big1}, evm.Reverted},
		{"Pool", []any{coin, coin2}, evm.Success},
		{"Pool#2", []any{coin, coin2}, evm.Reverted},
	} {
		exec := c.call(world.Deployer, tc.instance, "initialize", tc.args...)
		if exec.Calls[0].Outcome != tc.want {
			t.Errorf("%s: outcome %d (%s), want %d", tc.instance, exec.Calls[0].Outcome, exec.Calls[0].Reason(), tc.want)
		}
	}
	exec := c.call(world.Deployer, "Vault#proxy#2", "initialize", world.User1.Address, coin, common.Big1)
	if reason := exec.Calls[0].Reason(); !strings.Contains(reason, "bad") { // the arguments are wrong, no more
		t.Errorf("Vault#proxy#2: %s", reason)
	}
	// By default there are no such instances.
	c = newChain(t, contracts, world.Options{Only: []string{"Vault", "Pool", "Coin"}})
	if n := len(c.world.Instances); n != 5 {
		t.Errorf("%d instances, want Vault, its proxy, Pool and two Coins: %+v", n, c.world.Instances)
	}
}

// TestLimit: no kind of instance gets past the limit.
func TestLimit(t *testing.T) {
	contracts := source(t, "testdata/proxies.sol")
	for limit := 1; limit < 16; limit++ {
		c := newChain(t, contracts, world.Options{MaxInstances: limit, Uninitialized: []string{"Vault", "Pool"}})
		if len(c.world.Instances) > limit {
			t.Errorf("%d instances, at most %d are allowed", len(c.world.Instances), limit)
		}
		seen := map[string]bool{}
		for _, in := range c.world.Instances {
			if seen[in.Name] {
				t.Errorf("limit %d: two instances are named %s", limit, in.Name)
			}
			seen[in.Name] = true
		}
	}
}
