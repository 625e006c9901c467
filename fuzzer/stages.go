package fuzzer

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// stages are a worker's techniques, each with what it remembers and its scratch, in the
// order in which they come up in a task. In quotation marks: the names of [Techniques] that
// switch them off, or on; without "prediction", there are no followers.
type stages struct {
	// What is made of a seed, see worker.work and worker.fuzz.
	solving  solving  // getting through its branches one after the other, climbing too: "solving"; with other calls before them: "helpers"
	weights  weights  // more energy for some: "energy"
	masks    masks    // which of its words mutants spare: "masks"
	mutation mutation // mutants, and other calls before the last: "sequences", "raw-order"

	// What looks at every execution that shows something: see worker.try. What they want tried
	// comes before all other leads, in the order of watchers.
	watchers  []watcher
	resends   resends   // signatures of others, sent once more
	callbacks callbacks // the attacker's contract called, and what it may answer: "callbacks"
	attacks   attacks   // sequences of the contract alone: "callbacks"

	// What makes leads of an execution, in the order of followers: see worker.follow.
	followers       []follower
	copyCounts      copyCounts      // how many copies of a call
	slotSearch      slotSearch      // the slot that a word moves, where an oracle asks for that
	prediction      prediction      // where the line through two runs crosses over: "prediction"
	operands        operands        // what a word is compared with
	earlier         earlier         // what an earlier call left
	keySubstitution keySubstitution // the element that is read, or was written: "raw-order"
	signing         signing         // signatures, after all others

	// What runs the last call of a sequence again: see worker.judgeState.
	stateFuzzing stateFuzzing // from states that no sequence leaves: "state-fuzzing"

	step *step // the run that leads are made from
	idle int   // mutants since the last one with a lead, see skips
}

// watcher is a technique that looks at executions, whatever their input was made for, and
// has others tried.
type watcher interface {
	watch(seq input.Sequence, exec *evm.Execution)
	// take takes what is to be tried.
	take() []lead
}

// follower is a technique that follows an execution: it adds leads to the step, as long as
// there is room.
type follower interface{ follow(s *step) }

// prepareStages makes the stages of a worker that has everything else.
func (w *worker) prepareStages(oracles []*oracle.Oracle) {
	w.solving = newSolving()
	w.weights.tools, w.masks.tools, w.mutation.tools = &w.tools, &w.tools, &w.tools

	w.resends = newResends(&w.tools, &w.signing, &w.attacks)
	w.callbacks = newCallbacks(&w.tools)
	w.attacks = newAttacks(&w.tools, oracles, w.other != nil)
	w.watchers = []watcher{&w.resends, &w.callbacks, &w.attacks}

	w.searchesSlots = slices.Contains(oracles, oracle.ArbitraryWrite)
	w.slotSearch = newSlotSearch(w.reported.plain)
	w.prediction = newPrediction()
	w.followers = []follower{&w.copyCounts, &w.slotSearch, &w.prediction, &w.operands, &w.earlier, &w.keySubstitution}
	w.step = &step{tools: &w.tools}

	w.stateFuzzing = newStateFuzzing(&w.runner)
}

// begin begins with a seed that gets so much energy, in whose run some accounts have signed.
func (s *stages) begin(energy Energy, signers []common.Address) {
	s.idle = 0
	s.signing.begin(energy, signers)
	s.step.tried.forget()
}

// follow makes at most so many leads of an execution, the first of which are followed first.
func (w *worker) follow(t *task, ran lead, exec *evm.Execution, isNew bool, most int) []lead {
	if w.without.Prediction {
		return nil
	}
	s := w.step
	s.begin(t, ran, exec, isNew, most)
	switch {
	case ran.resent:
		s.most = signersOfResent
	case s.promises() && !w.skips(ran, isNew):
		for _, next := range w.followers {
			next.follow(s)
		}
		if len(s.few)+len(s.leads) > 0 {
			w.idle = 0
		}
	}
	w.signing.follow(s)
	leads := s.leads
	if len(s.few) > 0 {
		leads = append(s.few, leads...)
	}
	return leads[:min(len(leads), s.most)]
}

// promises reports whether leads may come of a run: it passed a branch with an untaken side, or failed a check that it had
// passed before, or wrote to slots that are searched.
func (s *step) promises() bool {
	return s.tracker.nearUndecided || len(s.again) > 0 || s.searchesSlots && changedState(s.exec)
}

// After so many consecutive mutants without a lead, only one in so many of a task's
// mutants is searched for leads: a search costs up to a fifth of a run, and most seeds
// have given all the leads they have. Arbitrary.
const (
	patience     = 32
	skipInterval = 4
)

// skips reports whether a mutant is not searched for leads.
func (s *stages) skips(ran lead, isNew bool) bool {
	s.idle++
	return !isNew && ran.steps == 0 && !ran.joined && s.idle > patience && s.idle%skipInterval != 0
}

// judgeState asks properties about the state that a sequence leaves, and fuzzes the one that
// its last call met. It returns false when the task is over.
func (w *worker) judgeState(ctx context.Context, seq input.Sequence, exec *evm.Execution, isNew bool, b *batch) bool {
	if input.IsTest(seq) { // a test leaves no state behind
		return true
	}
	// What is to be done is said first: the machine runs again, and exec is another execution then.
	scoped, asks := w.withinScope(seq, exec), w.checksProperties(exec, isNew)
	if !w.stateFuzzing.follow(ctx, seq, exec, b) {
		return false
	}
	if scoped != nil && !w.tryProperty(ctx, scoped, b) {
		return false
	}
	return !asks || w.tryProperties(ctx, seq, b)
}
