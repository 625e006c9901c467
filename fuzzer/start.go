package fuzzer

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// prepare checks the configuration and sets up the campaign's state.
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
	c.taken = sideSet{}
	c.reported = newReports()
	c.passed = map[input.Callable]bool{}
	c.ration = newRation()
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

// deadline applies the campaign's time limit.
func (c *Campaign) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, c.start.Add(c.Timeout))
}

// startWorkers starts the workers; stop ends them once they are idle.
func (c *Campaign) startWorkers(ctx context.Context) (tasks []chan task, batches chan batch, stop func(), err error) {
	machines, others := make([]evm.Machine, c.Workers), make([]Other, c.Workers)
	for id := range machines {
		if machines[id], err = c.NewMachine(); err != nil {
			return nil, nil, nil, err
		}
		if c.NewOther == nil {
			continue
		}
		if others[id], err = c.NewOther(); err != nil {
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
		w := c.newWorker(id, machine, others[id], programs, targets)
		w.analysis = c.newAnalysis(goals, unexplained)
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

// newAnalysis makes the lookahead analysis that the schedule asks, for one worker.
func (c *Campaign) newAnalysis(goals map[bytecode.CodeID][]goal, unexplained map[bytecode.CodeID]bool) (a analysis) {
	if c.Schedule.calls == noAnalysis || len(c.Targets) == 0 {
		return a
	}
	a.steering = newSteering(c.Table, c.Library, goals, len(c.Targets), c.Schedule.calls)
	a.steering.unexplained = unexplained
	if c.Schedule.directed {
		a.steering.observed.SeenOnly = true // opening takes care of the other calls
		a.opening = newSteering(c.Table, c.Library, goals, len(c.Targets), c.Schedule.calls)
		a.opening.unexplained = unexplained
		a.opening.changes = newChanges(c.Table, goals)
	}
	return a
}

// newWorker makes a worker without lookahead analysis; other may be nil.
func (c *Campaign) newWorker(id int, machine evm.Machine, other Other, programs []*bytecode.Program, targets map[bytecode.CodeID]*entries) *worker {
	if c.Without.Dictionary {
		programs = nil
	}
	space := c.Space
	if c.Without.Callbacks {
		space = space.WithoutContract()
	}
	dictionary := input.NewDictionary(programs)
	if !c.Without.Dictionary {
		dictionary.Know(c.Space.KnownWords())
	}
	w := &worker{
		id: id,
		tools: tools{
			rand:       rand.New(rand.NewPCG(c.Seed, uint64(id)+1)),
			space:      space,
			dictionary: dictionary,
			mutator:    input.NewMutator(space, dictionary, input.Options{SeqLen: c.seqLen}),
			proposer:   input.NewProposer(space),
			tracker:    newTracker(targets, len(c.Targets)),
			seconds:    c.seconds,
			without:    c.Without,
			audit:      c.Audit || len(c.Added) > 0,
			maxSeqLen:  c.maxSeqLen,
			tried:      newTriedLeads(),
		},
		otherVersion: otherVersion{other: other},
		novelty:      novelty{together: map[input.Callable]int{}},
		sightings:    newSightings(newObserver(&c.Config), c.Ways),
		properties:   c.Space.Properties(),
		passed:       map[input.Callable]bool{},
	}
	w.runner = runner{tools: &w.tools, machine: newCheckedMachine(machine)}
	w.tracker.stores.audit, w.tracker.within = w.audit, c.Within
	w.prepareStages(c.Oracles)
	if w.attacks.possible && (w.audit || len(c.Altered) > 0) && slices.Contains(c.Oracles, oracle.ThirdPartyLoss) { // no other sees what comes of them
		w.attacks.gifts = newGifts(space, machine)
		w.attacks.drawn = newDrawn(c.looksAlone, c.runsTarget())
		w.attacks.drawn.walks.counted = c.MaxCalls > 0
	}
	w.mutator.Ask(w.callbacks.asked)
	w.observer.scenes.most = maxAttempts
	w.observer.scenes.makers = []func() (evm.Machine, error){c.NewMachine, c.NewJudge}
	if w.searchesSlots {
		w.tracker.slots = map[bytecode.Location]*writtenSlots{}
	}
	return w
}

// programs are the deployed contracts' programs, whose constants are worth trying.
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

// looksAlone reports whether oracles look at what comes of a function without a base.
func (c *Campaign) looksAlone(called input.Callable) bool {
	of := c.Space.Instances[called.Instance].Contract
	return c.Audit || of != nil && (slices.Contains(c.Added, of.QualifiedName()) || slices.Contains(c.Altered, of.QualifiedName()))
}
