package deploy

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
)

// forks says which chain the project's tests may fork: under any name, it is the one that
// --rpc names, at one block.
type forks struct {
	aliases   []string // of foundry.toml; their URLs are not read
	id, block uint64   // of the chain
	given     bool     // the block was asked for by --block
	wanted    uint64   // the first other block that a test asked for; 0: none
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

// check is the check of a [cheatcode.Fork].
func (f *forks) check(name string, block *uint64) error {
	address := slices.ContainsFunc(schemes, func(scheme string) bool { return strings.HasPrefix(name, scheme) })
	switch id := wellKnown[name]; {
	case name != "" && !address && !slices.Contains(f.aliases, name):
		return fmt.Errorf("%s is neither a URL nor an alias in foundry.toml's rpc_endpoints", human.Printable(name))
	case id != 0 && id != f.id:
		return fmt.Errorf("%s is chain %d, but --rpc is chain %d", name, id, f.id)
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
	return fmt.Errorf("the test forks block %d, but %s %d: a World has one block", *block, how, f.block)
}

// openChain opens the chain that --rpc names; nil without --rpc.
func (o *Options) openChain(ctx context.Context) (*chain.Chain, error) {
	if o.RPC == "" {
		return nil, nil
	}
	if o.Plan.World.Block != nil {
		return nil, exit.BadInput("--rpc and the configuration's environment are mutually exclusive: the chain's block is the environment")
	}
	if o.Block == 0 {
		return o.openBlock(ctx, nil)
	}
	return o.openBlock(ctx, &o.Block)
}

// openBlock opens the chain at a block, nil for the latest.
func (o *Options) openBlock(ctx context.Context, number *uint64) (*chain.Chain, error) {
	c, err := chain.Open(ctx, chain.Options{URL: o.RPC, Cache: files.Cache("chains"), Block: number})
	if err != nil {
		return nil, exit.CannotFuzz("--rpc: %w", err)
	}
	return c, nil
}

// OpenChain opens a chain at a block, where a World that was made before goes on from it.
func OpenChain(ctx context.Context, url string, block uint64) (*chain.Chain, error) {
	return (&Options{RPC: url}).openBlock(ctx, &block)
}

// startAt makes the World go on from a chain's state.
func (r *Recipe) startAt(c *chain.Chain, log *progress.Log) {
	block := c.Block()
	r.Chain, r.Plan.World.Origin, r.Plan.World.Block = c, c, &block
	log.Line("chain   block %d of chain %d, read from %s", block.Number, c.ID(), c.Host())
}

// maxState bounds a state file, bytes: a few hundred thousand accounts.
const maxState = 256 << 20

// readState reads the file that --state names, if any, as the state to begin with.
func (r *Recipe) readState(o *Options) error {
	if o.State == "" {
		return nil
	}
	if o.RPC != "" {
		return exit.BadInput("--state and --rpc are mutually exclusive")
	}
	text, err := files.ReadBounded(o.State, maxState)
	if err != nil {
		return exit.BadInput("--state %s: %w", o.State, files.Plain(err))
	}
	accounts, block, err := world.ReadState(text)
	if err != nil {
		return exit.BadInput("--state %s: %w", o.State, err)
	}
	r.Plan.World.Accounts = accounts
	if r.Plan.World.Block == nil {
		r.Plan.World.Block = &block
	}
	return nil
}
