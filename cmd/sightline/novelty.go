package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// novelty is what is known of a finding on the base version: one of
// [report.Introduced], [report.PreExisting] and [report.Unknown], and why.
type novelty struct{ standing, reason string }

func unknownNovelty(format string, args ...any) novelty {
	return novelty{report.Unknown, fmt.Sprintf(format, args...)}
}

// baseShare is the part of the campaign's budget that is spent on base on top of
// it, before anything is said to pass there (a tenth, as documented).
const baseShare = 10

// compareWithBase tells of each finding what is known of it on the base version:
// whether it has the code that breaks, and if so, whether that breaks there in
// the same calls, or in others made of them.
func (c *campaign) compareWithBase(ctx context.Context, show *progress.Log) map[*fuzzer.Finding]novelty {
	known := map[*fuzzer.Finding]novelty{}
	b, err := c.baseOnce(ctx, show)
	if err != nil {
		for _, f := range c.result.Findings {
			known[f] = unknownNovelty("%v", err)
		}
		return known
	}
	var open []*candidate
	for _, f := range c.result.Findings {
		n, left := b.try(f, c)
		known[f] = n
		if left != nil {
			open = append(open, left)
		}
	}
	b.replaySaved(ctx, open, c)
	b.fuzz(ctx, slices.DeleteFunc(slices.Clone(open), func(l *candidate) bool { return l.found }), c, show)
	for _, left := range open {
		known[left.finding] = left.verdict()
	}
	return known
}

// baseline is the base version's World, made as the head's was.
type baseline struct {
	*campaign
	machine evm.Machine
	sides   []diffmap.BaseSide
	known   map[string]bool                         // contracts that base has
	places  map[*fuzzer.Finding][]bytecode.Location // where base has the code that breaks
}

// candidate is a finding whose code base has, and which its calls do not show
// there.
type candidate struct {
	finding  *fuzzer.Finding
	places   []bytecode.Location // where it would show
	sequence input.Sequence      // as far as it fits
	outcome  string              // of the last call there
	missing  string              // what the calls need and base lacks; empty when they fit

	tried uint64 // further executions
	found bool   // one of them shows it
	fault string // why nothing more was tried
}

func (l *candidate) verdict() novelty {
	switch {
	case l.found:
		return novelty{report.PreExisting, "other calls break it there"}
	case l.fault != "":
		return unknownNovelty("%s", l.fault)
	case l.missing != "":
		return unknownNovelty("its calls do not fit there: %s; %s made of the others break nothing", l.missing, sequences(l.tried))
	}
	return novelty{report.Introduced, fmt.Sprintf("the same calls break nothing there (the last one %s), nor did %s made of them", l.outcome, sequences(l.tried))}
}

func sequences(n uint64) string { return human.Count(n) + " sequences" }

// baseOnce is the base's World, made when first asked for.
func (c *campaign) baseOnce(ctx context.Context, show *progress.Log) (*baseline, error) {
	if c.old == nil && c.oldErr == nil {
		c.old, c.oldErr = c.baseline(ctx, show)
	}
	return c.old, c.oldErr
}

