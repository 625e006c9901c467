package world_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

func texts(list ...string) []world.Value {
	var values []world.Value
	for _, t := range list {
		values = append(values, world.Value{Text: t, Place: "line 7"})
	}
	return values
}

// deploy is a step that deploys a contract.
func deploy(contract string, arguments ...world.Value) world.Step {
	return world.Step{Contract: contract, Message: world.PlannedMessage{Arguments: arguments}, Place: "line 7"}
}

// called is a step that calls a function.
func called(function, from string, arguments ...string) world.Step {
	return world.Step{Message: world.PlannedMessage{Function: function, Arguments: texts(arguments...)}, From: from, Place: "line 8"}
}

// fees is a struct by its fields, in another order.
func fees() world.Value {
	return world.Value{Fields: []world.NamedValue{
		{Name: "takers", Value: world.Value{List: texts("user1", "Token")}},
		{Name: "exit", Value: texts("-5")[0]}, {Name: "entry", Value: texts("0xff")[0]},
	}}
}

const tag = "0x00000000000000000000000000000000000000000000000000000000000000aa"

// TestPlan follows a plan with references, a proxy, calls, an account and an
// environment of its own.
func TestPlan(t *testing.T) {
	alice := evm.Sender{Name: "alice", Address: common.HexToAddress("0xa11ce")}
	block := evm.DefaultBlock()
	block.Number = 77
	logic := deploy("Vault", fees(), texts(tag)[0], texts("false")[0])
	logic.Name, logic.Value = "logic", world.Value{Text: "0.5 ether"}
	proxy := deploy("Proxy", texts("logic")[0], world.Value{Call: &world.PlannedMessage{Function: "Vault.initialize", Arguments: texts("Token", "alice")}})
	proxy.Name, proxy.As = "vault", "Vault"
	token := deploy("Token", texts("Gold")...)
	token.From = "alice"
	c := newChain(t, source(t, filepath.Join("testdata", "plan", "plan.sol")), world.Options{
		Targets: []string{"Forgotten"},
		Plan: &world.Plan{Block: &block, Senders: []evm.Sender{alice}, Steps: []world.Step{
			token, logic, proxy,
			called("Token.mint(address,uint256)", "alice", "vault", "1_000e2"),
			called("Token.mint(address,uint256)", "", "vault", "1"),
		}},
	})
	var names []string
	for _, in := range c.world.Instances {
		names = append(names, in.Name+" "+in.Contract.Name)
	}
	if diff := cmp.Diff([]string{"Token Token", "logic Vault", "vault Vault", "Forgotten Forgotten"}, names); diff != "" {
		t.Error(diff)
	}
	for _, want := range []struct {
		instance, method string
		arguments        []any
		result           common.Address
	}{
		{"Token", "owner", nil, alice.Address},
		{"vault", "token", nil, c.instance("Token").Address},
		{"vault", "keeper", nil, alice.Address},
	} {
		exec := c.call(world.User1, want.instance, want.method, want.arguments...)
		if got := common.BytesToAddress(exec.Frames[0].Output); got != want.result {
			t.Errorf("%s.%s: %s, want %s", want.instance, want.method, got, want.result)
		}
	}
	exec := c.call(world.User1, "Token", "balanceOf", c.instance("vault").Address)
	if got := new(uint256.Int).SetBytes(exec.Frames[0].Output); got.Uint64() != 100_000 {
		t.Errorf("the vault has %s", got)
	}
	if got := c.world.Accounts[c.instance("logic").Address].Balance; got.Uint64() != 5e17 {
		t.Errorf("logic has %s wei", got.Dec())
	}
	if c.world.Block.Number != 77 || c.world.Senders[len(c.world.Senders)-1] != alice || c.world.Accounts[alice.Address].Balance.IsZero() {
		t.Errorf("block %d, senders %v", c.world.Block.Number, c.world.Senders)
	}
	if diff := cmp.Diff([]string{"Token.mint(address,uint256)(to: vault, amount: 100000) by alice"}, c.report.Calls); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"deploy, line 8: Token.mint(address,uint256)(to: vault, amount: 1) fails: not the owner"}, c.report.Notes); diff != "" {
		t.Error(diff)
	}
}

