package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file minimizes what the campaign reports once the search is over, as far as it can wait. What the judge confirms is
// confirmed at once, in one run; a minimized sequence takes hundreds of runs, and only people read it. With every changed
// line a target, sixty thousand of a hundred thousand calls were the minimizer's before.

// drafts are sequences that were confirmed, and that are yet to be minimized.
type drafts struct {
	targets  []draft // in the order in which they were reached
	findings []findingDraft
	owed     uint64 // calls that minimizing them may take, roughly
	spent    uint64 // calls of the minimizer on findings so far
}

// draft is a target whose sequence is not minimized.
type draft struct {
	target int
	work   uint64 // of its sequence
	// adopted: its sequence is now another target's, with fewer words to look at.
	adopted bool
}

// findingDraft is a finding whose sequence is not minimized.
type findingDraft struct {
	finding *Finding
	key     findingKey
	work    uint64
}

// Probes of the minimizer: enough to make a target's sequence readable, and a finding's
// small. Each probe costs a few hundred microseconds; the numbers are arbitrary.
const (
	targetProbes  = 128
	findingProbes = 1024
)

// Bounds of minimizing. All arbitrary, but for the numbers of probes, which are about what sequences took in bench/mazes.
const (
	// Probes that a sequence is thought to take.
	targetProbesOwed  = 48
	findingProbesOwed = 256
	// promptShare: one call in so many, beyond promptGrant, may go to minimizing findings while the search goes on: mostly
	// there is one, and who waits for it sees it minimized.
	promptShare = 32
	promptGrant = 4096
)

// addTarget notes that a target's sequence is to be minimized.
func (d *drafts) addTarget(target int, seq input.Sequence, work uint64) {
	if !slices.ContainsFunc(d.targets, func(o draft) bool { return o.target == target }) {
		d.targets = append(d.targets, draft{target: target, work: work})
		d.owed += uint64(len(seq)) * targetProbesOwed
	}
}

// addFinding notes that a finding's sequence is to be minimized.
func (d *drafts) addFinding(f findingDraft) {
	d.findings = append(d.findings, f)
	d.owed += uint64(len(f.finding.Sequence)) * findingProbesOwed
}

// affordsPrompt reports whether a finding may be minimized while the search goes on.
func (c *Campaign) affordsPrompt() bool {
	return c.drafts.spent <= promptGrant+c.result.Stats.Calls/promptShare
}

// tidy minimizes what is to be minimized, findings first; false if there was nothing.
func (c *Campaign) tidy(ctx context.Context) bool {
	d := c.drafts
	c.drafts = drafts{spent: d.spent}
	if ctx.Err() != nil || len(d.findings) == 0 && len(d.targets) == 0 {
		return false
	}
	for i := range d.findings {
		c.minimizeFinding(ctx, &d.findings[i])
	}
	c.tidyTargets(ctx, d.targets)
	return true
}

// minimizeFinding minimizes a finding's sequence, unless a more severe one has taken its place.
func (c *Campaign) minimizeFinding(ctx context.Context, d *findingDraft) {
	if !slices.Contains(c.result.Findings, d.finding) {
		return
	}
	before := c.result.Stats.Calls
	seq, exec, ok := c.minimized(ctx, d.finding.Sequence, probes(findingProbes, d.work), func(seq input.Sequence, exec *evm.Execution) bool {
		return c.observer.sees(d.key, seq, exec)
	})
	c.drafts.spent += c.result.Stats.Calls - before
	if !ok {
		return
	}
	d.finding.Sequence, d.finding.Path = seq, entered(c.Table, exec)
	if text, ok := c.observer.message(d.key, seq, exec); ok { // what it took may not be needed
		d.finding.Message = text
	}
}

// tidyTargets minimizes the sequences of targets. The last first: what reaches a line mostly reaches those before it as well,
// and takes their sequences' places if it has no more calls. Of those, the words are then made as plain as each target lets
// them be.
func (c *Campaign) tidyTargets(ctx context.Context, list []draft) {
	at := make(map[int]*draft, len(list)) // by target
	for i := range list {
		at[list[i].target] = &list[i]
	}
	index := findEntries(c.Table, c.Targets)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].adopted || !c.affordsJudging(list[i].work) {
			continue
		}
		seq, exec, ok := c.minimized(ctx, c.result.Targets[list[i].target].Sequence, probes(targetProbes, list[i].work), c.reaches(list[i].target))
		if !ok {
			continue
		}
		c.result.Targets[list[i].target].Sequence = seq
		delete(at, list[i].target)
		c.adopt(at, index, seq, exec)
	}
	for i := range list {
		if t := &c.result.Targets[list[i].target]; list[i].adopted && c.affordsJudging(list[i].work) {
			t.Sequence = minimizer{c.Space, c.prober(ctx, probes(targetProbes, list[i].work), c.reaches(list[i].target))}.plainWords(t.Sequence)
		}
	}
}

// adopt gives a minimized sequence to the targets that it reaches as well, if theirs have at least as many calls.
func (c *Campaign) adopt(at map[int]*draft, index map[bytecode.CodeID]*entries, seq input.Sequence, exec *evm.Execution) {
	for _, covered := range exec.Covered {
		targets := index[covered.Code]
		if targets == nil {
			continue
		}
		for _, i := range targets.of(covered.Block) {
			d, t := at[int(i)], &c.result.Targets[i]
			if d == nil || c.isFrom(int(i)) || d.adopted && len(seq) == len(t.Sequence) || len(seq) > len(t.Sequence) || t.Reached && !covered.Kept {
				continue
			}
			d.adopted = true
			t.Sequence = seq.Clone()
		}
	}
}

// reaches is what a target's sequence has to do.
func (c *Campaign) reaches(target int) holds {
	reached := c.result.Targets[target].Reached
	return func(seq input.Sequence, exec *evm.Execution) bool {
		entered, kept := c.enters(target, seq, exec)
		return kept || entered && !reached
	}
}

// minimized minimizes a sequence with at most so many probes, within the campaign's budget, and replays the result, whose
// execution it returns; false where there is no budget, or the judge sees it no more.
func (c *Campaign) minimized(ctx context.Context, seq input.Sequence, probes int, holds holds) (input.Sequence, *evm.Execution, bool) {
	if probes == 0 || !c.affordsProbes(ctx, seq) {
		return nil, nil, false
	}
	seq = minimize(c.Space, seq, c.prober(ctx, probes, holds))
	exec, ok := c.replay(seq, holds)
	return seq, exec, ok
}

// prober answers the minimizer within the campaign's budget, and at most so many times.
func (c *Campaign) prober(ctx context.Context, probes int, holds holds) func(input.Sequence) bool {
	return func(seq input.Sequence) bool {
		if probes--; probes < 0 || !c.affordsProbes(ctx, seq) {
			return false
		}
		_, ok := c.replay(seq, holds)
		return ok
	}
}

// affordsProbes reports whether the minimizer may run a sequence.
func (c *Campaign) affordsProbes(ctx context.Context, seq input.Sequence) bool {
	return ctx.Err() == nil && c.affords(uint64(len(seq)))
}
