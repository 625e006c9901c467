package fuzzer

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// try runs one sequence and records what it showed (lines 9 to 11 of Algorithm 1); isNew
// reports whether anything was new. ok is false when the task is over: out of calls,
// canceled, or the machine failed.
func (w *worker) try(ctx context.Context, seq input.Sequence, b *batch) (exec *evm.Execution, isNew, ok bool) {
	exec, pid, newPath, ok := w.runPath(ctx, seq, b) // lines 9 and 10
	if !ok {
		return nil, false, false
	}
	b.paths = append(b.paths, pid)
	var ahead *lookaheadResult
	if newPath && w.steering != nil {
		ahead = w.analyze(exec, b) // line 11
	}
	test := input.IsTest(seq)
	w.enter(seq)
	n := w.tracker.track(exec, newPath, w.ahead.get(exec.PathID()))
	isNew = n.any()
	w.observer.traced = isNew || !test && w.extremes.isExtreme(seq, exec, pid)
	seen := w.observe(seq, exec)
	b.mismatches = append(b.mismatches, w.observer.scenes.faults(seq)...)
	broken := len(w.observer.seen) > 0
	if test {
		w.notePassed(seq, exec, b)
	} else {
		w.show(seq, exec, isNew, seen)
		if w.attacks.walked(seq, exec) {
			b.unpaid = addUnpaid(b.unpaid, seq)
		}
	}
	w.learn(exec, isNew, b)
	if isNew || len(seen) > 0 {
		w.discover(discovery{sequence: seq.Clone(), pid: pid, news: n, seen: seen, result: ahead, broken: broken}, exec, b)
	}
	return exec, isNew, true
}

// runPath runs a sequence, and reports whether its path is new. If it is, the execution is the
// reference's, since others may be built on it.
func (w *worker) runPath(ctx context.Context, seq input.Sequence, b *batch) (exec *evm.Execution, pid bytecode.PathID, newPath, ok bool) {
	if exec, ok = w.run(ctx, seq, b); !ok { // line 9
		return nil, pid, false, false
	}
	if pid, ok = w.runOther(seq, exec, b); !ok {
		return nil, pid, false, false
	}
	if pid, newPath = w.isNew(pid, seq, exec); newPath { // line 10
		was := pid
		if exec, pid, ok = w.verify(exec, pid, seq, b); !ok {
			return nil, pid, false, false
		}
		newPath = pid == was || w.tracker.isNew(pid)
	}
	return exec, pid, newPath, true
}

// show shows an execution to the watchers, if there is something to see.
func (w *worker) show(seq input.Sequence, exec *evm.Execution, isNew bool, seen []observation) {
	if isNew || oracle.IsSuspect(exec) || paysAccount(exec) {
		for _, watcher := range w.watchers {
			watcher.watch(seq, exec)
		}
	}
	if len(seen) > 0 {
		w.attacks.watchBreak(seq, seen)
	}
}

// observeInterval: one in so many of the executions that show nothing new goes into the
// dictionary; all of them took a twelfth of a campaign's time. Arbitrary.
const observeInterval = 4

// learn puts what was compared and stored into the dictionary, there as well.
func (w *worker) learn(exec *evm.Execution, isNew bool, b *batch) {
	if w.without.Dictionary || !isNew && b.executions%observeInterval != 0 {
		return
	}
	w.dictionary.Observe(exec)
	if w.there != nil {
		w.dictionary.Observe(w.there)
	}
}

// notePassed notes a fuzz test that passed for the first time.
func (w *worker) notePassed(seq input.Sequence, exec *evm.Execution, b *batch) {
	if test := lastOf(seq); !w.passed[test] && oracle.Passes(exec) {
		w.passed[test] = true
		b.passed = append(b.passed, test)
	}
}

// enter tells the tracker whose call comes last.
func (w *worker) enter(seq input.Sequence) {
	t := w.tracker
	t.test, t.callee = input.Callable{}, input.Callable{}
	if input.IsTest(seq) {
		t.test, t.checking = lastOf(seq), true
		return
	}
	if last := lastOf(seq); slices.Contains(t.within, last) {
		t.test = last
	}
	if _, t.checking = w.space.Tested(seq); !t.checking && t.test.Function == nil {
		t.callee = lastOf(seq)
	}
}

// discover keeps what an execution showed.
func (w *worker) discover(d discovery, exec *evm.Execution, b *batch) {
	d.gas, d.work, d.lastWork, d.at = gasOf(exec), workOf(exec), exec.Calls[len(exec.Calls)-1].Work(), w.mark(b)
	if !input.IsTest(d.sequence) {
		d.changes, d.footprints = changedState(exec), footprint(exec)
	}
	if d.changes {
		d.state = stateOf(exec)
	}
	b.discoveries = append(b.discoveries, d)
}

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
