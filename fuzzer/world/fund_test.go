package world_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestPaying: a token that a constructor asks for by a well-known interface or a customary
// name exists, and every sender has some of it and may pay with it at once; other tokens
// are left alone.
func TestPaying(t *testing.T) {
	c := newChain(t, source(t, "testdata/paying.sol"), world.Options{})
	word := func(from evm.Sender, instance, method string, args ...any) *uint256.Int {
		t.Helper()
		exec := c.call(from, instance, method, args...)
		if exec.Calls[0].Outcome != evm.Success {
			t.Fatalf("%s.%s by %s fails: %s", instance, method, from.Name, exec.Calls[0].Reason())
		}
		return new(uint256.Int).SetBytes(exec.Calls[0].Output)
	}
	asset := common.Address(word(world.User1, "Vault", "asset").Bytes20())
	if asset != c.instance("TestToken").Address {
		t.Errorf("the vault's asset is at %s", asset)
	}
	for i, s := range world.Senders() {
		if got := word(s, "TestToken", "balanceOf", s.Address); got.IsZero() {
			t.Errorf("%s has no tokens", s.Name)
		}
		word(s, "Vault", "deposit", big.NewInt(100))
		word(s, "Router", "unwrap", big.NewInt(100))
		word(s, "Market", "sell", big.NewInt(int64(i+1)))
		if got := word(s, "Vault", "balanceOf", s.Address); !got.IsZero() {
			t.Errorf("%s has %s shares before anybody deposits", s.Name, got)
		}
	}
	if got := word(world.User1, "Vault", "totalSupply"); !got.IsZero() {
		t.Errorf("there are %s shares before anybody deposits", got)
	}
	if a, b := word(world.User1, "Pool", "tokenA"), word(world.User1, "Pool", "tokenB"); a.Eq(b) {
		t.Errorf("the pool's tokens are both at %s", a.Hex())
	}
	keeper := word(world.User1, "Roles", "KEEPER_ROLE").Bytes32()
	for _, s := range world.Senders() {
		if got := word(s, "Roles", "hasRole", keeper, s.Address); got.IsZero() == (s.Name == world.Deployer.Name) {
			t.Errorf("%s keeps: %s", s.Name, got)
		}
	}
}

// TestPayingWithNumbered: a contract that another one is named by is there before that one, and every sender has one of what a collection numbers itself, though only its owner makes them, and may pay with it.
func TestPayingWithNumbered(t *testing.T) {
	c := newChain(t, source(t, "testdata/numbered.sol"), world.Options{})
	for i, s := range world.Senders() {
		if exec := c.call(s, "LandRegister", "lodge", big.NewInt(int64(i))); exec.Calls[0].Outcome != evm.Success {
			t.Errorf("%s has no deed to lodge: %s", s.Name, exec.Calls[0].Reason())
		}
	}
	if got := common.BytesToAddress(c.call(world.User1, "Auditor", "register").Calls[0].Output); got != c.instance("LandRegister").Address {
		t.Errorf("the auditor looks at %s", got)
	}
	if got := common.BytesToAddress(c.call(world.User1, "FrontDesk", "clerk").Calls[0].Output); got != c.instance("LargeFrontOffice").Address {
		t.Errorf("the desk's clerk is %s", got)
	}
}

// TestBuiltInMockByName: a plan deploys a built-in mock by its name.
func TestBuiltInMockByName(t *testing.T) {
	feed := deploy("sightline:TestFeed")
	feed.Name = "price"
	c := newChain(t, source(t, "testdata/paying.sol"), world.Options{Plan: &world.Plan{Steps: []world.Step{feed, deploy("Lender", texts("price")...)}}})
	if exec := c.call(world.User1, "Lender", "feed"); common.BytesToAddress(exec.Calls[0].Output) != c.instance("price").Address {
		t.Errorf("the lender's feed is at %x", exec.Calls[0].Output)
	}
}
