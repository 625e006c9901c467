package fuzzer

import (
	"context"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// demandedSide is a side of a branch that a function took only from an overridden state.
type demandedSide struct {
	function input.Callable
	side     branchSide
	key      slotKey // the variable that was overridden
	seed     *Seed   // the sequence, which is not in the suite
}

const (
	// stateFuzzInterval: the state is fuzzed after one execution in so many (harvey §5:
	// with probability 0.125).
	stateFuzzInterval = 8
	// maxStateSteps bounds the consecutive predictions of a word of the state. Arbitrary:
	// most take one.
	maxStateSteps = 4
	// newStateWords are the words of the state that are fuzzed after every execution that wrote as none did before, see
	// stores: what it reads may be what another call is for. Arbitrary.
	newStateWords = 4
)

// stateFuzzing is a stage: it runs the last call of a sequence again, from other states.
type stateFuzzing struct {
	*runner
	paths pathSet // from overridden states

	// Scratch.
	open, before, after []input.Branch
	words               []stateWord
	proposals           []input.Proposal
}

func newStateFuzzing(r *runner) stateFuzzing {
	return stateFuzzing{runner: r, paths: newPathSet(maxRecentPaths)}
}

// word is a word of the persistent state.
type word struct {
	address [20]byte
	slot    uint256.Int
}

// follow fuzzes the state of an execution's last call, if it is wanted. It returns false when
// the task is over.
func (s *stateFuzzing) follow(ctx context.Context, seq input.Sequence, exec *evm.Execution, b *batch) bool {
	if !s.wants(seq, exec) {
		return true
	}
	most := 1
	if s.tracker.storesNew {
		most = newStateWords
	}
	return s.fuzz(ctx, seq, exec, most, b)
}

// wants decides whether the state of an execution's last call is fuzzed: only where
// that call passed a branch with an untaken side, and read storage, and calls may go before it that
// write what it read. Nothing writes what a constructor reads of its own contract.
func (s *stateFuzzing) wants(seq input.Sequence, exec *evm.Execution) bool {
	return s.maxSeqLen > 1 && seq[len(seq)-1].Function.Kind != input.Constructor && !s.without.StateFuzzing && !s.without.Sequences && s.tracker.nearUndecided && (s.tracker.storesNew || s.rand.IntN(stateFuzzInterval) == 0) && readsState(exec)
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

// fuzz runs the last call of a sequence from states, at most so many, that differ in one word from
// the one that the earlier calls leave (harvey §5, aggressive mode). The call read that
// word. Such a run is not an execution of the World's, so it feeds nothing: no targets,
// oracles, counts, analysis or seeds. Only branch sides that the function never took are
// recorded, since other sequences may take them. It returns false when the task is over.
func (s *stateFuzzing) fuzz(ctx context.Context, seq input.Sequence, exec *evm.Execution, most int, b *batch) bool {
	s.words = s.chooseState(s.words[:0], exec, most)
	was, gas := exec.PathID(), min(overrideGasFactor*exec.Calls[len(exec.Calls)-1].GasUsed+overrideGasBase, evm.CallGas)
	s.open = s.undecided(s.open[:0], exec)
	for i := range s.words {
		if !s.fuzzWord(ctx, seq, &s.words[i], was, gas, b) {
			return false
		}
	}
	return true
}

// fuzzWord is fuzz of one word.
func (s *stateFuzzing) fuzzWord(ctx context.Context, seq input.Sequence, at *stateWord, was bytecode.PathID, gas uint64, b *batch) bool {
	from, override := at.value, &stateOverride{gas: gas}
	s.before = append(s.before[:0], s.open...)
	to := s.chooseValue(seq, &at.value, s.before)
	for range maxStateSteps {
		override.overwrites[0] = evm.Overwrite{Address: at.address, Slot: at.slot, Value: to}
		exec, ok := s.runFrom(ctx, seq, override, b)
		if !ok {
			return false
		}
		if pid := exec.PathID(); !s.tracker.pids.has(pid) {
			if s.paths.add(pid) {
				s.recordNewSides(seq, exec, at.key, was, b)
			}
			return true
		}
		s.after = s.undecided(s.after[:0], exec)
		s.proposals = input.Predict(s.proposals[:0], input.Word{}, nil, &from, &to, s.before, s.after, nil)
		if len(s.proposals) == 0 {
			return true
		}
		from, to = to, s.proposals[s.rand.IntN(len(s.proposals))].Value
		s.before, s.after = s.after, s.before
	}
	return true
}

// recordNewSides records the branch sides that the last call took for the first time.
func (s *stateFuzzing) recordNewSides(seq input.Sequence, exec *evm.Execution, key slotKey, was bytecode.PathID, b *batch) {
	var seed *Seed
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		for k := range f.Comparisons {
			if c := &f.Comparisons[k]; f.Program != nil && !s.tracker.took(f.Program.ID, c) {
				if seed == nil {
					seed = planned(seq, &b.task)
					seed.PID = was
				}
				b.demandedSides = append(b.demandedSides, demandedSide{lastOf(seq), s.tracker.sideIn(f.Program.ID, c, true), key, seed})
			}
		}
	}
}

// A call from an overridden state gets so many times the gas of the original call, plus
// a base. The length of an array is a word of the state: where it is overridden, a loop
// over the array uses all the gas there is, hundreds of times as much as other calls.
// Arbitrary.
const (
	overrideGasFactor = 4
	overrideGasBase   = 100_000
)

// stateWord is a word of the state with the variable that it belongs to and the value that a call read.
type stateWord struct {
	word
	key   slotKey
	value uint256.Int
}

// chooseState appends some of the storage words that the last call read, with what it read there: each with the same
// probability, and none twice.
func (s *stateFuzzing) chooseState(dst []stateWord, exec *evm.Execution, most int) []stateWord {
	last := exec.Calls[len(exec.Calls)-1].Frames
	known := 0
	for i := last[0]; i < last[1]; i++ {
		for j := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[j]
			at := word{access.Address, access.Slot}
			if access.Write || slices.ContainsFunc(dst, func(s stateWord) bool { return s.word == at }) {
				continue
			}
			known++
			if len(dst) < most {
				dst = append(dst, stateWord{at, keyOf(access), access.Value})
			} else if k := s.rand.IntN(known); k < most { // reservoir sampling (Vitter, TOMS 1985, algorithm R)
				dst[k] = stateWord{at, keyOf(access), access.Value}
			}
		}
	}
	return dst
}

