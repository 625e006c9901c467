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

// masks are those of a worker's seeds.
type masks struct {
	*tools
	known map[*Seed]*mask
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

// branchOf is the last branch of a run with an untaken side; false when there is
// none, or it is not nested.
func (k *masks) branchOf(branches []input.Branch, last int) (maskedBranch, bool) {
	for i := len(branches) - 1; i >= 0; i-- {
		b := &branches[i]
		if b.Call != last {
			break
		}
		if b.Code != bytecode.NoCode && !k.tracker.decided(b.Code, &b.Comparison) {
			return maskedBranch{b.Code, b.PC}, i >= maskNested && branches[i-maskNested].Call == last
		}
	}
	return maskedBranch{}, false
}

// of is the mask of the task's seed, whose run base is; nil when it needs none.
// It is made again when both sides of its branch have been taken.
func (k *masks) of(t *task, base *point) *mask {
	if k.without.Masks || base == nil || t.energy < maskEnergy {
		return nil
	}
	branch, nested := k.branchOf(base.branches, len(base.sequence)-1)
	if !nested {
		return nil
	}
	if m := k.known[t.seed]; m != nil && m.branch == branch {
		return m
	}
	if k.known == nil || len(k.known) >= maxMasks {
		k.known = map[*Seed]*mask{}
	}
	m := &mask{branch: branch, ways: map[input.Word]ways{}, probes: k.probes(base.sequence)}
	k.known[t.seed] = m
	return m
}

// recordProbe records the outcome of what [mutation.mutateWithin] made last, if that was a
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
func (k *masks) probes(seq input.Sequence) []maskProbe {
	var probes []maskProbe
	for call := len(seq) - 1; call >= 0; call-- {
		for _, word := range input.AppendCallWords(nil, seq, call) {
			for _, way := range []ways{overwrite, replace, enlarge, shorten} {
				changed, fits := k.probe(seq, word, way)
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
func (k *masks) probe(seq input.Sequence, word input.Word, way ways) (input.Sequence, bool) {
	x, ok := k.space.Get(seq, word)
	if !ok {
		return nil, false
	}
	if way&waysOf(word) == 0 {
		return nil, false
	}
	var y uint256.Int
	switch way {
	case overwrite, enlarge:
		if out, ok := k.space.With(seq, word, y.AddUint64(&x, 1)); ok {
			return out, true
		}
		if way == enlarge {
			return nil, false
		}
		fallthrough
	case shorten:
		return k.space.With(seq, word, y.SubUint64(&x, 1))
	}
	for range maskTries {
		out, ok := k.mutator.ChangeWord(k.rand, seq, word)
		if !ok {
			return nil, false
		}
		if y, _ := k.space.Get(out, word); wayOf(word, &x, &y) == way {
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
// mostly a mutant that the mask allows, which may be nil.
func (m *mutation) mutateWithin(t *task, k *mask) lead {
	if k != nil && len(k.probes) > 0 {
		last := len(k.probes) - 1
		k.probing = &k.probes[last]
		k.probes = k.probes[:last]
		return lead{sequence: k.probing.sequence}
	}
	mutant := m.mutate(t)
	if k == nil || m.rand.IntN(4) >= maskKept {
		return mutant
	}
	for range maskTries {
		if k.allows(m.space, t.sequence, mutant.sequence) {
			break
		}
		mutant = m.mutate(t)
	}
	return mutant
}
