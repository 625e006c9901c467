package fuzzer

import (
	"context"

	"github.com/sightline-evm/sightline/fuzzer/evm"
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
	w.mutator.SetSeqLen(w.longest(&t, t.seqLen))
	var base *point
	w.signers = nil
	if t.energy >= predictionEnergy && w.needsBase(t) && w.affords(t.sequence, b) {
		exec, ok := w.run(ctx, t.sequence, b)
		if !ok {
			return
		}
		base = w.newPoint(t.sequence, exec)
		t.energy = w.weigh(t, base, exec)
		w.signers = input.Recovered(exec)
	}
	w.seed = t.seed
	clear(w.tried)
	w.idle = 0
	clear(w.leadHashes.hashes)
	w.signatures = signingBudget(t.energy)
	var leads leadStack
	for _, writer := range t.mappingWriters {
		if next, ok := w.prependWriter(&t, writer); ok {
			leads.push([]lead{next})
		}
	}
	budget := max(minLeads, leadsPerEnergy*int(t.energy))
	if t.source == fromPlan {
		budget = leadsPerPlan * len(t.mappingWriters)
	}
	if !w.climb(ctx, &t, b) {
		return
	}
	mask := w.maskOf(t, base)
	for energy := t.energy; energy > 0 || len(leads.stack) > 0; {
		next, ok := leads.pop()
		if !ok {
			next = w.mutateWithin(&t, mask)
			next.from = base
			energy--
		}
		if !next.complete(w.space) || t.avoids(next.sequence) {
			continue
		}
		exec, isNew, ok := w.try(ctx, next.sequence, b)
		if !ok {
			return
		}
		mask.recordProbe(exec)
		found := w.follow(next, exec, isNew, budget)
		if !next.resent { // few, as those below
			budget -= len(found)
		}
		leads.push(found)
		leads.push(w.callbackLeads()) // few, and no way of spending energy
		leads.push(w.resentLeads())
		// Last, since it runs the machine again, and exec is another execution then.
		if !input.IsTest(next.sequence) && !w.judgeState(ctx, next.sequence, exec, isNew, b) { // a test leaves no state behind
			return
		}
	}
}

// judgeState asks properties about the state that a sequence leaves, and fuzzes the one that
// its last call met. It returns false when the task is over.
func (w *worker) judgeState(ctx context.Context, seq input.Sequence, exec *evm.Execution, isNew bool, b *batch) bool {
	scoped, asks := w.withinScope(seq, exec), w.checksProperties(exec, isNew)
	if w.fuzzesState(exec, w.storesNew) {
		words := 1
		if w.storesNew {
			words = newStateWords
		}
		if !w.fuzzState(ctx, seq, exec, words, b) {
			return false
		}
	}
	if scoped != nil && !w.tryProperty(ctx, scoped, b) {
		return false
	}
	return !asks || w.tryProperties(ctx, seq, b)
}

// needsBase reports whether a technique needs the run of the task's seed itself.
func (w *worker) needsBase(t task) bool {
	return !w.without.Prediction || !w.without.Masks || w.weights.ahead != nil && t.left == 0
}
