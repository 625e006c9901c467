package fuzzer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// task is what a worker does next: check the properties of the initial state, run given
// sequences as they are, analyze a seed's path again, solve for branches from a seed, or
// fuzz a seed with its energy.
type task struct {
	properties bool
	run        []input.Sequence
	saved      bool // run is of the corpus
	received   bool // run is of other campaigns
	sounding   bool // whether those end with little gas first
	burning    bool // they do not
	seed       *Seed
	sequence   input.Sequence // the seed's, unpacked by the worker
	source     source
	reanalyze  bool // only analyze the path of the seed again; no energy is spent
	sequenceContext
	side     *branchSide // to solve for; nil: for all that the seed passes
	tries    int         // earlier ones of it
	writers  []writerOf  // of what the seed's last call reads, see leadUp
	demanded demand      // of the seed's function
	energy   Energy
	left     int    // targets that are still open
	seqLen   int    // at most so many calls a mutant
	calls    uint64 // the task may run at most so many calls

	avoided map[*input.Function]bool // that are not called, see ration

	changed int    // likewise, of changes of state
	open    []bool // by target: not yet reached; as of epoch
	epoch   int    // of the campaign when the task was dispatched
}

// batch is what a worker did for a task.
type batch struct {
	worker        int
	task          task
	paths         []bytecode.PathID // of every execution that counts, in order
	executions    uint64            // probes of properties included
	gas           uint64            // of the last calls
	passed        []input.Callable  // fuzz tests that passed with some arguments, for the first time
	calls         uint64
	work          uint64         // of calls that were run, and of what belongs to an execution
	costs         []functionCost // by function
	heavy         []functionCost // of heavy calls
	heavyWork     uint64
	rest          []input.Sequence // of the task's sequences, that were not run
	burning       []input.Sequence // likewise, since they burn gas
	trials        uint64           // of searches in formulas
	discoveries   []discovery
	demandedSides []demandedSide
	answer        *lookaheadResult // to a task that asks
	fault         *Fault           // that ended the task
	mismatches    []Fault          // what its machine was wrong about, which ends nothing

	movable []branchSide // whose operands input words move, and that nothing has taken

	analysis        lookahead.Stats
	analysisSeconds float64
}

// discovery is an execution that showed its worker something new.
type discovery struct {
	sequence input.Sequence
	pid      bytecode.PathID
	news     news
	seen     []observation
	short    input.Sequence // without calls that do not matter to the last; nil: not looked for
	changes  bool           // the last call succeeded and changed state; a test changes nothing that lasts
	state    stateID        // after the sequence
	gas      uint64         // of the last call
	work     uint64         // of all calls
	footprints
	at Mark // executions and calls since the batch began

	result *lookaheadResult // of a new path; nil when the schedule asks nothing

	broken   bool // an oracle saw something, for the first time or not
	received bool // it is of a task that ran inputs of other campaigns
}

// Fault is something that went wrong in the tool itself, with the input that
// caused it. The campaign goes on.
type Fault struct {
	Message  string
	Sequence input.Sequence
	// Mismatch is what a machine was wrong about; nil for other faults.
	Mismatch *evm.Mismatch
}

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
	writers    writersKnown
	leadUps    map[within]int // attempts at it, see leadUp
	stranded   []stranded
	masks      map[*Seed]*mask // see maskOf
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
	w.noteWriters(&b)
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

// spliceInterval: one mutant in so many is made of two seeds. Arbitrary, but not
// smaller: at least half of all mutants must differ in one word.
const spliceInterval = 8

