package fuzzer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Config is what a campaign is given.
type Config struct {
	World   *evm.World
	Space   *input.Space
	Table   *bytecode.Table   // its programs are cut at the targets' entries
	Targets []bytecode.Target // may be empty: then the campaign only looks for bugs
	Oracles []*oracle.Oracle
	// Exempt tells of an instruction that what fails there is nobody's bug; nil: there is
	// none. It is called from several goroutines.
	Exempt func(bytecode.Location) bool
	// Seeds are run first, after every function once: deployments of the World
	// as calls, for targets in constructors.
	Seeds []input.Sequence
	// NewMachine makes a machine for the World, one for each worker.
	NewMachine func() (evm.Machine, error)
	// NewJudge makes the machine to judge by, which must be the reference; nil:
	// NewMachine makes it.
	NewJudge func() (evm.Machine, error)

	Schedule *Schedule // nil: Lookahead
	// Without leaves techniques out, so that their share can be measured; With adds
	// those that are [Optional].
	Without, With Techniques
	Corpus        *Corpus // nil: nothing is loaded or saved
	// Library is where the analysis keeps what holds for the Table's programs whatever
	// the targets; campaigns on one Table may share it. nil: one of its own.
	Library *lookahead.Library
	Seed    uint64
	Workers int // at least 1
	// SeqLen is the most calls that a sequence has, properties not counted; 0: 8 at
	// first, and twice as many, up to 64, whenever a path takes as many calls, or where
	// state fuzzing shows that a function has more to show (harvey §5).
	SeqLen  int
	Timeout time.Duration // 0: no limit
	// MaxCalls limits the calls that are run, those of the minimizer included; 0:
	// no limit. Only the replays that confirm a target or a finding, two sequences
	// each, may go beyond it.
	MaxCalls uint64

	// Now is the clock: for the time limit and the marks, never for decisions of a
	// campaign that is limited in calls.
	Now func() time.Time
	// Progress is told what happens, on the campaign's goroutine; nil: nobody.
	Progress func(Event)
}

// Event is something that people who watch want to know.
type Event struct {
	At     Mark
	Target int      // index of a target newly reached, −1 otherwise
	Found  *Finding // a new finding, nil otherwise
	Stats  Stats    // of this moment
}

// Stats says how much was done.
type Stats struct {
	Executions uint64
	Calls      uint64
	Seconds    float64
	Paths      int // distinct path identifiers
	Seeds      int // entries of the suite
	Blocks     int // distinct blocks entered
	Reached    int // targets
	Findings   int

	Analysis        lookahead.Stats // of all workers
	AnalysisSeconds float64         // spent in the analysis, by all workers and before they begin
}

// TargetResult tells what became of a target.
type TargetResult struct {
	Unreachable bool           // proved: no execution ever reaches it
	Reached     bool           // executed in a call that succeeded
	Entered     bool           // executed at all
	First       Mark           // when Reached, or only Entered, became true
	Sequence    input.Sequence // minimized; nil when not entered
}

// Result is what a campaign ends with.
type Result struct {
	Targets  []TargetResult      // parallel to Config.Targets
	Findings []*Finding          // in order of discovery
	Entered  []bytecode.Location // the start of every block that any call entered, sorted
	Faults   []Fault
	Notes    []string // what happened to the saved corpus
	Stats    Stats
	Stopped  string // why it ended
}

// Campaign is one run of the fuzzer.
type Campaign struct {
	Config
	suite    *Suite
	rand     *rand.Rand
	judge    evm.Machine
	observer *observer // of the judge's executions
	encoded  evm.Sequence
	result   Result
	blocks   map[blockRef]bool
	taken    map[branchSide]bool
	reported map[findingKey]bool
	fuzzTests
	open     []bool // by target: not yet reached, and not proved unreachable
	left     int    // targets open
	epoch    int    // rises when targets fall or a call leads somewhere new
	changed  int    // rises when state is changed as nothing has before
	start    time.Time
	idle     []int // workers without a task
	busy     int
	reserved uint64 // calls that tasks under way may still use
	failing  int    // tasks in a row that ended in a fault before anything was run
	grace    grace
	seqLen   int // at most so many calls a mutant now, see Config.SeqLen
	// maxSeqLen is what seqLen, and what is demanded, may grow to.
	maxSeqLen int
	// reanalysisCost is what asking about seeds again has cost, in steps of the analysis.
	reanalysisCost uint64
}

