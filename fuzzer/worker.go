package fuzzer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// task is what a worker does next: run given sequences as they are, or fuzz a
// seed with its energy.
type task struct {
	run     []input.Sequence
	seed    *Seed
	partner input.Sequence // another seed's, to splice with
	energy  Energy
	calls   uint64 // the task may run at most so many calls
}

// batch is what a worker did for a task.
type batch struct {
	worker      int
	task        task
	paths       []bytecode.PathID // of every execution that counts, in order
	executions  uint64            // probes of properties included
	calls       uint64
	discoveries []discovery
	fault       *Fault
}

// discovery is an execution that showed this worker something new.
type discovery struct {
	sequence input.Sequence
	pid      bytecode.PathID
	news     news
	seen     []observation
	at       Mark // executions and calls since the batch began
	// proposals are inputs that the execution's comparisons suggest; they stay
	// with the worker.
	proposals []input.Sequence
}

// observation is what an oracle saw.
type observation struct {
	oracle *oracle.Oracle
	oracle.Observation
}

// Fault is something that went wrong in the tool itself, with the input that
// caused it. The campaign goes on.
type Fault struct {
	Message  string
	Sequence input.Sequence
}

// worker runs tasks. It shares nothing but the immutable Space, table and seeds.
type worker struct {
	id         int
	machine    evm.Machine
	rand       *rand.Rand
	mutator    *input.Mutator
	dictionary *input.Dictionary // the mutator's
	tracker    *tracker
	space      *input.Space
	oracles    []*oracle.Oracle
	properties []input.Callable
	reported   map[findingKey]bool
	seconds    func() float64
	encoded    evm.Sequence
	proposals  []input.Proposal // scratch
	current    input.Sequence // what runs now, for fault reports
}

// loop answers tasks until the channel is closed.
func (w *worker) loop(ctx context.Context, tasks <-chan task, batches chan<- batch) {
	for t := range tasks {
		batches <- w.work(ctx, t)
	}
}

// work is the inner loop of the campaign's algorithm: while there is energy,
// mutate, run, look.
func (w *worker) work(ctx context.Context, t task) (b batch) {
	b = batch{worker: w.id, task: t}
	defer func() {
		if r := recover(); r != nil {
			b.fault = &Fault{fmt.Sprintf("panic in worker: %v\n%s", r, debug.Stack()), w.current}
		}
	}()
	for _, seq := range t.run {
		if !w.try(ctx, seq, &b) {
			return b
		}
	}
	var predicted []input.Sequence
	for energy := t.energy; energy > 0 || len(predicted) > 0; {
		var seq input.Sequence
		if len(predicted) > 0 {
			seq, predicted = predicted[0], predicted[1:]
		} else {
			seq = w.mutate(t)
			energy--
		}
		before := len(b.discoveries)
		if !w.try(ctx, seq, &b) {
			return b
		}
		// An input that got somewhere new is worth following: its comparisons tell
		// which words decide what it did not do yet.
		if len(b.discoveries) > before && energy > 0 {
			predicted = append(predicted, b.discoveries[before].proposals...)
			b.discoveries[before].proposals = nil
		}
	}
	return b
}

// spliceInterval: one mutant in so many is made of two seeds. Arbitrary.
const spliceInterval = 8

// mutate makes the next input from the task's seed.
func (w *worker) mutate(t task) input.Sequence {
	if w.rand.IntN(spliceInterval) == 0 {
		return w.mutator.Splice(w.rand, t.seed.Sequence, t.partner)
	}
	return w.mutator.Mutate(w.rand, t.seed.Sequence)
}

// try runs one sequence and records what it showed. It answers false when the
// task is over: out of calls, cancelled, or the machine failed.
func (w *worker) try(ctx context.Context, seq input.Sequence, b *batch) bool {
	exec, ok := w.run(ctx, seq, b)
	if !ok {
		return false
	}
	b.paths = append(b.paths, exec.PathID())
	d := discovery{sequence: seq, pid: exec.PathID(), news: w.tracker.look(exec), at: w.mark(b)}
	w.observe(seq, exec, &d)
	w.dictionary.Observe(exec)
	if d.news.any() {
		d.proposals = w.propose(seq, exec)
	}
	check := len(w.properties) > 0 && changedState(exec) && (d.news.any() || w.rand.IntN(propertyInterval) == 0)
	if d.news.any() || len(d.seen) > 0 {
		b.discoveries = append(b.discoveries, d)
	}
	return !check || w.tryProperties(ctx, seq, b)
}

// propose makes inputs of what the execution compared to decide branches one
// side of which nothing has taken yet: where an operand is a word of the input,
// the other operand takes its place (design §7).
func (w *worker) propose(seq input.Sequence, exec *evm.Execution) []input.Sequence {
	w.proposals = w.space.Propose(w.proposals[:0], seq, exec, w.tracker.undecided)
	var inputs []input.Sequence
	for i := range w.proposals {
		if proposed, ok := w.space.With(seq, w.proposals[i].Word, &w.proposals[i].Value); ok {
			inputs = append(inputs, proposed)
		}
	}
	return inputs
}

// propertyInterval: property functions are asked after every execution that
// showed something new and changed state, and after one in so many of the
// others. Arbitrary; asking always would halve the throughput.
const propertyInterval = 8

// tryProperties appends one call of each property function to the sequence.
func (w *worker) tryProperties(ctx context.Context, seq input.Sequence, b *batch) bool {
	for _, p := range w.properties {
		probe := append(seq[:len(seq):len(seq)], input.Call{Instance: p.Instance, Function: p.Function})
		exec, ok := w.run(ctx, probe, b)
		if !ok {
			return false
		}
		d := discovery{sequence: probe, at: w.mark(b)}
		w.observe(probe, exec, &d)
		if len(d.seen) > 0 {
			b.discoveries = append(b.discoveries, d)
		}
	}
	return true
}

// run executes a sequence within the task's budget.
func (w *worker) run(ctx context.Context, seq input.Sequence, b *batch) (*evm.Execution, bool) {
	if b.calls+uint64(len(seq)) > b.task.calls || ctx.Err() != nil {
		return nil, false
	}
	w.current = seq
	w.encoded = w.space.Encode(seq, w.encoded)
	exec, err := w.machine.Run(w.encoded)
	b.executions++
	b.calls += uint64(len(seq))
	if err != nil {
		b.fault = &Fault{fmt.Sprintf("the machine failed: %v", err), seq}
		return nil, false
	}
	return exec, true
}

// observe keeps what the oracles see for the first time.
func (w *worker) observe(seq input.Sequence, exec *evm.Execution, d *discovery) {
	observe(w.oracles, seq, exec, func(seen observation) {
		key := findingKey{seen.oracle.ID, seen.Location}
		if !w.reported[key] {
			w.reported[key] = true
			d.seen = append(d.seen, seen)
		}
	})
}

func (w *worker) mark(b *batch) Mark { return Mark{b.executions, b.calls, w.seconds()} }

// changedState tells whether the last call succeeded and wrote to storage.
func changedState(exec *evm.Execution) bool {
	last := &exec.Calls[len(exec.Calls)-1]
	if last.Outcome != evm.Success {
		return false
	}
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		if k := exec.Frames[i].Kind; k == evm.KindCreate || k == evm.KindCreate2 {
			return true
		}
		for _, access := range exec.Frames[i].Storage {
			if access.Write {
				return true
			}
		}
	}
	return false
}
