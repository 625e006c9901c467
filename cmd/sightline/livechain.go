package main

import (
	"context"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/fuzzer/world/chain"
	"github.com/sightline-evm/sightline/report"
)

// openChain prepares to read the chain that --rpc names, if it does.
func (f *campaignFlags) openChain(ctx context.Context, show *progress) error {
	if f.rpc == "" {
		return nil
	}
	if f.plan.Block != nil {
		return badInput("--rpc, and the configuration has an environment: the chain's block is the environment, leave out one of them")
	}
	options := chain.Options{URL: f.rpc, Cache: chainDir()}
	if f.block != 0 {
		options.Block = &f.block
	}
	c, err := chain.Open(ctx, options)
	if err != nil {
		return cannotFuzz("--rpc: %w", err)
	}
	block := c.Block()
	f.chain, f.plan.Origin, f.plan.Block = c, c, &block
	show.line("chain   block %d of chain %d, read from %s", block.Number, c.ID(), c.Host())
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
		return badInput("--state and --rpc both say what there is to begin with: give one of them")
	}
	text, err := readBounded(f.state, maxState)
	if err != nil {
		return badInput("--state %s: %w", f.state, plainError(err))
	}
	accounts, block, err := world.ReadState(text)
	if err != nil {
		return badInput("--state %s: %w", f.state, err)
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
