package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// lead is an input that somebody has a reason to try: it costs no energy.
type lead struct {
	sequence input.Sequence
	// changes of words are made when its turn comes: there are thousands of leads, and
	// each would have an array of its own that takes tens of kilobytes.
	changes []input.Proposal
	from    *point // the run it was made from; nil for none
	steps   int    // predictions in a row so far
	// repetition is how it was made of the run, where copies of a call were put in.
	repetition *repetition
	joined     bool // its calls before the last are not the seed's
	arranged   bool // likewise, on demand
	size       int  // see leadStack
}

// complete makes the changes; false where they are none that the words can have.
func (l *lead) complete(space *input.Space) bool {
	for i := range l.changes {
		var ok bool
		if l.sequence, ok = space.With(l.sequence, l.changes[i].Word, &l.changes[i].Value); !ok {
			return false
		}
	}
	l.changes = nil
	return true
}

// maxLeadSize bounds what the runs take that the leads of a task were made from, in
// bytes: each keeps its branches and the arrays that are its own. Arbitrary: few
// tasks come to a tenth of it.
const maxLeadSize = 16 << 20

// leadStack are the leads that a task has still to follow: a stack, since the leads of a lead
// are on the way to the same goal.
type leadStack struct {
	stack []lead
	size  int // bytes of the runs that they were made from, about
}

// push puts what was found in one run on the stack, the best on top. What there is
// no room for is left out.
func (l *leadStack) push(found []lead) {
	size := 0
	var from *point
	for i := range found {
		if p := found[i].from; p != nil && p != from {
			from = p
			size += p.size()
		}
	}
	if len(found) == 0 || l.size+size > maxLeadSize && len(l.stack) > 0 {
		return
	}
	slices.Reverse(found)
	found[0].size = size // the last of them to be followed
	l.size += size
	l.stack = append(l.stack, found...)
}

// pop takes the next lead from the stack; false when there is none.
func (l *leadStack) pop() (next lead, ok bool) {
	last := len(l.stack) - 1
	if last < 0 {
		return lead{}, false
	}
	next = l.stack[last]
	l.stack[last] = lead{}
	l.stack = l.stack[:last]
	l.size -= next.size
	return next, true
}