// maxFaults bounds how many faults of the tool are kept; when as many tasks in a
// row fail at once, the campaign stops, since nothing works. Arbitrary.
const maxFaults = 100

// Run runs the campaign until its budget is used up or ctx is done. It is
// Algorithm 1 of the lookahead paper: pick, assign energy, fuzz, add what is
// new; the inner loop is the workers'. An error means that no campaign was
// possible; faults on the way are in the Result.
func (c *Campaign) Run(ctx context.Context) (*Result, error) {
	if err := c.prepare(); err != nil {
		return nil, err
	}
	ctx, cancel := c.deadline(ctx)
	defer cancel()
	tasks, batches, stop, err := c.startWorkers(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()

	initial := c.initialTasks()
	for {
		for len(c.idle) > 0 && c.budgetRemains(ctx) {
			if len(initial) > 0 {
				c.dispatch(initial[0], tasks)
				initial = initial[1:]
				continue
			}
			if len(c.suite.Seeds) == 0 {
				c.result.Stopped = "no seed could be run" // overwritten once one has
				break
			}
			c.dispatch(c.nextTask(), tasks)
		}
		if c.busy == 0 {
			c.reportUnpassed(ctx)
			return c.finish(), nil
		}
		c.merge(ctx, <-batches)
	}
}

// finish sums up once all workers are idle, and trims the corpus unless somebody
// is waiting for the end.
func (c *Campaign) finish() *Result {
	if c.Corpus != nil && c.result.Stopped != "canceled" {
		var err error
		if c.Corpus.Withhold {
			err = c.Corpus.clear(c.Space, c.breaks)
		}
		if err = errors.Join(err, c.Corpus.Trim(c.Space, c.judge)); err != nil {
			c.result.Notes = append(c.result.Notes, err.Error())
		}
	}
	c.result.Stats = c.stats()
	for b := range c.blocks { // sorted below
		if p := c.Table.Program(b.code); p != nil {
			c.result.Entered = append(c.result.Entered, bytecode.Location{Code: b.code, PC: p.Blocks[b.block].Start})
		}
	}
	slices.SortFunc(c.result.Entered, bytecode.Location.Compare)
	return &c.result
}

// prepare checks the configuration and sets up the owner's state.
func (c *Campaign) prepare() error {
	if c.Workers < 1 {
		return errors.New("a campaign needs at least one worker")
	}
	if len(c.Space.Callables) == 0 {
		return errors.New("nothing to call: no deployed contract has a function")
	}
	if c.Schedule == nil {
		c.Schedule = Lookahead
	}
	c.seqLen, c.maxSeqLen = c.SeqLen, c.SeqLen
	if c.SeqLen == 0 {
		c.seqLen, c.maxSeqLen = input.DefaultSeqLen, maxSeqLen
	}
	if c.Progress == nil {
		c.Progress = func(Event) {}
	}
	if c.NewJudge == nil {
		c.NewJudge = c.NewMachine
	}
	if c.Library == nil {
		c.Library = new(lookahead.Library)
	}
	judge, err := c.NewJudge()
	if err != nil {
		return err
	}
	c.judge = judge
	c.Without.Masks = c.Without.Masks || !c.With.Masks
	c.Without.Energy = c.Without.Energy || !c.With.Energy
	c.observer = newObserver(&c.Config)
	c.suite = newSuite()
	c.rand = rand.New(rand.NewPCG(c.Seed, 0))
	c.blocks = map[blockRef]bool{}
	c.taken = map[branchSide]bool{}
	c.reported = map[findingKey]bool{}
	c.passed = map[input.Callable]bool{}
	c.result.Targets = make([]TargetResult, len(c.Targets))
	c.start = c.Now()
	c.openTargets()
	return nil
}

// openTargets opens all targets but those that are proved unreachable.
func (c *Campaign) openTargets() {
	start := c.seconds()
	defer func() { c.result.Stats.AnalysisSeconds += c.seconds() - start }()
	c.open = make([]bool, len(c.Targets))
	for i := range c.open {
		c.open[i] = true
	}
	for _, i := range unreachable(c.Table, c.Library, c.Targets) {
		c.open[i] = false
		c.result.Targets[i].Unreachable = true
	}
	for _, open := range c.open {
		if open {
			c.left++
		}
	}
}

// seconds since the campaign began.
func (c *Campaign) seconds() float64 { return c.Now().Sub(c.start).Seconds() }

func (c *Campaign) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, c.start.Add(c.Timeout))
}

