package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// merge merges what a worker did into the suite, the counters and the result, fact by
// fact. The order matters: paths are counted before they are filed under LIDs, LIDs are
// known before seeds are added, and what is covered is known before inputs that come
// closer to it are kept.
func (c *Campaign) merge(ctx context.Context, b batch) {
	before := Mark{Executions: c.result.Stats.Executions, Calls: c.result.Stats.Calls}
	c.release(&b)
	c.mergeWork(&b)
	c.mergePathCounts(&b)
	c.mergeMovable(&b)
	c.mergeDemands(&b)
	c.mergeLIDs(&b)
	c.mergeReanalysis(&b)
	c.mergePassed(ctx, b.passed)
	for i := range b.discoveries {
		d := &b.discoveries[i]
		d.at.Executions += before.Executions
		d.at.Calls += before.Calls
		d.received = b.task.received
		c.mergeDiscovery(ctx, d, &b.task)
	}
	for _, seq := range b.unpaid {
		c.unpaid = addUnpaid(c.unpaid, seq)
	}
	c.mergeCosts(&b)
	c.confirmDeferred(ctx)
	c.sendOffers(ctx)
	c.mergeFaults(&b)
	c.sample()
	c.tell(Event{At: c.now(), Target: -1, Stats: c.stats()})
}

// release makes the worker idle again, and returns the calls that it did not use.
func (c *Campaign) release(b *batch) {
	c.busy--
	c.idle = append(c.idle, b.worker)
	c.reserved -= b.task.calls
}

// mergeWork counts executions, calls, gas and analysis, for the statistics and for the
// shares of sources and tests.
func (c *Campaign) mergeWork(b *batch) {
	c.result.Stats.Executions += b.executions
	c.result.Stats.Calls += b.calls
	c.ration.lastWork += b.lastWork
	c.result.Stats.Analysis.Add(b.analysis)
	c.result.Stats.AnalysisSeconds += b.analysisSeconds
	if b.task.energy > 0 {
		c.suite.spend(&b.task, b.executions+c.trialsAsExecutions(b.trials), b.lastWork+b.trials*trialWork)
	}
	c.countGas(b)
}

// mergeCosts counts work by function, and decides what is called next.
func (c *Campaign) mergeCosts(b *batch) {
	if b.task.received {
		c.mergeReceived(b)
		b.rest, b.burning = nil, nil
	}
	if len(b.rest) > 0 {
		c.initial = append([]task{{run: b.rest, saved: b.task.saved, burning: b.task.burning}}, c.initial...)
	}
	if len(b.burning) > 0 {
		c.initial = append(c.initial, task{run: b.burning, saved: b.task.saved, burning: true})
	}
	c.ration.merge(b)
	c.avoid(c.Space)
}

// mergePathCounts counts the path of every execution.
func (c *Campaign) mergePathCounts(b *batch) {
	for _, pid := range b.paths {
		c.suite.count(pid)
	}
}

// mergeMovable adds the branch sides that are worth solving for.
func (c *Campaign) mergeMovable(b *batch) {
	for _, side := range b.movable {
		c.suite.addResisting(side)
	}
	for _, side := range b.refuted {
		c.suite.refute(side, b.task.seed)
	}
}

// mergeDemands adds the branch sides that demand longer sequences, and counts the
// executions that were spent on those of the task's function.
func (c *Campaign) mergeDemands(b *batch) {
	for _, p := range b.demandedSides {
		if !c.taken[p.side] {
			c.suite.demands.want(p.function, p.side, c.seqLen)
			c.plan(p)
		}
	}
	if b.task.seed != nil && !b.task.seed.Scripted { // those vary what the attacker's contract does, too
		again := 0
		if c.Audit && c.left == 0 { // there is nothing else to do but to break what was reached
			again = c.seqLen
		}
		c.suite.demands.countExecutions(b.task.seed.Calls.Last(), b.executions, c.maxSeqLen, again)
	}
}

// mergeLIDs files new paths under their LIDs. Only paths that are counted are filed.
func (c *Campaign) mergeLIDs(b *batch) {
	for i := range b.discoveries {
		c.suite.fileUnderLID(b.discoveries[i].pid, b.discoveries[i].result)
	}
}

// mergeReanalysis files the task's seed under the LID of its new analysis.
func (c *Campaign) mergeReanalysis(b *batch) {
	if b.answer == nil {
		return
	}
	c.reanalysisCost += questionCost(b.analysis) + b.executions*executionCost
	c.countChanges(b.answer)
	c.suite.relabel(b.task.seed, b.answer, b.task.epoch)
	b.task.seed.changed = b.task.changed
}

// countChanges counts what makes other seeds' analysis results stale: calls that led
// somewhere new, and first changes of state.
func (c *Campaign) countChanges(r *lookaheadResult) {
	if r == nil {
		return
	}
	if r.edges {
		c.epoch++
	}
	if r.changed {
		c.changed++
	}
}

