package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
)

// subject is a project whose contracts are called.
type subject struct {
	name    string
	outputs []*compile.Output
}

// published are the packages from npm, over all compiler versions that matter.
var published = []struct{ name, version, folder, solc string }{
	{"@openzeppelin/contracts", "4.9.3", ".", "0.8.17"},
	{"@gnosis.pm/safe-contracts", "1.3.0", "contracts", "0.7.6"},
	{"@uniswap/v2-core", "1.0.1", "contracts", "0.5.16"},
	{"openzeppelin-solidity", "2.5.1", "contracts", "0.5.17"},
	{"zeppelin-solidity", "1.12.0", "contracts", "0.4.24"},
}

// subjects builds everything: our examples, and what npm has.
func subjects(ctx context.Context, run *harness.Run) ([]subject, error) {
	var all []subject
	for _, name := range examples.Names() {
		output, err := corpus.Example(name)
		if err != nil {
			return nil, err
		}
		all = append(all, subject{name, []*compile.Output{output}})
	}
	if asked.onlyExamples {
		return all, nil
	}
	packages := harness.Packages{}
	for _, p := range published {
		packages[p.name] = p.version
		packages.Solc(p.solc)
	}
	modules, err := run.Install(ctx, "differential", packages)
	if err != nil {
		return nil, err
	}
	b := corpus.Builder{Run: run, Modules: modules}
	for _, p := range published {
		from := os.DirFS(filepath.Join(modules, filepath.FromSlash(p.name)))
		outputs, err := b.Project(ctx, filepath.Base(p.name), p.solc, from, p.folder)
		if err != nil {
			return nil, err
		}
		all = append(all, subject{p.name + " " + p.version, outputs})
	}
	return all, nil
}

// runtimeCodes are the codes that mutants are made of.
func runtimeCodes(subjects []subject) [][]byte {
	var codes [][]byte
	for _, s := range subjects {
		for _, c := range compile.Contracts(s.outputs) {
			if c.Runtime != nil && len(c.Runtime.Bytes) > 0 {
				codes = append(codes, c.Runtime.Bytes)
			}
		}
	}
	return codes
}

// pair is a machine that runs everything on two.
type pair struct {
	ours, reference evm.Exporter
	world           *evm.World
	tally           *tally
	stop            context.CancelFunc
}

// Run runs the sequence on both machines, and gives what the reference yields.
func (p *pair) Run(seq evm.Sequence) (*evm.Execution, error) {
	p.tally.calls += uint64(len(seq))
	d, err := evmtest.Compare(p.ours, p.reference, seq)
	if d != nil || err != nil {
		what := fmt.Sprint(err)
		if d != nil {
			what = d.String()
		}
		p.tally.mismatches = append(p.tally.mismatches, mismatch{p.world, seq.Clone(), true, what})
		if len(p.tally.mismatches) >= enough {
			p.stop()
		}
	}
	return p.reference.Run(seq) // remembered: no call of it runs again
}

// campaign runs a campaign on the subject, whose machines are pairs.
func (s *subject) campaign(ctx context.Context, run *harness.Run, calls uint64) (*tally, error) {
	deployed, err := timetotarget.Deploy(ctx, s.name, s.outputs, nil)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var tallies []*tally // one for each machine, which run at the same time
	config := deployed.Config(fuzzer.Cutoff, fuzzer.Techniques{}, run.Seed, run.Now)
	config.Workers, config.MaxCalls = 2, calls
	config.NewMachine = func() (evm.Machine, error) {
		ours, reference, err := machines(deployed.World, deployed.Table, evm.LiftCodeSizeLimits)
		if err != nil {
			return nil, err
		}
		t := &tally{}
		tallies = append(tallies, t)
		return &pair{ours, reference, deployed.World, t, stop}, nil
	}
	if _, err := (&fuzzer.Campaign{Config: config}).Run(ctx); err != nil {
		return nil, err
	}
	total := &tally{}
	for t := range slices.Values(tallies) {
		total.add(t)
	}
	return total, nil
}