// startWorkers starts the workers; stop ends them once they are idle.
func (c *Campaign) startWorkers(ctx context.Context) (tasks []chan task, batches chan batch, stop func(), err error) {
	machines := make([]evm.Machine, c.Workers)
	for id := range machines {
		if machines[id], err = c.NewMachine(); err != nil {
			return nil, nil, nil, err
		}
	}
	batches = make(chan batch, c.Workers)
	programs := c.programs()
	goals := findGoals(c.Table, c.Targets, c.Oracles)
	unexplained := unexplainedCode(c.World, c.Table)
	dangers := findDangers(programs, c.Oracles)
	targets := findEntries(c.Table, c.Targets)
	for id, machine := range machines {
		w := c.newWorker(id, machine, programs, targets)
		if c.Schedule.calls != noAnalysis && len(c.Targets) > 0 {
			w.steering = newSteering(c.Table, c.Library, goals, len(c.Targets), c.Schedule.calls)
			w.steering.unexplained = unexplained
			if c.Schedule.directed {
				w.steering.observed.SeenOnly = true // the other calls are looked after by opening
				w.opening = newSteering(c.Table, c.Library, goals, len(c.Targets), c.Schedule.calls)
				w.opening.unexplained = unexplained
				w.opening.changes = newChanges(c.Table, goals)
			}
		}
		if !c.Without.Energy {
			w.weights.ahead = newSteering(c.Table, c.Library, dangers, 0, conservativeCalls)
			w.weights.ahead.unexplained = unexplained
		}
		tasks = append(tasks, make(chan task, 1))
		c.idle = append(c.idle, id)
		go w.loop(ctx, tasks[id], batches)
	}
	return tasks, batches, func() {
		for _, t := range tasks {
			close(t)
		}
	}, nil
}

// newWorker makes a worker that asks nothing yet.
func (c *Campaign) newWorker(id int, machine evm.Machine, programs []*bytecode.Program, targets map[bytecode.CodeID]*entries) *worker {
	if c.Without.Dictionary {
		programs = nil
	}
	dictionary := input.NewDictionary(programs)
	w := &worker{
		slopes: map[branchSide][]input.Slope{}, moved: map[branchSide]bool{}, resisted: map[branchSide]int{}, tried: map[difference]bool{},
		id:            id,
		machine:       newCheckedMachine(machine),
		rand:          rand.New(rand.NewPCG(c.Seed, uint64(id)+1)),
		dictionary:    dictionary,
		mutator:       input.NewMutator(c.Space, dictionary, input.Options{SeqLen: c.seqLen}),
		tracker:       newTracker(targets, len(c.Targets)),
		space:         c.Space,
		proposer:      input.NewProposer(c.Space),
		observer:      newObserver(&c.Config),
		properties:    c.Space.Properties(),
		reported:      map[findingKey]bool{},
		passed:        map[input.Callable]bool{},
		seconds:       c.seconds,
		without:       c.Without,
		overridePaths: newPathSet(maxRecentPaths),
		maxSeqLen:     c.maxSeqLen,
		searchesSlots: slices.Contains(c.Oracles, oracle.ArbitraryWrite),
	}
	if w.searchesSlots {
		w.tracker.slots = map[bytecode.Location]*writtenSlots{}
	}
	return w
}

// programs are the programs whose constants are worth trying: those of deployed
// contracts.
func (c *Campaign) programs() []*bytecode.Program {
	var programs []*bytecode.Program
	seen := map[*bytecode.Program]bool{}
	for i := range c.Space.Instances {
		contract := c.Space.Instances[i].Contract
		if contract == nil {
			continue
		}
		for _, code := range []*bytecode.Code{contract.Runtime, contract.Creation} {
			if code == nil {
				continue
			}
			if p := c.Table.Program(code.ID); p != nil && !seen[p] {
				seen[p] = true
				programs = append(programs, p)
			}
		}
	}
	return programs
}

