package fuzzer

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// worker runs tasks. It shares nothing but the immutable Space, table and seeds.
type worker struct {
	id           int
	tools        // what its techniques share
	runner       // runs sequences within a task's budget
	otherVersion // runs them there as well
	novelty      // says which paths are new
	analysis     // says what was ahead of their paths
	sightings    // what oracles saw in them
	stages       // its techniques
	relinker     // keeps what calls name by a hash with what they mean

	properties []input.Callable        // see invariants.go
	passed     map[input.Callable]bool // fuzz tests
}

// loop answers tasks until the channel is closed.
func (w *worker) loop(ctx context.Context, tasks <-chan task, batches chan<- batch) {
	for t := range tasks {
		batches <- w.work(ctx, t)
	}
}

// work does a task. The inner loop of Algorithm 1 is [worker.fuzz].
func (w *worker) work(ctx context.Context, t task) (b batch) {
	w.tracker.bars, w.tracker.precursors = t.left > 0, t.precursors
	if t.seed != nil {
		t.sequence = t.seed.Calls.Unpack()
		w.enter(t.sequence)
	}
	b = batch{worker: w.id, task: t}
	w.mutator.Avoid(t.avoided)
	w.attacks.drawn.see(t.left, w.runs)
	defer func() { b.costs = w.meter.take() }()
	defer func() {
		if r := recover(); r != nil {
			b.fault = &Fault{fmt.Sprintf("panic in worker: %v\n%s", r, debug.Stack()), w.current.Clone(), nil}
		}
	}()
	if w.steering != nil {
		start := w.seconds()
		w.analysis.retarget(t.open, t.epoch)
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
	for leads := w.unsigned(); len(leads) > 0; leads = w.unsigned() {
		for _, next := range leads {
			if _, _, ok := w.try(ctx, next.sequence, b); !ok {
				return false
			}
		}
	}
	return true
}

// unsigned takes what watchers want tried, but for what has to be signed first: [worker.fuzz] does that.
func (w *worker) unsigned() []lead { return append(w.callbacks.take(), w.attacks.take()...) }

// reanalyze analyzes a sequence's path again.
func (w *worker) reanalyze(ctx context.Context, seq input.Sequence, b *batch) {
	if exec, ok := w.run(ctx, seq, b); ok {
		b.answer = w.analyze(exec, b)
	}
}