// mutate makes the next input from the task's seed, in scratch memory (FuzzInput). A
// splice puts calls that change state before the seed's: calls that are not new in
// themselves may open a guard there (the pool of prefixes of harvey §5). Half of the splices
// put there a call that writes what the seed's last call reads, if one is known.
func (w *worker) mutate(t *task) lead {
	if w.without.Sequences {
		if mutant, ok := w.mutator.MutateLast(w.rand, w.mutant, t.sequence); ok {
			w.mutant = mutant
			return lead{sequence: mutant}
		}
	}
	if input.IsTest(t.sequence) { // no other call goes with it
		w.mutant = w.mutator.MutateInto(w.rand, w.mutant, t.sequence)
		return lead{sequence: w.mutant}
	}
	if t.demanded.wanted > 0 && w.rand.IntN(demandedShare) == 0 {
		if next, ok := w.varyContext(t); ok {
			return next
		}
	}
	if (t.prelude != nil || t.writer != nil) && w.rand.IntN(spliceInterval) == 0 {
		next := w.splice(t)
		next.joined = true
		return next
	}
	w.mutant = w.mutator.MutateInto(w.rand, w.mutant, t.sequence)
	return lead{sequence: w.mutant}
}

// splice makes an input of two seeds.
func (w *worker) splice(t *task) lead {
	if t.repeated != nil && w.rand.IntN(4) == 0 {
		if next, ok := w.repeatCall(t); ok {
			return next
		}
	}
	if t.prelude == nil || t.writer != nil && w.rand.IntN(2) == 0 {
		return lead{sequence: w.mutator.Precede(w.rand, t.writer.Unpack(), t.sequence)}
	}
	return lead{sequence: w.mutator.Splice(w.rand, t.prelude.Unpack(), t.sequence)}
}

// observeInterval: one in so many of the executions that show nothing new goes into the
// dictionary; all of them took a twelfth of a campaign's time. Arbitrary.
const observeInterval = 4

// try runs one sequence and records what it showed (lines 9 to 11 of Algorithm 1); isNew
// reports whether anything was new. ok is false when the task is over: out of calls,
// canceled, or the machine failed.
func (w *worker) try(ctx context.Context, seq input.Sequence, b *batch) (exec *evm.Execution, isNew, ok bool) {
	exec, ok = w.run(ctx, seq, b)
	if !ok {
		return nil, false, false
	}
	pid, ok := w.runOther(seq, exec, b)
	if !ok {
		return nil, false, false
	}
	pid, newPath := w.isNew(pid, seq, exec)
	if newPath { // others may be built on it
		was := pid
		if exec, pid, ok = w.verify(exec, pid, seq, b); !ok {
			return nil, false, false
		}
		newPath = pid == was || w.tracker.isNew(pid)
	}
	b.paths = append(b.paths, pid)
	var ahead *lookaheadResult
	if newPath && w.steering != nil {
		ahead = w.analyze(exec, b)
	}
	test := input.IsTest(seq)
	w.tracker.testing, w.tracker.checking = test, w.checks(seq)
	n := w.tracker.track(exec, newPath, w.ahead.get(exec.PathID()))
	isNew = n.any()
	w.observer.traced = isNew || !test && w.isExtreme(seq, exec, pid)
	seen := w.observe(seq, exec)
	b.mismatches = append(b.mismatches, w.observer.scenes.faults(seq)...)
	broken := len(w.observer.seen) > 0
	if !test && (isNew || oracle.IsSuspect(exec) || paysAccount(exec)) {
		w.observeCallbacks(seq, exec)
		w.observeAttack(seq, exec)
		w.observeSpeaker(seq, exec)
		w.observeSignature(seq, exec)
	}
	if !test && len(seen) > 0 {
		w.observeBreak(seq, seen)
	}
	if !w.without.Dictionary && (isNew || b.executions%observeInterval == 0) {
		w.dictionary.Observe(exec)
		if w.there != nil {
			w.dictionary.Observe(w.there)
		}
	}
	if isNew || len(seen) > 0 {
		w.discover(discovery{sequence: seq.Clone(), pid: pid, news: n, seen: seen, result: ahead, broken: broken}, exec, b)
	}
	if test && !w.passed[lastOf(seq)] && oracle.Passes(exec) {
		w.passed[lastOf(seq)] = true
		b.passed = append(b.passed, lastOf(seq))
	}
	return exec, isNew, true
}

// checks reports whether a sequence ends with a fuzz test, or with a call of a handler.
func (w *worker) checks(seq input.Sequence) bool {
	_, handler := w.space.Tested(seq)
	return handler || input.IsTest(seq)
}

