package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// follow makes at most so many leads of an execution: predictions from the run that it
// was made from, direct proposals of its comparisons when it showed something new, and
// signatures.
func (w *worker) follow(ran lead, exec *evm.Execution, isNew bool, most int) []lead {
	if w.without.Prediction {
		return nil
	}
	if ran.resent {
		return w.sign(nil, ran.sequence, exec, signersOfResent)
	}
	var leads []lead
	again := isNew && len(failedAgain(exec)) > 0
	if (w.tracker.nearUndecided || again || w.searchesSlots && changedState(exec)) && !w.skips(ran, isNew) {
		if leads = append(w.predictCopies(&ran, exec), w.predict(ran, exec, isNew, most)...); len(leads) > 0 {
			w.idle = 0
		}
	}
	leads = w.sign(leads, ran.sequence, exec, most)
	return leads[:min(len(leads), most)]
}

// After so many consecutive mutants without a lead, only one in so many of a task's
// mutants is searched for leads: a search costs up to a fifth of a run, and most seeds
// have given all the leads they have. Arbitrary.
const (
	patience     = 32
	skipInterval = 4
)

// skips reports whether a mutant is not searched for leads.
func (w *worker) skips(ran lead, isNew bool) bool {
	w.idle++
	return !isNew && ran.steps == 0 && !ran.joined && w.idle > patience && w.idle%skipInterval != 0
}

// predict makes the leads that comparisons and storage writes give.
func (w *worker) predict(ran lead, exec *evm.Execution, isNew bool, most int) []lead {
	if w.step == nil {
		w.step = new(step)
	}
	here := w.step
	*here = step{worker: w, lead: ran, exec: exec, words: here.words[:0], x0: here.x0[:0], x1: here.x1[:0]}
	leads := here.predict()
	if isNew && (w.tracker.nearUndecided || len(failedAgain(exec)) > 0) && len(leads) < most {
		leads = append(leads, here.propose(most-len(leads))...)
		leads = append(leads, here.preimages()...)
	}
	if !isNew && len(leads) < most {
		leads = append(leads, here.matchEarlier()...)
		leads = append(leads, here.mutateJoined()...)
	}
	if len(leads) < most {
		leads = append(leads, here.substituteKeys()...)
	}
	return leads
}
