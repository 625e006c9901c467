package main

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// own are the guards' contracts.
//
//go:embed contracts
var own embed.FS

// compiler is the solc that the guards are compiled with.
const compiler = "0.8.17"

// guard is a contract that emits an event behind a condition.
type guard struct {
	name    string
	goal    *timetotarget.Goal
	targets []bytecode.Target // the block that emits the event
}

// open compiles the guards and deploys each alone.
func open(ctx context.Context, run *harness.Run, wanted func(name string) bool) ([]*guard, error) {
	modules, err := run.Install(ctx, "guards", harness.Packages{"@openzeppelin/contracts": "4.9.3"}.Solc(compiler))
	if err != nil {
		return nil, err
	}
	b := corpus.Builder{Run: run, Modules: modules}
	outputs, err := b.Project(ctx, "guards", compiler, own, "contracts/guards")
	if err != nil {
		return nil, err
	}
	var guards []*guard
	for _, c := range compile.Contracts(outputs) {
		if !c.Deployable() || !slices.Contains(c.Implements, "Guard") || !wanted(c.Name) {
			continue
		}
		g, err := openOne(ctx, c.Name, outputs)
		if err != nil {
			return nil, err
		}
		guards = append(guards, g)
	}
	if len(guards) == 0 {
		return nil, fmt.Errorf("-only %s: no guard has such a name", options.only)
	}
	return guards, nil
}

func openOne(ctx context.Context, name string, outputs []*compile.Output) (*guard, error) {
	s, err := timetotarget.Deploy(ctx, name, outputs, []string{name})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(s.World.Instances, func(in evm.Instance) bool { return in.Contract != nil && in.Contract.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s: it could not be deployed: %+v", name, s.Setup.Failures)
	}
	contract := s.World.Instances[at].Contract
	program := s.Table.Program(contract.Runtime.ID)
	facts := lookahead.NewFacts(program, 0) // the byte may be in the metadata, too
	var targets []bytecode.Target
	program.Instructions(func(pc uint32) bool {
		if program.Bytes[pc] == opLOG1 {
			if b, ok := program.BlockOf(pc); ok && !facts.Unreachable(b) {
				entry := bytecode.Location{Code: program.ID, PC: program.Blocks[b].Start}
				targets = append(targets, bytecode.Target{Contract: contract.QualifiedName(), Entries: []bytecode.Location{entry}})
			}
		}
		return true
	})
	if len(targets) != 1 {
		return nil, fmt.Errorf("%s: %d events, want 1", name, len(targets))
	}
	return &guard{name: name, targets: targets, goal: &timetotarget.Goal{Subject: s, Limit: options.limit, Reached: emitted}}, nil
}

// opLOG1 emits an event without indexed arguments (yellow paper, appendix H.2).
const opLOG1 = 0xa1

// emitted reports whether the event was emitted in a frame whose effects last.
func emitted(exec *evm.Execution) bool {
	for i := range exec.Frames {
		if len(exec.Frames[i].Logs) == 0 {
			continue
		}
		lasts := true
		for at := i; at >= 0; at = exec.Frames[at].Parent {
			lasts = lasts && exec.Frames[at].Outcome == evm.Success
		}
		if lasts {
			return true
		}
	}
	return false
}
