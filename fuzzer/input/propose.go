package input

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Proposal is a single-word mutation that an execution suggests: Space.With makes
// the sequence.
type Proposal struct {
	Word  Word
	Value uint256.Int
}

// MaxProposals bounds what one execution suggests. Arbitrary.
const MaxProposals = 64

// Propose appends to dst what the comparisons of an execution of seq suggest: where an
// operand equals an input word, the other operand is proposed directly; for orders also
// the other operand ± 1. A word counts as equal to an operand if it holds it as a number,
// fixed bytes also when shifted to the right, time and block as the absolute number that
// the contract sees.
//
// The comparisons are taken call by call from the last to the first, in order within a
// call; want selects those of interest (nil: all). Only words of the comparison's own call
// and of earlier ones can matter to it. Every proposal fits its word, differs from what is
// there, and comes once; at most MaxProposals are appended.
func (p *Proposer) Propose(dst []Proposal, seq Sequence, e *evm.Execution, want func(*evm.Frame, *evm.Comparison) bool) []Proposal {
	p.begin(dst, seq, len(seq))
	for call := min(len(e.Calls), len(seq)) - 1; call >= 0 && p.call(e, call, want); call-- {
	}
	return p.out
}

// ProposeEarlier is Propose for what the last call compares, and words of the calls before
// it.
func (p *Proposer) ProposeEarlier(dst []Proposal, seq Sequence, e *evm.Execution, want func(*evm.Frame, *evm.Comparison) bool) []Proposal {
	p.begin(dst, seq, len(seq)-1)
	p.call(e, len(e.Calls)-1, want)
	return p.out
}

// begin begins with an execution's proposals, for the words of so many calls.
func (p *Proposer) begin(dst []Proposal, seq Sequence, calls int) {
	p.seq, p.calls, p.seen, p.out, p.start = seq, calls, p.seen[:0], dst, len(dst)
	p.budget = maxObserved
}

// call proposes for the comparisons of a call. False when no more are to be looked at.
func (p *Proposer) call(e *evm.Execution, call int, want func(*evm.Frame, *evm.Comparison) bool) bool {
	r := e.Calls[call].Frames
	for i := r[0]; i < r[1]; i++ {
		f := &e.Frames[i]
		for j := range f.Comparisons {
			c := &f.Comparisons[j]
			if want != nil && !want(f, c) || Echoes(f, j) {
				continue
			}
			if p.budget--; p.budget < 0 || len(p.out)-p.start >= MaxProposals {
				return false
			}
			if len(p.seen) == 0 {
				p.observe() // costs more than all else here, and often nothing is wanted
			}
			p.comparison(call, c)
		}
	}
	return true
}

// Proposer makes proposals; its memory is used again and again.
type Proposer struct {
	space *Space
	words []Word // scratch

	// Of one execution:
	seq    Sequence
	calls  int        // whose words may be set, the first ones
	budget int        // comparisons left to look at
	seen   []observed // by then; empty: not looked for
	out    []Proposal
	start  int // of its proposals in out
}

// NewProposer makes a Proposer for sequences of a Space.
func NewProposer(s *Space) *Proposer { return &Proposer{space: s} }

// observed is a word as contract code sees it.
type observed struct {
	word  Word
	value uint256.Int // what is compared
	base  uint256.Int // added to the word's own value to give what is compared: the clock before the call
	shift uint        // the word is the value shifted to the left by so many bits
}

// observe lists how the words of the sequence can appear in comparisons.
func (p *Proposer) observe() {
	time, block := p.space.start.Time, p.space.start.Number
	p.words = AppendWords(p.words[:0], p.seq[:p.calls])
	words := p.words
	for i := range p.seq[:p.calls] {
		for len(words) > 0 && words[0].Call == i {
			w := words[0]
			words = words[1:]
			x, _ := p.space.Get(p.seq, w)
			o := observed{word: w, value: x}
			switch w.Kind {
			case TimeWord:
				o.base.SetUint64(time)
			case BlockWord:
				o.base.SetUint64(block)
			}
			o.value.Add(&o.value, &o.base)
			p.seen = append(p.seen, o)
			if w.Kind == LeafWord {
				if _, t := resolve(p.seq, &w); t.Kind == FixedBytes && t.Bits < 256 {
					o.shift = uint(256 - t.Bits)
					o.value.Rsh(&x, o.shift)
					p.seen = append(p.seen, o)
				}
			}
		}
		time += p.seq[i].TimeAdvance
		block += p.seq[i].BlockAdvance
	}
}

func (p *Proposer) comparison(call int, c *evm.Comparison) {
	p.side(call, c, &c.Left, &c.Right)
	p.side(call, c, &c.Right, &c.Left)
}

// side proposes for the words that equal the operand mine.
func (p *Proposer) side(call int, c *evm.Comparison, mine, other *uint256.Int) {
	for i := range p.seen {
		o := &p.seen[i]
		if o.word.Call > call || o.value != *mine || !telling(o, mine, other, call) {
			continue
		}
		if c.Op != opEq && c.Op != opIszero || mine.Eq(other) {
			var x uint256.Int
			p.propose(o, x.AddUint64(other, 1))
			p.propose(o, x.SubUint64(other, 1))
		}
		p.propose(o, other)
	}
}

// telling: 0 and 1 are everywhere; a word that holds one of them is only taken
// for the operand when it is an argument or the value of the same call, or a length that
// is compared with another number.
func telling(o *observed, mine, other *uint256.Int, call int) bool {
	if !mine.LtUint64(2) {
		return true
	}
	if o.word.Call != call {
		return false
	}
	switch o.word.Kind {
	case LeafWord, ValueWord, AnswerWord:
		return true
	case LengthWord:
		return !other.LtUint64(2)
	}
	return false
}

// propose adds the word's value with which the contract would see x.
func (p *Proposer) propose(o *observed, x *uint256.Int) {
	if len(p.out)-p.start >= MaxProposals || *x == o.value {
		return
	}
	var v, back uint256.Int
	v.Sub(x, &o.base)
	v.Lsh(&v, o.shift)
	if back.Rsh(&v, o.shift); o.shift > 0 && back != *x || !p.space.Fits(p.seq, o.word, &v) {
		return
	}
	proposal := Proposal{o.word, v}
	if !slices.Contains(p.out[p.start:], proposal) {
		p.out = append(p.out, proposal)
	}
}
