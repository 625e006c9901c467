package fuzzer

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// A task may follow twice as many leads as it has energy, and some even if it has little.
// Arbitrary, so that leads take at most about two thirds of the executions.
const (
	leadsPerEnergy = 2
	minLeads       = 64
)

// predictionEnergy: a seed with less energy is not run again to have a point to
// predict from, which would cost more than its mutants. Arbitrary.
const predictionEnergy = 4

// fuzz spends the energy of a seed: the inner loop of Algorithm 1 in Harvey's version,
// where an input is a prediction or a mutant. Leads come before mutants and cost no
// energy. Each is followed to its end before the next, since its own leads are on the
// way to the same goal.
func (w *worker) fuzz(ctx context.Context, t task, b *batch) {
	w.mutator.SetSeqLen(t.longest(t.seqLen))
	base, ok := w.base(ctx, &t, b)
	if !ok {
		return
	}
	leads, budget := w.prependWriters(&t), t.mostLeads()
	if !w.climb(ctx, &t, b) {
		return
	}
	if t.source == fromUnfollowed {
		leads.push([]lead{{sequence: t.sequence, unfollowed: true}})
	}
	mask := w.masks.of(&t, base)
	for energy := t.energy; energy > 0 || len(leads.stack) > 0; { // line 7
		next, ok := leads.pop()
		if !ok {
			next = w.mutation.mutateWithin(&t, mask) // line 8
			next.from = base
			energy-- // line 13
		}
		if !next.complete(w.space) || t.avoids(next.sequence) {
			continue
		}
		exec, isNew, ok := w.try(ctx, next.sequence, b) // lines 9 to 11
		if !ok {
			return
		}
		mask.recordProbe(exec)
		found := w.follow(&t, next, exec, isNew || next.unfollowed, budget)
		if isNew {
			w.noteUnfollowed(found, budget, b)
		}
		if !next.resent { // few, as those below
			budget -= len(found)
		}
		leads.push(found)
		if !next.relinked {
			leads.push(w.withOwnHashes(next, exec))
		}
		for _, watcher := range slices.Backward(w.watchers) { // few, and no way of spending energy
			leads.push(watcher.take())
		}
		if !w.judgeState(ctx, next.sequence, exec, isNew, b) {
			return
		}
	}
}

// noteUnfollowed notes whether leads past a check that the latest discovery failed again had no room among so many.
func (w *worker) noteUnfollowed(found []lead, room int, b *batch) {
	b.discoveries[len(b.discoveries)-1].unfollowed = len(w.step.again) > 0 && len(found) >= room
}

// base runs the task's seed, if a technique needs that and the seed has energy for it, and lets the techniques begin with
// it. It returns false when the task is over.
func (w *worker) base(ctx context.Context, t *task, b *batch) (base *point, ok bool) {
	var signers []common.Address
	w.links = w.links[:0]
	if t.energy >= predictionEnergy && w.needsBase(t) && w.affords(t.sequence, b) {
		exec, ok := w.run(ctx, t.sequence, b)
		if !ok {
			return nil, false
		}
		base = w.newPoint(t.sequence, exec)
		w.noteLinks(t.sequence, exec)
		t.energy = w.weights.weigh(t, base, exec)
		signers = input.Recovered(exec)
	}
	w.stages.begin(t.energy, signers)
	return base, true
}

// needsBase reports whether a technique needs the run of the task's seed itself.
func (w *worker) needsBase(t *task) bool {
	return !w.without.Prediction || !w.without.Masks || w.weights.ahead != nil && t.left == 0
}

// prependWriters makes leads of the writers that are put before the seed's last call.
func (w *worker) prependWriters(t *task) (leads leadStack) {
	for _, writer := range t.mappingWriters {
		if next, ok := w.mutation.prependWriter(t, writer); ok {
			leads.push([]lead{next})
		}
	}
	return leads
}

// mostLeads is how many leads of its executions a task may follow.
func (t *task) mostLeads() int {
	if t.source == fromPlan {
		return leadsPerPlan * len(t.mappingWriters)
	}
	return max(minLeads, leadsPerEnergy*int(t.energy))
}
