package fuzzer

import (
	"context"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// provocation is a side of a branch that a function took from a state that nobody made.
type provocation struct {
	function input.Callable
	side     branchSide
}

const (
	// provokeInterval: the state is fuzzed behind one execution in so many (harvey §5:
	// with probability 0.125).
	provokeInterval = 8
	// maxProvoked bounds the steps from one state to the next, where each brings a
	// branch closer to its other side. Arbitrary: most take one.
	maxProvoked = 4
)

// word is one of the persistent state.
type word struct {
	address [20]byte
	slot    uint256.Int
}

// provokes decides whether the state behind an execution is fuzzed: only where the last
// call came to a branch that has never gone the other way, and read something.
func (w *worker) provokes(exec *evm.Execution) bool {
	return !w.without.StateFuzzing && !w.without.Sequences && w.tracker.nearUndecided && w.rand.IntN(provokeInterval) == 0 && readsState(exec)
}

// readsState reports whether the last call read storage.
func readsState(exec *evm.Execution) bool {
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		for j := range exec.Frames[i].Storage {
			if !exec.Frames[i].Storage[j].Write {
				return true
			}
		}
	}
	return false
}

// provoke runs the last call of a sequence from a state that differs in one word from
// the one that the calls before it leave (harvey §5, aggressive mode). The word is one
// that the call read. What it shows is no execution of the World's, so it feeds nothing:
// no targets, oracles, counts, questions or seeds. Only what the function has never done
// is noted, since it says that other sequences could. It answers false when the task is
// over.
func (w *worker) provoke(ctx context.Context, seq input.Sequence, exec *evm.Execution, b *batch) bool {
	at, value := w.chooseState(exec)
	from := value
	pretended := &pretence{gas: min(provokedGas*exec.Calls[len(exec.Calls)-1].GasUsed+leastGas, evm.CallGas)}
	w.before = w.undecided(w.before[:0], exec)
	to := w.chooseValue(seq, &value, w.before)
	for range maxProvoked {
		pretended.overwrites[0] = evm.Overwrite{Address: at.address, Slot: at.slot, Value: to}
		exec, ok := w.pretend(ctx, seq, pretended, b)
		if !ok {
			return false
		}
		if pid := exec.PathID(); !w.tracker.pids.has(pid) {
			if w.provoked.add(pid) {
				w.note(seq, exec, b)
			}
			return true
		}
		w.after = w.undecided(w.after[:0], exec)
		w.proposals = input.Predict(w.proposals[:0], input.Word{}, nil, &from, &to, w.before, w.after, nil)
		if len(w.proposals) == 0 {
			return true
		}
		from, to = to, w.proposals[w.rand.IntN(len(w.proposals))].Value
		w.before, w.after = w.after, w.before
	}
	return true
}

// note takes down the sides of branches that the last call took for the first time.
func (w *worker) note(seq input.Sequence, exec *evm.Execution, b *batch) {
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		for k := range f.Comparisons {
			if c := &f.Comparisons[k]; f.Program != nil && !w.tracker.took(f.Program.ID, c) {
				b.provoked = append(b.provoked, provocation{lastOf(seq), branchSide{f.Program.ID, c.PC, c.Taken}})
			}
		}
	}
}

// pretence is what is made up of the last call's state.
type pretence struct {
	overwrites [1]evm.Overwrite
	gas        uint64 // of the call
}

// A call from a state that was made up gets so many times the gas of the call that it is
// made of, and some. The length of an array is a word of the state: where it is
// made up, a loop over the array takes all the gas there is, hundreds of times as much as
// other calls. Arbitrary.
const (
	provokedGas = 4
	leastGas    = 100_000
)

// pretend runs a sequence whose last call meets another word of storage.
func (w *worker) pretend(ctx context.Context, seq input.Sequence, p *pretence, b *batch) (*evm.Execution, bool) {
	w.pretended = p
	exec, ok := w.run(ctx, seq, b)
	w.pretended = nil
	return exec, ok
}

// chooseState chooses among the words of storage that the last call read, with the value
// that it read first.
func (w *worker) chooseState(exec *evm.Execution) (at word, value uint256.Int) {
	last := exec.Calls[len(exec.Calls)-1].Frames
	known := 0
	for i := last[0]; i < last[1]; i++ {
		for j := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[j]
			if access.Write {
				continue
			}
			if known++; w.rand.IntN(known) == 0 { // each with the same probability
				at, value = word{access.Address, access.Slot}, access.Value
			}
		}
	}
	return at, value
}

// undecided appends the branches of the last call that have never gone the other way.
func (w *worker) undecided(dst []input.Branch, exec *evm.Execution) []input.Branch {
	start := len(dst)
	dst = input.AppendBranches(dst, exec)
	open := dst[:start]
	for i := start; i < len(dst); i++ {
		if !w.tracker.decided(dst[i].Code, &dst[i].Comparison) {
			open = append(open, dst[i])
		}
	}
	return open
}

// chooseValue chooses what the word is to be: where an undecided branch compares it, what
// it is compared with or a neighbor, in half of the cases; else any mutant of it.
func (w *worker) chooseValue(seq input.Sequence, value *uint256.Int, open []input.Branch) uint256.Int {
	if len(open) > 0 && w.rand.IntN(2) == 0 {
		b := &open[w.rand.IntN(len(open))]
		to := b.Right
		if b.Left != *value && b.Right == *value {
			to = b.Left
		}
		switch w.rand.IntN(4) {
		case 0:
			to.AddUint64(&to, 1)
		case 1:
			to.SubUint64(&to, 1)
		}
		if to != *value {
			return to
		}
	}
	return w.mutator.MutateWord(w.rand, seq, value)
}
