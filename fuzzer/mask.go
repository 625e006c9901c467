package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// mask says which words of a seed may be changed, and how, so that its last call still
// reaches the branch that the seed is kept for (mufuzz §IV-B, Algorithm 2). The paper
// masks bytes; here it is input words, which are what contracts decode.
type mask struct {
	branch maskedBranch
	ways   map[input.Word]ways // of the words tried
	// probes are still to be tried, the next one at the end; probing is the latest that
	// was run.
	probes  []maskProbe
	probing *maskProbe
}

// maskedBranch is the conditional jump that mutants are to reach.
type maskedBranch struct {
	code bytecode.CodeID
	pc   uint32
}

// ways are kinds of changes of a word, the paper's types of mutation.
type ways uint8

const (
	overwrite ways = 1 << iota // O: to a number close by
	replace                    // R: by any other value
	enlarge                    // I: of a length, upward
	shorten                    // D: of a length, downward
)

// Bounds of masks. A mask is made when a seed gets so much energy for the first
// time: energy doubles with every pick, so that most seeds never get that far. The
// probes that it takes, at most half of that energy, are mutants like others, which
// change one word. nested is how many other jumps have to be decided on
// the way for a branch to be nested at all; those of the dispatcher are among them, so
// that it is higher than the paper's two. kept is how many of 4 mutants obey the
// mask: it may be wrong, since each way is tried with one value only. All
// arbitrary.
const (
	maskEnergy    = 64
	maxMaskProbes = 32
	maskNested    = 4
	maskKept      = 3
	maskTries     = 8
	maxMasks      = 1024 // of a worker, by seed
)

// smallStep is the largest difference that counts as overwriting: that of
// mutation's small steps (see input's maxDelta, AFL's arithmetic stage).
const smallStep = 35

// maskedBranchOf is the last branch of a run with an untaken side; false when there is
// none, or it is not nested.
func (w *worker) maskedBranchOf(branches []input.Branch, last int) (maskedBranch, bool) {
	for i := len(branches) - 1; i >= 0; i-- {
		b := &branches[i]
		if b.Call != last {
			break
		}
		if b.Code != bytecode.NoCode && !w.tracker.decided(b.Code, &b.Comparison) {
			return maskedBranch{b.Code, b.PC}, i >= maskNested && branches[i-maskNested].Call == last
		}
	}
	return maskedBranch{}, false
}

// maskOf is the mask of the task's seed, whose run base is; nil when it needs none.
// It is made again when both sides of its branch have been taken.
func (w *worker) maskOf(t task, base *point) *mask {
	if w.without.Masks || base == nil || t.energy < maskEnergy {
		return nil
	}
	branch, nested := w.maskedBranchOf(base.branches, len(base.sequence)-1)
	if !nested {
		return nil
	}
	if m := w.masks[t.seed]; m != nil && m.branch == branch {
		return m
	}
	if w.masks == nil || len(w.masks) >= maxMasks {
		w.masks = map[*Seed]*mask{}
	}
	m := &mask{branch: branch, ways: map[input.Word]ways{}, probes: w.probes(base.sequence)}
	w.masks[t.seed] = m
	return m
}

// recordProbe records the outcome of what [worker.mutateWithin] made last, if that was a
// probe.
func (m *mask) recordProbe(exec *evm.Execution) {
	if m == nil || m.probing == nil {
		return
	}
	found := m.ways[m.probing.word] // also when it is none: the word was tried
	if m.branch.in(exec) {
		found |= m.probing.way
	}
	m.ways[m.probing.word], m.probing = found, nil
}

// maskProbe is a sequence with one word changed in one way.
type maskProbe struct {
	word     input.Word
	way      ways
	sequence input.Sequence
}