// baseline makes the base's World.
func (c *campaign) baseline(ctx context.Context, show *progress.Log) (*baseline, error) {
	switch {
	case c.project.base == nil:
		return nil, errors.New("there is no diff, and so no base to compare with")
	case ctx.Err() != nil:
		return nil, errors.New("the run was canceled before that")
	}
	sides, err := c.project.base(ctx, show)
	if err != nil {
		return nil, fmt.Errorf("it has no build: %w", err)
	}
	pr := *c.project
	pr.outputs = namedAsHead(sides)
	pr.table = bytecode.NewTable(build.Contracts(pr.outputs))
	b := &baseline{sides: sides, known: map[string]bool{}, places: map[*fuzzer.Finding][]bytecode.Location{}}
	for _, contract := range pr.table.Contracts() {
		b.known[contract.QualifiedName()] = true
	}
	positions := diffmap.NewPositions(pr.outputs, pr.table, diffmap.Options{Root: pr.options.Root, Checkout: pr.options.Checkout, Projects: pr.options.Projects})
	for _, f := range c.result.Findings {
		b.places[f] = samePlaces(f, c, pr.table, positions)
		pr.table.Cut(b.places[f])
	}
	missing := func(name string) bool { return !b.known[name] }
	d := c.again()
	if d.setup != nil {
		lacking := missingSetUps(d.setup.Contracts, pr.table)
		d.setup.Contracts = slices.DeleteFunc(slices.Clone(d.setup.Contracts), func(name string) bool { return slices.Contains(lacking, name) })
		if len(d.setup.Contracts) == 0 {
			return nil, fmt.Errorf("it lacks %s, whose set-up makes the World", lacking[0])
		}
	}
	d.targets = slices.DeleteFunc(slices.Clone(d.targets), missing)
	d.uninitialized = slices.DeleteFunc(slices.Clone(d.uninitialized), missing)
	if b.campaign, err = deployWorld(ctx, &pr, d, positions); err != nil {
		return nil, fmt.Errorf("it could not be deployed: %w", err)
	}
	b.machine, err = b.newJudge()
	return b, err
}

// namedAsHead are the base's builds, with the head's names for what they hold.
func namedAsHead(sides []diffmap.BaseSide) []*build.Output {
	var outputs []*build.Output
	for _, side := range sides {
		side.Base.Folder = side.Head.Folder
		for _, contract := range side.Base.Contracts {
			if name, ok := side.Renamed[contract.Source]; ok {
				contract.Source = name
			}
		}
		outputs = append(outputs, side.Base)
	}
	build.Distinguish(outputs, outputs)
	return outputs
}

// samePlaces lists where base has the code that breaks: the same instruction,
// compiled from the same text in a function of the same name, or where there is
// none, in any function of the contract.
func samePlaces(f *fuzzer.Finding, head *campaign, table *bytecode.Table, positions *diffmap.Positions) []bytecode.Location {
	text, ok := head.positions.TextAt(f.Location)
	if !ok {
		return nil
	}
	op := head.table.Program(f.Location.Code).Bytes[f.Location.PC]
	function, _ := head.positions.FunctionAt(f.Location)
	var same, elsewhere []bytecode.Location
	for _, p := range programsOf(f.Contract, table) {
		p.Instructions(func(pc uint32) bool {
			at := bytecode.Location{Code: p.ID, PC: pc}
			if p.Bytes[pc] != op {
				return true
			}
			if there, ok := positions.TextAt(at); !ok || there != text {
				return true
			}
			if name, _ := positions.FunctionAt(at); name == function {
				same = append(same, at)
			} else {
				elsewhere = append(elsewhere, at)
			}
			return true
		})
	}
	if len(same) == 0 {
		return elsewhere
	}
	return same
}

// programsOf are the programs of a contract.
func programsOf(name string, table *bytecode.Table) []*bytecode.Program {
	var programs []*bytecode.Program
	for _, contract := range table.Contracts() {
		if contract.QualifiedName() != name {
			continue
		}
		for _, code := range []*bytecode.Code{contract.Creation, contract.Runtime} {
			if code == nil {
				continue
			}
			if p := table.Program(code.ID); p != nil {
				programs = append(programs, p)
			}
		}
	}
	return programs
}

// try compares a finding with base, as far as its calls alone say. What is left
// is worth fuzzing.
func (b *baseline) try(f *fuzzer.Finding, head *campaign) (novelty, *candidate) {
	if !b.known[f.Contract] {
		if !b.covers(f.Contract) {
			return unknownNovelty("no build of it holds what belongs to %s", f.Contract), nil
		}
		return novelty{report.Introduced, "the contract is not there"}, nil
	}
	if _, ok := head.positions.TextAt(f.Location); !ok {
		return unknownNovelty("the code that breaks has no source text to find it there by"), nil
	}
	left := &candidate{finding: f, places: b.places[f]}
	if len(left.places) == 0 {
		return novelty{report.Introduced, "the code that breaks is not there"}, nil
	}
	var err error
	if left.sequence, err = input.Parse(b.space, input.Format(head.space, f.Sequence)); err != nil {
		left.missing = err.Error()
	}
	if len(left.sequence) == 0 {
		return unknownNovelty("its calls do not fit there: %s", left.missing), nil
	}
	exec, observed, err := fuzzer.Replay(b.machine, &fuzzer.Config{Space: b.space, Oracles: oracle.All()}, left.sequence)
	if err != nil {
		return unknownNovelty("%v", err), nil
	}
	if slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == f.Oracle.ID && slices.Contains(left.places, o.Location)
	}) {
		return novelty{report.PreExisting, "the same calls break it there"}, nil
	}
	left.outcome = "succeeds"
	if last := exec.Calls[len(exec.Calls)-1]; last.Outcome != evm.Success {
		left.outcome = "reverts: " + last.Reason()
	}
	return novelty{}, left
}

