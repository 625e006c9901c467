package world_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestStandIn: what stands in for a feed answers with what fits the names, then with what the deployer has set, for each asset, and
// nobody else can set that.
func TestStandIn(t *testing.T) {
	c := newChain(t, source(t, "testdata/feeds.sol"), world.Options{})
	source, other := [32]byte{1}, [32]byte{2}
	asset := c.instance("Lender").Address
	// after is what a function answers a user after some calls.
	after := func(calls []evm.Call, instance, function string, arguments ...any) string {
		exec := c.run(append(calls, c.encode(world.User1, instance, function, arguments...))...)
		last := exec.Calls[len(exec.Calls)-1]
		if last.Outcome != evm.Success {
			return last.Reason()
		}
		return common.BytesToHash(last.Output).Big().String()
	}
	const unit = "1000000000000000000"
	if got := [...]string{
		after(nil, "Lender", "worth", asset, source), after(nil, "IQuotes", "decimals"), after(nil, "IQuotes", "round"), after(nil, "IQuotes", "spread"),
	}; got != [...]string{unit, "18", "1", unit} {
		t.Errorf("at first %q", got)
	}
	now := c.world.Block.Time
	for _, test := range []struct {
		from         evm.Sender
		value        int64
		time         uint64
		valid, stale bool
		want         string
	}{
		{world.Deployer, 5, now, true, false, "5"},
		{world.Deployer, 0, now, true, false, "0"},
		{world.Deployer, 7, now, false, false, "no price"},
		{world.Deployer, 7, now, true, true, "no price"},
		{world.Deployer, 7, now - 7200, true, false, "no price"},
		{world.User1, 5, now, true, false, unit},
	} {
		set := []evm.Call{c.encode(test.from, "IQuotes", "setPrice", asset, source, big.NewInt(test.value), test.time, test.valid, test.stale)}
		if got := after(set, "Lender", "worth", asset, source); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
		if got := after(set, "Lender", "worth", asset, other); got != unit {
			t.Errorf("of another source: %q", got)
		}
	}
	if got := after([]evm.Call{c.encode(world.Deployer, "IQuotes", "setSpread", big.NewInt(-3))}, "IQuotes", "spread"); len(got) != 78 {
		t.Errorf("the spread is %s, not 2^256 − 3", got)
	}
	short := c.encode(world.Deployer, "IQuotes", "setSpread", big.NewInt(3))
	short.Data = short.Data[:len(short.Data)-1]
	if got := after([]evm.Call{short}, "IQuotes", "spread"); got != unit {
		t.Errorf("after a call that lacks a byte: %s", got)
	}
}

// TestStandInByName: a plan deploys what stands in for an interface by its name.
func TestStandInByName(t *testing.T) {
	feed := deploy("sightline:IQuotes")
	feed.Name = "quotes"
	c := newChain(t, source(t, "testdata/feeds.sol"), world.Options{Plan: &world.Plan{Steps: []world.Step{feed, deploy("Lender", texts("quotes")...)}}})
	if exec := c.call(world.User1, "Lender", "quotes"); common.BytesToAddress(exec.Calls[0].Output) != c.instance("quotes").Address {
		t.Errorf("the lender's quotes are at %x", exec.Calls[0].Output)
	}
}

// TestStandInUnknown: there is none for what the build does not have, or what has code.
func TestStandInUnknown(t *testing.T) {
	for _, name := range []string{"INothing", "Lender"} {
		plan := &world.Plan{Steps: []world.Step{deploy("sightline:" + name)}}
		_, _, err := world.Auto(context.Background(), bytecode.NewTable(source(t, "testdata/feeds.sol")), world.Options{Plan: plan})
		if err == nil || !strings.Contains(err.Error(), `no contract "sightline:`+name+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
