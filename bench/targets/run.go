package main

import (
	"context"

	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// goal is a target of a subject.
type goal struct {
	frozen
	subject *timetotarget.Subject
	where   string // the line, for people
	target  bytecode.Target
	block   bytecode.BlockID
	others  []bytecode.Target // that the campaign looks for besides
	// failing: calls that fail count too. That an assert breaks is what an assert is
	// there for; a target of the others is reached by a call that succeeds.
	failing bool
}

func (g *goal) reachedBy(exec *evm.Execution) bool {
	code := g.target.Entries[0].Code
	for i := range exec.Covered {
		if c := &exec.Covered[i]; c.Code == code && c.Block == g.block && (c.Kept || g.failing) {
			return true
		}
	}
	return false
}

// pursue runs one campaign toward a target.
func pursue(ctx context.Context, g *goal, config fuzzer.Config, limit uint64) (*timetotarget.Sample, error) {
	config.Targets = append([]bytecode.Target{g.target}, g.others...)
	return timetotarget.Run(ctx, &timetotarget.Goal{Subject: g.subject, Reached: g.reachedBy, Limit: limit}, config)
}
