package input

import "github.com/holiman/uint256"

// Options of a Mutator. The zero value of a field stands for its default.
type Options struct {
	// SeqLen is the most calls that a mutated sequence has; default 8
	// (papers/harvey §5 starts there). Longer parents are cut from the front.
	SeqLen int
}

// DefaultSeqLen is the default of Options.SeqLen.
const DefaultSeqLen = 8

// Mutator makes new sequences from old ones. What it returns depends on its
// Space, its Dictionary's content, the random source and the parents alone. It
// never writes to what a parent points to, so that suite, worker and mutants may
// share arguments. A Mutator is used by one goroutine (it owns scratch memory);
// its Space may be shared.
type Mutator struct {
	space      *Space
	dictionary *Dictionary
	options    Options

	asked *Asked // nil: nothing is known

	// avoided are functions that new calls are not of, if there are others.
	avoided map[*Function]bool

	fresh []int  // indices of the Space's fresh instances
	words []Word // scratch

	parallel     int // the length of all arrays of the call that is made; 0: each has its own
	encodedDepth int // of the encoding that is made or changed, in others
}

// NewMutator makes a mutator for a Space that has at least one function. The
// dictionary is read while mutating, see Dictionary about sharing.
func NewMutator(space *Space, dictionary *Dictionary, options Options) *Mutator {
	if len(space.Callables) == 0 {
		panic("input: a mutator for a space without functions")
	}
	m := &Mutator{space: space, dictionary: dictionary}
	for i := range space.Instances {
		if space.Instances[i].Fresh {
			m.fresh = append(m.fresh, i)
		}
	}
	m.SetSeqLen(options.SeqLen)
	return m
}

// SetSeqLen changes the most calls of a sequence; values below 1 stand for the
// default, values above MaxCalls for MaxCalls.
func (m *Mutator) SetSeqLen(n int) {
	if n < 1 {
		n = DefaultSeqLen
	}
	m.options.SeqLen = min(n, MaxCalls)
}

// Avoid makes new calls of these functions rare. The map must not change any more.
func (m *Mutator) Avoid(functions map[*Function]bool) { m.avoided = functions }

// Ask makes mutants have scripts where executions have shown them to be of use. What they show
// later counts as well.
func (m *Mutator) Ask(asked *Asked) { m.asked = asked }

// SeqLen is the most calls of a sequence.
func (m *Mutator) SeqLen() int { return m.options.SeqLen }

// Shares of the kinds of mutation, in eighths. Single-word mutations must be at
// least half, since prediction and every causal conclusion need two runs that
// differ in one word; 5/8 leaves room for those that change an array's length
// and with it several words.
var mutationWeights = []int{5, 2, 1} // one word, the list of calls, havoc

// Mutate makes a mutant of a sequence; the parent stays as it is. An empty
// parent gives a generated sequence.
func (m *Mutator) Mutate(r Rand, seq Sequence) Sequence { return m.MutateInto(r, nil, seq) }

// MutateInto is Mutate with the mutant's call list in dst[:0], if it fits there.
// dst must not overlap seq.
func (m *Mutator) MutateInto(r Rand, dst, seq Sequence) Sequence {
	if len(seq) == 0 {
		return append(dst[:0], m.GenerateSequence(r)...)
	}
	if extra := len(seq) - m.options.SeqLen; extra > 0 {
		seq = seq[extra:]
	}
	out := append(dst[:0], seq...)
	if IsTest(seq) {
		m.mutateTest(r, out)
		return out
	}
	if m.mutateScript(r, out) {
		return out
	}
	switch pick(r, mutationWeights) {
	case 0:
		if m.mutateOneWord(r, out, m.chooseCall(r, out)) {
			return out
		}
		return m.mutateCalls(r, out) // a sequence without a word that can change
	case 1:
		return m.mutateCalls(r, out)
	}
	return m.havoc(r, out)
}

// mutateTest changes arguments of a test: one word in most cases, else several.
func (m *Mutator) mutateTest(r Rand, seq Sequence) {
	steps := 1
	if pick(r, mutationWeights) == len(mutationWeights)-1 {
		steps = 2 + r.IntN(havocSteps-1)
	}
	for range steps {
		m.mutateOneWord(r, seq, len(seq)-1)
	}
}

// MutateLast changes one word of the last call: the state in front of it stays
// the same, so that a machine which keeps it runs one call only. False when the
// call has no word that can change.
func (m *Mutator) MutateLast(r Rand, dst, seq Sequence) (Sequence, bool) {
	out := append(dst[:0], seq...)
	return out, len(out) > 0 && m.mutateOneWord(r, out, len(out)-1)
}

// ChangeWord is seq with another value of one word, drawn as mutation does; false
// when the word cannot change.
func (m *Mutator) ChangeWord(r Rand, seq Sequence, w Word) (Sequence, bool) {
	out := seq.Clone()
	return out, m.changeWord(r, out, w)
}

// Redraw gives words of the last call other values, each argument's in half of the
// cases: the state in front of it stays the same.
func (m *Mutator) Redraw(r Rand, seq Sequence) Sequence {
	out := seq.Clone()
	for _, w := range appendArgumentWords(nil, out, len(out)-1) {
		if t := WordType(out, w); t != nil && oneIn(r, 2) {
			x := m.generateWord(r, t)
			m.space.set(out, w, &x)
		}
	}
	return out
}

// MutateWord is another value for a word that has no type: one of the state.
func (m *Mutator) MutateWord(r Rand, seq Sequence, old *uint256.Int) uint256.Int {
	return m.mutateLeaf(r, seq, &wordType, old)
}

// havocSteps is the most mutations that havoc stacks. Arbitrary; AFL's havoc
// goes to 128, but on files of kilobytes.
const havocSteps = 6

// havoc stacks 2 to havocSteps mutations, mostly of words.
func (m *Mutator) havoc(r Rand, seq Sequence) Sequence {
	for range 2 + r.IntN(havocSteps-1) {
		if oneIn(r, 4) || !m.mutateOneWord(r, seq, m.chooseCall(r, seq)) {
			seq = m.mutateCalls(r, seq)
		}
	}
	return seq
}

// chooseCall is the last call in half of the cases: the path that identifies an
// execution is the last call's. Else any.
func (m *Mutator) chooseCall(r Rand, seq Sequence) int {
	if oneIn(r, 2) {
		return len(seq) - 1
	}
	return r.IntN(len(seq))
}
