package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// goal is what campaigns are after.
type goal struct {
	*timetotarget.Goal
	name       string
	milestones int // on the way; 0: not known
	targets    []bytecode.Target
}

// open makes the goals that are asked for.
func open(ctx context.Context, run *harness.Run) ([]*goal, error) {
	goals, err := openMachines(ctx, run)
	if err != nil {
		return nil, err
	}
	if options.bracket > 0 {
		others, err := openFrozen(ctx, run)
		if err != nil {
			return nil, err
		}
		goals = append(goals, others...)
	}
	if len(goals) == 0 {
		return nil, fmt.Errorf("-only %s: no target has such a name", options.only)
	}
	for _, g := range goals {
		g.Limit = options.limit
	}
	return goals, nil
}

// wanted reports whether -only names the target.
func wanted(name string) bool {
	return slices.ContainsFunc(strings.Split(options.only, ","), func(part string) bool { return strings.Contains(name, part) })
}

// opLOG1 emits an event without indexed arguments (yellow paper, appendix H.2).
const opLOG1 = 0xa1

// eventGoal is the block of the subject's only contract that emits an event.
func eventGoal(s *timetotarget.Subject, name string, milestones int) (*goal, error) {
	contract := s.World.Instances[0].Contract
	program := s.Table.Program(contract.Runtime.ID)
	facts := lookahead.NewFacts(program, 0) // the byte may be in the metadata, too
	var goals []*goal
	program.Instructions(func(pc uint32) bool {
		if b, ok := program.BlockOf(pc); ok && program.Bytes[pc] == opLOG1 && !facts.Unreachable(b) {
			goals = append(goals, blockGoal(s, name, contract, b, milestones))
		}
		return true
	})
	if len(goals) != 1 {
		return nil, fmt.Errorf("%s: %d events, want 1", name, len(goals))
	}
	return goals[0], nil
}

// blockGoal is a block of a contract's runtime code, reached by a call that succeeds.
func blockGoal(s *timetotarget.Subject, name string, contract *bytecode.Contract, block bytecode.BlockID, milestones int) *goal {
	program := s.Table.Program(contract.Runtime.ID)
	entry := bytecode.Location{Code: program.ID, PC: program.Blocks[block].Start}
	reached := func(exec *evm.Execution) bool {
		for i := range exec.Covered {
			if c := &exec.Covered[i]; c.Code == program.ID && c.Block == block && c.Kept {
				return true
			}
		}
		return false
	}
	return &goal{
		Goal: &timetotarget.Goal{Subject: s, Reached: reached}, name: name, milestones: milestones,
		targets: []bytecode.Target{{Contract: contract.QualifiedName(), Entries: []bytecode.Location{entry}}},
	}
}