// initialTasks are the property functions on the initial state, then the seeds:
// every function once with zero arguments, the given ones, the saved corpus. They
// are cut so that all workers get some.
func (c *Campaign) initialTasks() []task {
	mutator := input.NewMutator(c.Space, input.NewDictionary(nil), input.Options{SeqLen: c.seqLen})
	seeds := append(mutator.Seeds(), c.Seeds...)
	if c.Corpus != nil {
		saved, notes := c.Corpus.Load(c.Space)
		seeds = append(seeds, saved...)
		c.result.Notes = append(c.result.Notes, notes...)
	}
	const size = 64 // a task of some milliseconds; arbitrary
	tasks := []task{{properties: true}}
	for len(seeds) > 0 {
		n := min(size, len(seeds))
		tasks = append(tasks, task{run: seeds[:n]})
		seeds = seeds[n:]
	}
	return tasks
}

// nextTask picks a seed and assigns its energy. An entry whose LID is of an older
// epoch is asked about again first.
func (c *Campaign) nextTask() task {
	if t, ok := c.solvingTask(); ok {
		return t
	}
	seed, energy, from := c.pick()
	if from != fromFrontier && c.isStale(seed) {
		return task{seed: seed, reanalyze: true}
	}
	seed.Selected++
	t := task{seed: seed, energy: energy, source: from, seqLen: c.seqLen}
	t.demanded = c.suite.demands.get(seed.Calls.Last())
	t.sequenceContext = c.contextOf(seed, t.demanded.wanted > 0, energy)
	return t
}

// isStale reports whether a seed must be asked about again: targets fell, a call led
// somewhere new, or a change of state that may be ahead of it was made.
func (c *Campaign) isStale(seed *Seed) bool {
	return seed.lid != nil && (seed.epoch != c.epoch || seed.lid.opens && seed.changed != c.changed) && c.affordsQuestions()
}

// countChanges counts what a worker learned of calls and changes of state.
func (c *Campaign) countChanges(o *lookaheadResult) {
	if o.edges {
		c.epoch++
	}
	if o.changed {
		c.changed++
	}
}

// schedule is the campaign's, as long as there is a target to steer to.
func (c *Campaign) schedule() *Schedule {
	switch {
	case c.left > 0:
		return c.Schedule
	case c.Schedule.directed:
		return afterTargets
	}
	return Cutoff
}

// dispatch gives a task to an idle worker, with a share of the calls that are left.
func (c *Campaign) dispatch(t task, tasks []chan task) {
	t.calls = maxTaskCalls
	t.open, t.left, t.epoch, t.changed = slices.Clone(c.open), c.left, c.epoch, c.changed
	if c.MaxCalls > 0 {
		left := c.MaxCalls - c.result.Stats.Calls - c.reserved
		t.calls = min(t.calls, left)
	}
	c.reserved += t.calls
	id := c.idle[len(c.idle)-1]
	c.idle = c.idle[:len(c.idle)-1]
	c.busy++
	tasks[id] <- t
}

// maxTaskCalls bounds a task, so that no worker is away for long: full energy
// with sequences of 64 calls would be 65,536 calls, some 0.7 s on go-ethereum.
const maxTaskCalls = 16_384

// merge takes a worker's batch into the suite, the counters and the result.
func (c *Campaign) merge(ctx context.Context, b batch) {
	c.busy--
	c.idle = append(c.idle, b.worker)
	c.reserved -= b.task.calls
	before := Mark{Executions: c.result.Stats.Executions, Calls: c.result.Stats.Calls}
	c.result.Stats.Executions += b.executions
	c.result.Stats.Calls += b.calls
	c.result.Stats.Analysis.Add(b.analysis)
	c.result.Stats.AnalysisSeconds += b.analysisSeconds
	if b.task.energy > 0 {
		c.suite.spent[b.task.source] += b.executions + b.trials/trialsPerExecution
	}
	for _, pid := range b.paths {
		c.suite.count(pid)
	}
	for _, side := range b.movable {
		c.suite.addResisting(side)
	}
	for _, p := range b.demandedSides {
		if !c.taken[p.side] {
			c.suite.demands.want(p.function, p.side, c.seqLen)
		}
	}
	c.countGas(&b)
	if b.task.seed != nil {
		c.suite.demands.countExecutions(b.task.seed.Calls.Last(), b.executions, c.maxSeqLen)
	}
	for i := range b.discoveries { // after their paths were counted: only counted ones are filed
		c.suite.fileUnderLID(b.discoveries[i].pid, b.discoveries[i].result)
	}
	if b.answer != nil {
		c.reanalysisCost += questionCost(b.analysis) + b.executions*executionCost
		c.countChanges(b.answer)
		c.suite.relabel(b.task.seed, b.answer, b.task.epoch)
		b.task.seed.changed = b.task.changed
	}
	c.mergePassed(ctx, b.passed)
	var like input.Packed
	if b.task.seed != nil {
		like = b.task.seed.Calls
	}
	for i := range b.discoveries {
		d := &b.discoveries[i]
		d.at.Executions += before.Executions
		d.at.Calls += before.Calls
		c.mergeDiscovery(ctx, d, like, b.task.epoch)
	}
	if c.failing++; b.fault == nil || len(b.paths) > 0 {
		c.failing = 0
	}
	for _, f := range b.mismatches {
		c.fault(f)
	}
	if b.fault != nil {
		c.fault(*b.fault)
	}
	c.Progress(Event{At: c.now(), Target: -1, Stats: c.stats()})
}