// covers reports whether one of the builds is of the project that a contract of the
// head's belongs to.
func (b *baseline) covers(name string) bool {
	return slices.ContainsFunc(b.sides, func(side diffmap.BaseSide) bool {
		return slices.ContainsFunc(side.Head.Contracts, func(c *build.Contract) bool { return c.QualifiedName() == name })
	})
}

// replaySaved tries the saved inputs on base, as the campaign did on the head: what
// they break there is old. They are few (fuzzer.Corpus.Trim), and no part of base's
// share.
func (b *baseline) replaySaved(ctx context.Context, open []*candidate, head *campaign) {
	if len(open) == 0 {
		return
	}
	config := &fuzzer.Config{Space: b.space, Oracles: oracle.All()}
	for _, saved := range head.saved {
		if ctx.Err() != nil {
			return
		}
		seq, _ := input.Parse(b.space, input.Format(head.space, saved)) // as far as it fits
		if len(seq) == 0 {
			continue
		}
		_, observed, err := fuzzer.Replay(b.machine, config, seq)
		if err != nil {
			continue // it shows nothing
		}
		for _, left := range open {
			left.found = left.found || slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
				return o.Oracle == left.finding.Oracle.ID && slices.Contains(left.places, o.Location)
			})
		}
	}
}

// fuzz looks on base for other calls that break what the findings' own calls do
// not break there: a campaign from those calls, toward those places.
func (b *baseline) fuzz(ctx context.Context, open []*candidate, head *campaign, show *progress.Log) {
	if len(open) == 0 {
		return
	}
	config := fuzzer.Config{
		World: b.world, Space: b.space, Table: b.table, Oracles: oracle.All(), NewMachine: b.newMachine, NewJudge: b.newJudge,
		Schedule: head.config.Schedule, Without: head.config.Without, Seed: head.config.Seed, Workers: head.config.Workers, SeqLen: head.config.SeqLen,
		Timeout: head.config.Timeout / baseShare, Now: head.config.Now,
	}
	if head.config.MaxCalls > 0 {
		config.MaxCalls = max(head.config.MaxCalls/baseShare, uint64(max(config.SeqLen, defaultSeqLen)))
	}
	limit := fmt.Sprintf("%s calls", human.Count(config.MaxCalls))
	if config.Timeout > 0 {
		limit = human.Clock(config.Timeout.Round(time.Second).Seconds())
	}
	show.Line("base    trying to break %s there, limit %s", human.Plural(len(open), "finding"), limit)
	for _, left := range open {
		config.Seeds = append(config.Seeds, left.sequence)
		config.Targets = append(config.Targets, bytecode.Target{Entries: left.places, Contract: left.finding.Contract})
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	for _, left := range open {
		switch {
		case err != nil:
			left.fault = err.Error()
			continue
		case ctx.Err() != nil:
			left.fault = "the run was canceled before base was tried"
			continue
		case len(result.Faults) > 0:
			left.fault = "the tool failed on base: " + result.Faults[0].Message
			continue
		}
		left.tried = result.Stats.Executions
		left.found = slices.ContainsFunc(result.Findings, func(f *fuzzer.Finding) bool {
			return f.Oracle == left.finding.Oracle && f.Contract == left.finding.Contract && slices.Contains(left.places, f.Location)
		})
	}
}
