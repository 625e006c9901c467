package fuzzer

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Probes of the minimizer: enough to make a target's sequence readable, and a finding's
// small. Each probe costs a few hundred microseconds; the numbers are arbitrary.
const (
	targetProbes  = 128
	findingProbes = 1024
)

// proof is a sequence of a discovery and its execution by the judge, which has run nothing since.
type proof struct {
	sequence  input.Sequence
	execution *evm.Execution
}

// confirmTarget records that an execution reached a target, if the judge confirms it. Its sequence is minimized later, see
// drafts. One that confirmed another target of the discovery will do.
func (c *Campaign) confirmTarget(h hit, d *discovery, last *proof) {
	t := &c.result.Targets[h.target]
	if t.Reached || t.Entered && !h.kept {
		return
	}
	if !c.affordsJudging(d.work) {
		c.deferHit(h, d)
		return
	}
	reaches := func(_ input.Sequence, exec *evm.Execution) bool {
		entered, kept := enters(c.Table, &c.Targets[h.target], exec)
		return kept || entered && !h.kept
	}
	seq, ok := last.sequence.Clone(), last.execution != nil && reaches(last.sequence, last.execution)
	if !ok {
		seq, last.execution, ok = c.confirm(d, h.call, reaches)
		last.sequence = seq
	}
	if !ok {
		last.execution = nil
		c.disagreement(fmt.Sprintf("target %s in %s", c.Targets[h.target].Position, c.Targets[h.target].Contract), d.sequence)
		return
	}
	if t.Unreachable {
		c.fault(Fault{fmt.Sprintf("target %s in %s was reached although it was proved unreachable", c.Targets[h.target].Position, c.Targets[h.target].Contract), seq, nil})
		t.Unreachable = false
	}
	t.Entered, t.Reached = true, h.kept
	t.First, t.Sequence = d.at, seq
	c.drafts.addTarget(h.target, seq, d.work)
	if h.kept {
		if c.open[h.target] {
			c.open[h.target] = false
			c.left--
			c.epoch++
			c.considerTarget(h.target, d)
		}
		c.tell(Event{At: d.at, Target: h.target, Last: c.left == 0, Stats: c.stats()})
	}
}

// confirmFinding turns an observation into a finding, if the judge confirms it. Its sequence is minimized now, or later, see
// drafts.
func (c *Campaign) confirmFinding(ctx context.Context, seen observation, d *discovery) {
	key := seen.key()
	if c.reported[key] {
		c.keepWay(key, d.sequence[:seen.Call+1])
		return
	}
	if !c.affordsJudging(d.work) {
		c.deferFinding(seen, d)
		return
	}
	seq, exec, ok := c.confirm(d, len(d.sequence)-1, func(seq input.Sequence, exec *evm.Execution) bool {
		return c.observer.sees(key, seq, exec)
	})
	if !ok {
		c.disagreement(fmt.Sprintf("finding of oracle %s", seen.oracle.ID), d.sequence)
		return
	}
	if c.knownWorse(key) {
		return
	}
	c.reported[key] = true
	if seen.oracle == oracle.ArbitraryWrite {
		c.taken[writeSide(seen.Location)] = true
		c.suite.covered(writeSide(seen.Location))
	}
	f := &Finding{
		Oracle:   seen.oracle,
		Location: seen.Location,
		Contract: seen.Contract,
		Message:  seen.Message,
		Severity: seen.Severity,
		Sequence: seq,
		First:    d.at,

		NeverPassed: seen.oracle == oracle.FailingTest && !c.passed[lastOf(seq)],

		Path: entered(c.Table, exec),

		Chosen: seen.chosen,
	}
	c.keepFinding(f)
	if rough := (findingDraft{f, key, d.work}); c.affordsPrompt() {
		c.minimizeFinding(ctx, &rough)
	} else {
		c.drafts.addFinding(rough)
	}
	c.tell(Event{At: d.at, Target: -1, Found: f, Stats: c.stats()})
}

// knownWorse reports whether a finding is known to be at least as severe.
func (c *Campaign) knownWorse(key findingKey) bool {
	return slices.ContainsFunc(c.result.Findings, func(f *Finding) bool {
		return f.Oracle.ID == key.oracle && f.Location == key.at && f.Chosen == key.chosen && f.Severity >= key.severity
	})
}

// keepFinding adds a finding, in the place of a less severe one of the same oracle at the same place.
func (c *Campaign) keepFinding(f *Finding) {
	for i, known := range c.result.Findings {
		if known.Oracle == f.Oracle && known.Location == f.Location && known.Chosen == f.Chosen {
			c.result.Findings[i] = f
			return
		}
	}
	c.result.Findings = append(c.result.Findings, f)
}

// keepWay keeps another sequence of a finding.
func (c *Campaign) keepWay(key findingKey, seq input.Sequence) {
	for _, f := range c.result.Findings {
		if f.Oracle.ID == key.oracle && f.Location == key.at && len(f.Ways) < c.Ways {
			f.Ways = append(f.Ways, seq.Clone())
		}
	}
}