// probes are the first changes of a sequence's words, from the last call to the
// first, in reverse.
func (w *worker) probes(seq input.Sequence) []maskProbe {
	var probes []maskProbe
	for call := len(seq) - 1; call >= 0; call-- {
		for _, word := range input.AppendCallWords(nil, seq, call) {
			for _, way := range []ways{overwrite, replace, enlarge, shorten} {
				changed, fits := w.probe(seq, word, way)
				if !fits {
					continue
				}
				if probes = append(probes, maskProbe{word, way, changed}); len(probes) == maxMaskProbes {
					slices.Reverse(probes)
					return probes
				}
			}
		}
	}
	slices.Reverse(probes)
	return probes
}

// probe changes a word in a way; false when it cannot be changed so.
func (w *worker) probe(seq input.Sequence, word input.Word, way ways) (input.Sequence, bool) {
	x, ok := w.space.Get(seq, word)
	if !ok {
		return nil, false
	}
	if way&waysOf(word) == 0 {
		return nil, false
	}
	var y uint256.Int
	switch way {
	case overwrite, enlarge:
		if out, ok := w.space.With(seq, word, y.AddUint64(&x, 1)); ok {
			return out, true
		}
		if way == enlarge {
			return nil, false
		}
		fallthrough
	case shorten:
		return w.space.With(seq, word, y.SubUint64(&x, 1))
	}
	for range maskTries {
		out, ok := w.mutator.ChangeWord(w.rand, seq, word)
		if !ok {
			return nil, false
		}
		if y, _ := w.space.Get(out, word); wayOf(word, &x, &y) == way {
			return out, true
		}
	}
	return nil, false
}

// waysOf are the ways in which a word can be changed.
func waysOf(word input.Word) ways {
	switch word.Kind {
	case input.LengthWord:
		return enlarge | shorten
	case input.SenderWord:
		return replace
	}
	return overwrite | replace
}

// wayOf is the way in which a word was changed from x to y.
func wayOf(word input.Word, x, y *uint256.Int) ways {
	if word.Kind == input.LengthWord {
		if x.Lt(y) {
			return enlarge
		}
		return shorten
	}
	var d, back uint256.Int
	d.Sub(x, y)
	back.Neg(&d)
	if word.Kind != input.SenderWord && (d.CmpUint64(smallStep) <= 0 || back.CmpUint64(smallStep) <= 0) {
		return overwrite
	}
	return replace
}

// in reports whether the last call of an execution reaches the branch.
func (a maskedBranch) in(exec *evm.Execution) bool {
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.ID != a.code {
			continue
		}
		for j := range f.Comparisons {
			if f.Comparisons[j].PC == a.pc {
				return true
			}
		}
	}
	return false
}

// allows reports whether a mutant of a seed changes only what may be changed
// (the paper's okToMutate). Changes of the list of calls are not judged.
func (m *mask) allows(space *input.Space, seed, mutant input.Sequence) bool {
	var buffer [8]input.Word // havoc stacks at most six changes
	changed, ok := space.AppendChanged(buffer[:0], seed, mutant, len(buffer))
	if !ok {
		return true
	}
	for _, word := range changed {
		allowed, tried := m.ways[word]
		if !tried {
			continue
		}
		x, _ := space.Get(seed, word)
		y, _ := space.Get(mutant, word)
		if allowed&wayOf(word, &x, &y) == 0 {
			return false
		}
	}
	return true
}

// mutateWithin makes the next input from the task's seed: a probe for its mask, or
// mostly a mutant that the mask allows; m may be nil.
func (w *worker) mutateWithin(t *task, m *mask) lead {
	if m != nil && len(m.probes) > 0 {
		last := len(m.probes) - 1
		m.probing = &m.probes[last]
		m.probes = m.probes[:last]
		return lead{sequence: m.probing.sequence}
	}
	mutant := w.mutate(t)
	if m == nil || w.rand.IntN(4) >= maskKept {
		return mutant
	}
	for range maskTries {
		if m.allows(w.space, t.sequence, mutant.sequence) {
			break
		}
		mutant = w.mutate(t)
	}
	return mutant
}
