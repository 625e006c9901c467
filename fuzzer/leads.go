package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// lead is an input that there is a reason to try: it costs no energy.
type lead struct {
	sequence input.Sequence
	// changes are applied when its turn comes: there are thousands of leads, and each
	// would otherwise hold an array of tens of kilobytes.
	changes []input.Proposal
	from    *point // the run it was made from; nil for none
	steps   int    // consecutive predictions so far
	// repetition is how it was made of the run by copies of calls; nil otherwise.
	repetition *repetition
	joined     bool // its calls before the last are not the seed's
	onDemand   bool // likewise, since the seed's function demands it
	size       int  // see leadStack
	// substituted is the call that got other keys in it; nil: none. enables is the index of a
	// call that others before it are to make succeed; 0: none. See keySubstitution.
	substituted *substituted
	enables     int
	agreed      bool // its last call names what another one named, or the other way around, see keySubstitution
	unfollowed  bool // the seed of a task, see Campaign.followingTask
	relinked    bool // it has its own hashes, see relinker
	resent      bool // others send what was signed: all that follows is that it is signed anew
}

// asLeads makes leads of sequences.
func asLeads(sequences []input.Sequence) (leads []lead) {
	for _, seq := range sequences {
		leads = append(leads, lead{sequence: seq})
	}
	return leads
}

// complete applies the changes; false if the words cannot take their values.
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

// maxLeadSize bounds the memory of the runs that a task's leads were made from, in bytes:
// each keeps its branches and its own arrays. Arbitrary: few tasks reach a tenth of it.
const maxLeadSize = 16 << 20

// leadStack holds the leads that a task has yet to follow: a stack, since the leads of a
// lead are on the way to the same goal.
type leadStack struct {
	stack []lead
	size  int // of the runs that they were made from, in about so many bytes
}

// push puts the leads of one run on the stack, the best on top, if there is room.
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