// confirm replays a discovery's sequence up to a call on the judge, and returns what was run with its execution: if possible
// the sequence that a worker has shortened. All runs of the judge count as executions; those that confirm may exceed the
// campaign's budget, so that observations made within it are not lost.
func (c *Campaign) confirm(d *discovery, call int, holds holds) (input.Sequence, *evm.Execution, bool) {
	if d.short != nil && len(d.short) < len(d.sequence) && call == len(d.sequence)-1 {
		if exec, ok := c.replay(d.short, holds); ok {
			return d.short.Clone(), exec, true
		}
	}
	seq := d.sequence[: call+1 : call+1]
	exec, ok := c.replay(seq, holds)
	return seq.Clone(), exec, ok
}

// holds reports whether an execution of the sequence shows what is to be confirmed.
type holds func(input.Sequence, *evm.Execution) bool

// replay runs a sequence on the judge. A fault of the judge confirms nothing.
func (c *Campaign) replay(seq input.Sequence, holds holds) (*evm.Execution, bool) {
	c.encoded = c.Space.Encode(seq, c.encoded)
	exec, err := c.judge.Run(c.encoded)
	c.result.Stats.Executions++
	c.result.Stats.Calls += uint64(len(seq))
	if err != nil {
		return nil, false
	}
	if work := workOf(exec); work >= heavyWork {
		c.judged += work * judgeFactor
	}
	return exec, holds(seq, exec)
}

// disagreement reports that the judge did not see what a worker's machine saw.
func (c *Campaign) disagreement(what string, seq input.Sequence) {
	c.fault(Fault{what + " was not confirmed by go-ethereum: not reported", seq, nil})
}

// enters reports whether the execution entered one of the target's entries, and
// whether in a call whose effects last.
func enters(table *bytecode.Table, target *bytecode.Target, exec *evm.Execution) (entered, kept bool) {
	for _, entry := range target.Entries {
		p := table.Program(entry.Code)
		if p == nil {
			continue
		}
		block, ok := p.StartsAt(uint64(entry.PC))
		if !ok {
			continue
		}
		for _, c := range exec.Covered {
			if c.Code == entry.Code && c.Block == block {
				entered, kept = true, kept || c.Kept
			}
		}
	}
	return entered, kept
}

// breaks reports whether an oracle sees something in a sequence, or in a property called
// after it; true also where the judge cannot run it.
func (c *Campaign) breaks(seq input.Sequence) bool { return breaks(c.judge, &c.Config, seq) }

func breaks(judge evm.Machine, config *Config, seq input.Sequence) bool {
	shows := func(seq input.Sequence) bool {
		_, observed, err := Replay(judge, config, seq)
		return err != nil || len(observed) > 0
	}
	return shows(seq) || !input.IsTest(seq) && slices.ContainsFunc(config.Space.Properties(), func(p input.Callable) bool {
		within := config.Space.Within(p, seq)
		return shows(append(within[:len(within):len(within)], input.Call{Instance: p.Instance, Function: p.Function}))
	})
}

// Replay runs a sequence on a machine and lists what every oracle sees in it. An error
// means that the machine failed.
func Replay(machine evm.Machine, config *Config, seq input.Sequence) (*evm.Execution, []Observed, error) {
	exec, err := machine.Run(config.Space.Encode(seq, nil))
	if err != nil {
		return nil, nil, err
	}
	var all []Observed
	for _, seen := range newObserver(config).observe(seq, exec) {
		all = append(all, Observed{seen.oracle.ID, seen.Location, seen.Message, seen.Call})
	}
	return exec, all, nil
}

// Confirm replays a finding's sequence on a machine, and reports whether its oracle sees it there, in
// the same contract. It returns the locations that the sequence entered, as [Finding.Path] has them.
func Confirm(machine evm.Machine, config *Config, f *Finding) (path []bytecode.Location, ok bool) {
	if len(f.Sequence) == 0 {
		return nil, false
	}
	exec, err := machine.Run(config.Space.Encode(f.Sequence, nil))
	if err != nil {
		return nil, false
	}
	key := findingKey{f.Oracle.ID, f.Location, f.Chosen, f.Severity}
	for _, seen := range newObserver(config).observe(f.Sequence, exec) {
		if seen.key() == key && seen.Contract == f.Contract {
			return entered(config.Table, exec), true
		}
	}
	return nil, false
}

// Observed is what an oracle saw in a replay.
type Observed struct {
	Oracle   string
	Location bytecode.Location
	Message  string
	Call     int // index of the sequence's call in which it happened
}

// Enters reports whether the execution entered the target, and whether in a call
// whose effects last.
func Enters(table *bytecode.Table, target *bytecode.Target, exec *evm.Execution) (entered, kept bool) {
	return enters(table, target, exec)
}