// undecided appends the branches of the last call that have an untaken side.
func (s *stateFuzzing) undecided(dst []input.Branch, exec *evm.Execution) []input.Branch {
	start := len(dst)
	dst = input.AppendBranches(dst, exec)
	open := dst[:start]
	for i := start; i < len(dst); i++ {
		if !s.tracker.decided(dst[i].Code, &dst[i].Comparison) {
			open = append(open, dst[i])
		}
	}
	return open
}

// chooseValue chooses the word's new value: in half of the cases an operand of an
// undecided branch or a neighbor, otherwise any mutant of the word.
func (s *stateFuzzing) chooseValue(seq input.Sequence, value *uint256.Int, open []input.Branch) uint256.Int {
	if len(open) > 0 && s.rand.IntN(2) == 0 {
		b := &open[s.rand.IntN(len(open))]
		to := b.Right
		if b.Left != *value && b.Right == *value {
			to = b.Left
		}
		switch s.rand.IntN(4) {
		case 0:
			to.AddUint64(&to, 1)
		case 1:
			to.SubUint64(&to, 1)
		}
		if to != *value {
			return to
		}
	}
	return s.mutator.MutateWord(s.rand, seq, value)
}

// planned is a sequence as a seed of plans, which is not in the suite.
func planned(seq input.Sequence, t *task) *Seed {
	var like input.Packed
	if t.seed != nil {
		like = t.seed.Calls
	}
	return &Seed{Calls: input.Pack(seq, like)}
}