// isNew reports whether an execution shows a path for the first time, or a known one that writes as none did before: that
// is as good, and another path from then on.
func (w *worker) isNew(pid bytecode.PathID, seq input.Sequence, exec *evm.Execution) (bytecode.PathID, bool) {
	isNew := w.tracker.isNew(pid)
	way := uint64(0)
	if !input.IsTest(seq) {
		way = w.tracker.stores.add(exec)
	}
	if w.storesNew = way != 0; w.storesNew && !isNew {
		pid = pid.With(bytecode.PathID{}, way)
		isNew = w.tracker.isNew(pid)
	}
	return pid, isNew
}

// discover keeps what an execution showed.
func (w *worker) discover(d discovery, exec *evm.Execution, b *batch) {
	d.gas, d.work, d.at = gasOf(exec), workOf(exec), w.mark(b)
	if !input.IsTest(d.sequence) {
		d.changes, d.footprints = changedState(exec), footprint(exec)
	}
	if d.changes {
		d.state = stateOf(exec)
	}
	b.discoveries = append(b.discoveries, d)
}

// run executes a sequence within the task's budget.
func (w *worker) run(ctx context.Context, seq input.Sequence, b *batch) (*evm.Execution, bool) {
	if !w.affords(seq, b) || ctx.Err() != nil {
		return nil, false
	}
	w.current = seq
	w.encoded = w.space.Encode(seq, w.encoded)
	if w.override != nil {
		last := &w.encoded[len(seq)-1]
		last.Overwrites, last.Gas = w.override.overwrites[:], w.override.gas
	}
	exec, err := w.machine.Run(w.encoded)
	w.runs++
	b.executions++
	b.calls += uint64(len(seq))
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return nil, false
	}
	b.gas += gasOf(exec)
	w.meter.count(seq, exec, b)
	b.mismatches = append(b.mismatches, w.machine.faults(seq)...)
	return exec, true
}

// workOf is the work of all calls, whether they were run this time or not.
func workOf(exec *evm.Execution) (work uint64) {
	for i := range exec.Calls {
		work += exec.Calls[i].Work()
	}
	return work
}

// gasOf is the gas of the last call.
func gasOf(exec *evm.Execution) uint64 { return exec.Calls[len(exec.Calls)-1].GasUsed }

// verify compares the latest execution, with its path, with the reference's, and returns the one to
// believe.
func (w *worker) verify(exec *evm.Execution, pid bytecode.PathID, seq input.Sequence, b *batch) (*evm.Execution, bytecode.PathID, bool) {
	seen := exec
	exec, err := w.machine.Verify(w.encoded, exec)
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq.Clone(), nil}
		return nil, pid, false
	}
	b.mismatches = append(b.mismatches, w.machine.faults(seq)...)
	if exec == seen {
		return exec, pid, true
	}
	pid, ok := w.runOther(seq, exec, b)
	return exec, pid, ok
}

// affords reports whether the task has enough calls left for a sequence, and work for heavy
// calls.
func (w *worker) affords(seq input.Sequence, b *batch) bool {
	return b.calls+uint64(len(seq)) <= b.task.calls && (b.heavyWork < maxTaskHeavy || b.task.seed == nil)
}

// observe lists what the oracles see for the first time.
func (w *worker) observe(seq input.Sequence, exec *evm.Execution) []observation {
	var first []observation
	for _, seen := range w.observer.observe(seq, exec) {
		if key := seen.key(); !w.reported[key] {
			w.reported[key] = true
			w.isNewWay(key, seq, exec)
			first = append(first, seen)
		} else if w.isNewWay(key, seq, exec) {
			first = append(first, seen)
		}
	}
	return first
}

// isNewWay reports whether an execution is another way to a finding, worth keeping.
func (w *worker) isNewWay(key findingKey, seq input.Sequence, exec *evm.Execution) bool {
	if w.maxWays == 0 {
		return false
	}
	at := failingWayOf(key, seq, exec)
	if w.ways[at] || w.wayCounts[key] > w.maxWays {
		return false
	}
	w.ways[at] = true
	w.wayCounts[key]++
	return true
}

func (w *worker) mark(b *batch) Mark { return Mark{b.executions, b.calls, w.seconds()} }
