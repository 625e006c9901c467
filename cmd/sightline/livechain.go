package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/fuzzer/world/chain"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// forks says which chains the project's tests may fork: whatever they call it, it is the
// one that --rpc names, at one block.
type forks struct {
	aliases   []string // names of foundry.toml; what they stand for is not read
	id, block uint64   // of the chain
	given     bool     // the block was asked for by --block
	wanted    uint64   // the first other block that a test asked for; 0: none
}

// forks are those that tests may make; nil without a chain.
func (f *campaignFlags) forks(pr *project) *forks {
	if f.chain == nil {
		return nil
	}
	return &forks{aliases: pr.endpoints(), id: f.chain.ID(), block: f.chain.Block().Number, given: f.block != 0}
}

// schemes begin the address of an endpoint.
var schemes = []string{"http://", "https://", "ws://", "wss://", "${"}

// wellKnown are the ids of chains by the names that forge-std's StdChains has for them.
var wellKnown = map[string]uint64{
	"mainnet": 1, "sepolia": 11155111, "holesky": 17000, "hoodi": 560048, "optimism": 10, "optimism_sepolia": 11155420, "arbitrum_one": 42161,
	"arbitrum_one_sepolia": 421614, "arbitrum_nova": 42170, "polygon": 137, "polygon_amoy": 80002, "avalanche": 43114, "avalanche_fuji": 43113,
	"bnb_smart_chain": 56, "bnb_smart_chain_testnet": 97, "gnosis_chain": 100, "base": 8453, "base_sepolia": 84532, "blast": 81457, "linea": 59144,
	"scroll": 534352, "unichain": 130, "moonbeam": 1284, "celo": 42220,
}

// check implements [cheatcode.Fork]'s.
func (f *forks) check(name string, block *uint64) error {
	address := slices.ContainsFunc(schemes, func(scheme string) bool { return strings.HasPrefix(name, scheme) })
	switch id := wellKnown[name]; {
	case name != "" && !address && !slices.Contains(f.aliases, name):
		return fmt.Errorf("%s is neither an address nor an alias that foundry.toml has among rpc_endpoints", human.Printable(name))
	case id != 0 && id != f.id:
		return fmt.Errorf("%s is chain %d, and --rpc is chain %d", name, id, f.id)
	case block == nil || *block == f.block:
		return nil
	}
	if f.wanted == 0 {
		f.wanted = *block
	}
	how := "--block says"
	if !f.given {
		how = "the World is at"
	}
	return fmt.Errorf("the test forks block %d, and %s %d: a World has one block", *block, how, f.block)
}

// openChain prepares to read the chain that --rpc names, if it does.
func (f *campaignFlags) openChain(ctx context.Context, show *progress.Log) error {
	if f.rpc == "" {
		return nil
	}
	if f.plan.Block != nil {
		return exit.BadInput("--rpc, and the configuration has an environment: the chain's block is the environment, leave out one of them")
	}
	if f.block == 0 {
		return f.openBlock(ctx, nil, show)
	}
	return f.openBlock(ctx, &f.block, show)
}

// openBlock makes the chain at a block, nil for the latest, what the World goes on from.
func (f *campaignFlags) openBlock(ctx context.Context, number *uint64, show *progress.Log) error {
	c, err := chain.Open(ctx, chain.Options{URL: f.rpc, Cache: chainDir(), Block: number})
	if err != nil {
		return exit.CannotFuzz("--rpc: %w", err)
	}
	block := c.Block()
	f.chain, f.plan.Origin, f.plan.Block = c, c, &block
	show.Line("chain   block %d of chain %d, read from %s", block.Number, c.ID(), c.Host())
	return nil
}

// maxState bounds a state file, bytes: some hundred thousand accounts.
const maxState = 256 << 20

// readState reads the state that --state names, if it does.
func (f *campaignFlags) readState() error {
	if f.state == "" {
		return nil
	}
	if f.rpc != "" {
		return exit.BadInput("--state and --rpc both say what there is to begin with: give one of them")
	}
	text, err := files.ReadBounded(f.state, maxState)
	if err != nil {
		return exit.BadInput("--state %s: %w", f.state, files.Plain(err))
	}
	accounts, block, err := world.ReadState(text)
	if err != nil {
		return exit.BadInput("--state %s: %w", f.state, err)
	}
	f.plan.Accounts = accounts
	if f.plan.Block == nil {
		f.plan.Block = &block
	}
	return nil
}

// closeChain keeps what was read, and says in the report what the World goes on from.
func (f *campaignFlags) closeChain(r *report.Report) {
	if f.chain == nil {
		return
	}
	r.World.Chain = &report.Chain{ID: f.chain.ID(), Block: f.chain.Block().Number, Hash: f.chain.Hash().Hex()}
	if err := f.chain.Save(); err != nil {
		r.Warnings = append(r.Warnings, "what the chain answered is not kept: "+err.Error())
	}
}
