package fuzzer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// worker runs tasks. It shares nothing but the immutable Space, table and seeds.
type worker struct {
	id         int
	machine    checkedMachine
	other      Other          // nil: there is none
	there      *evm.Execution // the latest on it; nil where it ran nothing
	rand       *rand.Rand
	space      *input.Space
	mutator    *input.Mutator
	dictionary *input.Dictionary // the mutator's
	proposer   *input.Proposer
	seconds    func() float64
	without    Techniques
	maxSeqLen  int // the most calls that sequences may grow to

	// What was seen so far.
	tracker    *tracker
	steering   *steering // nil when the schedule asks nothing
	opening    *steering // toward instructions that change state; nil when the schedule is not directed
	ahead      aheadCache
	observer   *observer
	properties []input.Callable
	reported   map[findingKey]bool
	ways       map[failingWay]bool // that were reported, of findings that keep several
	wayCounts  map[findingKey]int  // of them
	maxWays    int
	passed     map[input.Callable]bool      // fuzz tests
	slopes     map[branchSide][]input.Slope // what words did to branches, see step.recordSlope
	moved      map[branchSide]bool          // whether input words move a branch's operands
	resisted   map[branchSide]int           // searches in formulas without a solution, see solveByFormulas
	factors    input.Factors                // that searches in formulas met
	contexts   map[within]int               // see pathfinder.read
	fruitless  map[input.Callable]int       // see climb
	masks      map[*Seed]*mask              // see maskOf
	weights    weights
	points     int // made so far

	callbacks callbacks
	runs      int // executions so far
	attacks   attacks
	audit     bool              // see substituteKeys, deferWriters and nextAttacks for what audits do besides
	extremes  map[extreme]uint8 // see isExtreme
	resends   resends

	searchesSlots bool              // toward the marked slot, see step.searchSlot
	aimed         map[narrowAim]int // see step.searchNarrowSlot
	storesNew     bool              // the latest execution wrote as none did before, see stores
	override      *stateOverride    // while the last call's state is overridden
	overridePaths pathSet           // paths from overridden states

	// Of the current task.
	meter      meter
	seed       *Seed
	idle       int                 // mutants since the last one with a lead, see worker.skips
	tried      map[difference]bool // its leads, see step.alreadyTried
	leadHashes leadHashes          // its leads that are not made along a line
	signers    []common.Address    // in the run of its seed, see sign
	signatures int                 // what it may still spend on them, see sign
	current    input.Sequence      // what runs now, for fault reports

	// Scratch: what is kept of it is copied.
	encoded             evm.Sequence
	mutant              input.Sequence
	proposals           []input.Proposal
	branches            []input.Branch
	open, before, after []input.Branch // see fuzzState
	stateWords          []stateWord    // likewise
	writes              []slotWrite
	read, written       []element // see substituteKeys
	callWords           []input.Word
	step                *step // see worker.follow
}

// loop answers tasks until the channel is closed.
func (w *worker) loop(ctx context.Context, tasks <-chan task, batches chan<- batch) {
	for t := range tasks {
		batches <- w.work(ctx, t)
	}
}

// work does a task. The inner loop of Algorithm 1 is [worker.fuzz].
func (w *worker) work(ctx context.Context, t task) (b batch) {
	if t.seed != nil {
		t.sequence = t.seed.Calls.Unpack()
		w.tracker.checking = w.checks(t.sequence)
	}
	b = batch{worker: w.id, task: t}
	w.mutator.Avoid(t.avoided)
	defer func() { b.costs = w.meter.take() }()
	defer func() {
		if r := recover(); r != nil {
			b.fault = &Fault{fmt.Sprintf("panic in worker: %v\n%s", r, debug.Stack()), w.current.Clone(), nil}
		}
	}()
	if w.steering != nil {
		start := w.seconds()
		w.steering.retarget(t.open, t.epoch)
		if w.opening != nil {
			w.opening.retarget(t.open, t.epoch)
		}
		b.analysisSeconds += w.seconds() - start
	}
	if t.reanalyze {
		w.reanalyze(ctx, t.sequence, &b)
		return b
	}
	if t.properties && !w.tryProperties(ctx, nil, &b) {
		return b
	}
	if !w.runGiven(ctx, t, &b) {
		return b
	}
	if t.seed != nil {
		w.mutator.SetSeqLen(t.seqLen)
		if t.source == fromSolving {
			w.solve(ctx, t, &b)
		} else {
			w.fuzz(ctx, t, &b)
		}
	}
	w.shorten(ctx, &b)
	return b
}

// runGiven runs the task's sequences as they are. It returns false when the task is over.
func (w *worker) runGiven(ctx context.Context, t task, b *batch) bool {
	for i, seq := range t.run {
		if b.heavyWork >= maxTaskHeavy {
			b.rest = t.run[i:]
			break
		}
		if t.sounding {
			ends, ok := w.sound(ctx, seq, b)
			if !ok {
				return false
			}
			if !ends {
				b.burning = append(b.burning, seq)
				continue
			}
		}
		if _, _, ok := w.try(ctx, seq, b); !ok {
			return false
		}
	}
	for leads := w.callbackLeads(); len(leads) > 0; leads = w.callbackLeads() {
		for _, next := range leads {
			if _, _, ok := w.try(ctx, next.sequence, b); !ok {
				return false
			}
		}
	}
	return true
}

// reanalyze analyzes a sequence's path again.
func (w *worker) reanalyze(ctx context.Context, seq input.Sequence, b *batch) {
	if exec, ok := w.run(ctx, seq, b); ok {
		b.answer = w.analyze(exec, b)
	}
}