// mergeFaults keeps the faults of the tool.
func (c *Campaign) mergeFaults(b *batch) {
	if c.failing++; b.fault == nil || len(b.paths) > 0 {
		c.failing = 0
	}
	for _, f := range b.mismatches {
		c.fault(f)
	}
	if b.fault != nil {
		c.fault(*b.fault)
	}
}

// mergeDiscovery merges an execution that was new to its worker, fact by fact; other
// workers may have made the same discovery before.
func (c *Campaign) mergeDiscovery(ctx context.Context, d *discovery, t *task) {
	seed := c.newSeed(d, t)
	c.mergeDeciding(d)
	c.mergeSeqLen(d)
	c.mergeBlocks(d, seed)
	in := c.mergePath(d, seed)
	if d.unfollowed && in.kept {
		c.suite.leave(seed)
	}
	c.countChanges(d.result)
	newSides := c.mergeSides(d)
	c.mergeCloser(d, seed)
	c.mergeCorpus(d, seed.NewBlocks || newSides || len(d.news.hits) > 0)
	if seed.NewBlocks || newSides || len(d.seen) > 0 {
		c.showedNew(d.sequence)
	}
	c.consider(d, seed, in, newSides)
	c.mergeTargets(d)
	c.mergeFindings(ctx, d)
}

// newSeed is a discovery as an entry of the suite. It shares the calls that it has in
// common with the seed of its task.
func (c *Campaign) newSeed(d *discovery, t *task) *Seed {
	seed := &Seed{
		PID: d.pid, Changes: d.changes, state: d.state, gas: d.gas, work: d.work, lastWork: d.lastWork, short: d.short != nil,
		reads: d.reads, writes: d.writes, wants: d.wants,
		epoch: t.epoch, changed: c.changed,
	}
	seq := d.sequence
	if d.short != nil {
		seq = d.short
	}
	var like input.Packed
	if t.seed != nil {
		like = t.seed.Calls
	}
	seed.Calls = input.Pack(seq, like)
	seed.Scripted = slices.ContainsFunc(seq, func(call input.Call) bool { return call.Script != nil })
	seed.Apart = isApart(seq)
	seed.size = seed.Calls.Size(like)
	return seed
}

// mergeDeciding adds the state variables that decide a branch.
func (c *Campaign) mergeDeciding(d *discovery) {
	for _, key := range d.decides {
		c.suite.deciding[key] = true
	}
}

// mergeSeqLen lets sequences be longer, unless their length was given, when the
// discovery needs as many calls as they may have now.
func (c *Campaign) mergeSeqLen(d *discovery) {
	if c.SeqLen == 0 && len(d.short) >= c.seqLen {
		c.seqLen = min(2*c.seqLen, maxSeqLen)
	}
}

// mergeBlocks adds the blocks that were entered.
func (c *Campaign) mergeBlocks(d *discovery, seed *Seed) {
	for _, b := range d.news.newBlocks {
		if !c.blocks[b] {
			c.blocks[b] = true
			seed.NewBlocks = true
		}
	}
}

// mergePath adds the input of a new path to the suite (line 12 of Algorithm 1).
func (c *Campaign) mergePath(d *discovery, seed *Seed) admission {
	if d.news.newPath {
		return c.suite.add(seed, c.Schedule.perLID)
	}
	return admission{}
}

// mergeSides adds the branch sides that were taken, and reports whether any is new.
func (c *Campaign) mergeSides(d *discovery) (isNew bool) {
	for _, side := range d.news.taken {
		isNew = isNew || !c.taken.byAny(side)
		c.taken.add(side)
		c.suite.covered(side)
	}
	return isNew
}

// mergeCloser keeps the input for the untaken branch sides that it comes closest to.
func (c *Campaign) mergeCloser(d *discovery, seed *Seed) {
	for _, a := range d.news.closer {
		if !c.taken[a.side] && (c.left > 0 || !a.side.barrier) {
			c.suite.closer(frontierSide{a.side, a.ahead}, a.distance, seed)
		}
	}
}

// mergeCorpus saves the input of a new path that covers something new.
func (c *Campaign) mergeCorpus(d *discovery, covers bool) {
	if !d.news.newPath || !covers || c.Corpus == nil || c.Corpus.Withhold && c.breaks(d.sequence) {
		return
	}
	if err := c.Corpus.Save(c.Space, d.sequence); err != nil {
		c.result.Notes = append(c.result.Notes, err.Error())
		c.Corpus = nil // said once
	}
}

// mergeTargets confirms the targets that were reached.
func (c *Campaign) mergeTargets(d *discovery) {
	var last proof
	for _, h := range d.news.hits {
		c.confirmTarget(h, d, &last)
	}
}

// mergeFindings confirms what the oracles saw.
func (c *Campaign) mergeFindings(ctx context.Context, d *discovery) {
	for _, seen := range d.seen {
		if !c.postpone(seen, d) {
			c.confirmFinding(ctx, seen, d)
		}
	}
}