// mergeDiscovery decides what a discovery is worth to the campaign: other
// workers may have made it before. like has calls in common with it.
func (c *Campaign) mergeDiscovery(ctx context.Context, d *discovery, like input.Packed, epoch int) {
	seed := &Seed{changed: c.changed, gas: d.gas, short: d.short != nil, PID: d.pid, Changes: d.changes, state: d.state, reads: d.reads, writes: d.writes, wants: d.wants, epoch: epoch}
	for _, key := range d.decides {
		c.suite.deciding[key] = true
	}
	seq := d.sequence
	if d.short != nil {
		seq = d.short
		c.growSeqLen(len(seq))
	}
	seed.Calls = input.Pack(seq, like)
	seed.size = seed.Calls.Size(like)
	for _, b := range d.news.newBlocks {
		if !c.blocks[b] {
			c.blocks[b] = true
			seed.NewBlocks = true
		}
	}
	if d.news.newPath {
		c.suite.add(seed, c.Schedule.perLID)
	}
	if d.result != nil {
		c.countChanges(d.result)
	}
	newSides := false
	for _, side := range d.news.taken {
		newSides = newSides || !c.taken[side]
		c.taken[side] = true
		c.suite.covered(side)
	}
	for _, a := range d.news.closer {
		if !c.taken[a.side] {
			c.suite.closer(frontierSide{a.side, a.ahead}, a.distance, seed)
		}
	}
	if d.news.newPath && (seed.NewBlocks || newSides || len(d.news.hits) > 0) && c.Corpus != nil && !(c.Corpus.Withhold && c.breaks(d.sequence)) {
		if err := c.Corpus.Save(c.Space, d.sequence); err != nil {
			c.result.Notes = append(c.result.Notes, err.Error())
			c.Corpus = nil // said once
		}
	}
	for _, h := range d.news.hits {
		c.confirmTarget(ctx, h, d)
	}
	for _, seen := range d.seen {
		if !c.postpone(seen, d) {
			c.confirmFinding(ctx, seen, d)
		}
	}
}

// growSeqLen lets sequences be longer when so many calls were needed to come somewhere
// new, unless their length was given.
func (c *Campaign) growSeqLen(needed int) {
	if c.SeqLen == 0 && needed >= c.seqLen {
		c.seqLen = min(2*c.seqLen, maxSeqLen)
	}
}

// fault keeps a fault of the tool.
func (c *Campaign) fault(f Fault) {
	if len(c.result.Faults) < maxFaults {
		c.result.Faults = append(c.result.Faults, f)
	}
}

func (c *Campaign) now() Mark {
	return Mark{c.result.Stats.Executions, c.result.Stats.Calls, c.seconds()}
}

// stats sums up what was done so far.
func (c *Campaign) stats() Stats {
	s := c.result.Stats
	s.Seconds = c.seconds()
	s.Paths = c.suite.paths()
	s.Seeds = len(c.suite.Seeds)
	s.Blocks = len(c.blocks)
	for i := range c.result.Targets {
		if c.result.Targets[i].Reached {
			s.Reached++
		}
	}
	s.Findings = len(c.result.Findings)
	return s
}