// TestPlanSends: what steps send and use does not depend on what senders own and calls get
// otherwise.
func TestPlanSends(t *testing.T) {
	vault := deploy("Vault", fees(), texts(tag)[0], texts("false")[0])
	vault.Value = world.Value{Text: "0xffffffffffffffffffffffffffffff"}
	c := newChain(t, source(t, filepath.Join("testdata", "plan", "plan.sol")), world.Options{
		Plan: &world.Plan{Steps: []world.Step{deploy("Token", texts("Gold")...), vault, deploy("Large", texts("5000")...)}},
	})
	if got := c.world.Accounts[c.instance("Large").Address].Storage; len(got) != 5000 {
		t.Errorf("%d words of storage; %v", len(got), c.report.Notes)
	}
	if got := c.world.Accounts[c.instance("Vault").Address].Balance; got.Hex() != vault.Value.Text {
		t.Errorf("the vault has %s wei; %v", got.Dec(), c.report.Notes)
	}
	if got := c.world.Accounts[world.Deployer.Address].Balance; got.Cmp(world.Funds()) < 0 {
		t.Errorf("the deployer is left with %s wei", got.Dec())
	}
}

// TestPlanReverts: what reverts is reported, and what needs it, too.
func TestPlanReverts(t *testing.T) {
	c := newChain(t, source(t, filepath.Join("testdata", "plan", "plan.sol")), world.Options{
		Targets: []string{"Vault"},
		Plan: &world.Plan{Steps: []world.Step{
			deploy("Token", texts("Gold")...),
			deploy("Vault", fees(), texts(tag)[0], texts("true")[0]),
			deploy("Proxy", texts("Vault", "0x")...),
			called("Vault.initialize", "", "Token", "user1"),
		}},
	})
	if len(c.world.Instances) != 1 {
		t.Errorf("%v", c.world.Instances)
	}
	var reasons []string
	for _, f := range c.report.Failures {
		if f.Contract.Deployable() && f.Contract.Name != "Forgotten" {
			reasons = append(reasons, f.Contract.Name+" "+f.Reason)
		}
	}
	if diff := cmp.Diff([]string{
		"Vault deploy, line 7: constructor: locked",
		"Proxy deploy, line 7: it needs Vault, which is not there: deploy, line 7: constructor: locked",
	}, reasons); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"deploy, line 8: it needs Vault, which is not there: deploy, line 7: constructor: locked"}, c.report.Notes); diff != "" {
		t.Error(diff)
	}
}

// TestPlanErrors: what cannot be meant so is an error with its place and what would do.
func TestPlanErrors(t *testing.T) {
	contracts := source(t, filepath.Join("testdata", "plan", "plan.sol"))
	vault := func(i int, v world.Value) world.Step {
		arguments := []world.Value{{List: []world.Value{texts("1")[0], texts("2")[0], {List: texts("user1")}}}, texts(tag)[0], texts("false")[0]}
		arguments[i] = v
		v.Place = "line 7"
		return deploy("Vault", arguments...)
	}
	list := func(list ...string) world.Value { return world.Value{List: texts(list...), Place: "line 7"} }
	token := deploy("Token", texts("Gold")...)
	var got []string
	for _, steps := range [][]world.Step{
		{deploy("Tokn")},
		{deploy("IToken")},
		{deploy("Token")},
		{deploy("Token", list("Gold"))},
		{token, token},
		{vault(0, list("1", "2"))},
		{vault(0, texts("1")[0])},
		{vault(0, list("65536", "2", "3"))},
		{vault(0, list("1.5", "2", "3"))},
		{vault(0, list("many", "2", "3"))},
		{vault(0, world.Value{List: []world.Value{texts("1")[0], texts("2")[0], list("nobody")}})},
		{vault(0, world.Value{Fields: []world.NamedValue{{Name: "exits"}}, Place: "line 7"})},
		{vault(0, world.Value{Fields: []world.NamedValue{{Name: "exit", Value: texts("1")[0]}}, Place: "line 7"})},
		{vault(1, texts("0xaa")[0])},
		{vault(1, texts("aa")[0])},
		{vault(2, texts("yes")[0])},
		{called("Token.mint", "", "1")},
		{token, called("Token.mint", "", "1")},
		{token, called("Token.burn", "", "1")},
		{token, called("Token.name", "nobody")},
		{token, {Contract: "Token", Name: "other", Address: "0x77", Place: "line 9"}},
	} {
		_, _, err := world.Auto(t.Context(), bytecode.NewTable(contracts), world.Options{Plan: &world.Plan{Steps: steps}})
		var e *world.PlanError
		if !errors.As(err, &e) {
			t.Fatalf("%v: %v", steps, err)
		}
		got = append(got, err.Error())
	}
	golden.Check(t, "testdata/plan/errors.golden", strings.Join(got, "\n")+"\n")
}
