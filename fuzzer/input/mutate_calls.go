package input

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/abi"
)

// How the list of calls changes. Arbitrary, but for two aims: new calls matter
// most, since ordered sequences are what fuzzing without a harness lacks, and
// repetition opens guards that accumulate (papers/mufuzz §IV-A).
var callWeights = []int{
	insertCall:    6,
	deleteCall:    3,
	duplicateCall: 3,
	swapCalls:     2,
	replaceCall:   3,
	extendCalls:   2,
	deployCall:    1,
}

const (
	insertCall = iota
	deleteCall
	duplicateCall
	swapCalls
	replaceCall
	extendCalls
	deployCall
)

// mutateCalls changes the list of calls; seq's list belongs to the mutator. An
// operation that does not fit (no room, one call only) becomes a replacement.
func (m *Mutator) mutateCalls(r Rand, seq Sequence) Sequence {
	n := len(seq)
	room := n < m.options.SeqLen
	switch op := pick(r, callWeights); {
	case op == insertCall && room:
		return m.insert(r, seq)
	case op == deleteCall && n > 1:
		i := r.IntN(n)
		return slices.Delete(seq, i, i+1)
	case op == duplicateCall && room:
		i := r.IntN(n) // the copy comes right behind, or anywhere later
		at := i + 1
		if oneIn(r, 2) {
			at += r.IntN(n - i)
		}
		return slices.Insert(seq, at, seq[i])
	case op == swapCalls && n > 1:
		i := r.IntN(n - 1)
		j := i + 1 + r.IntN(n-1-i)
		seq[i], seq[j] = seq[j], seq[i]
		return seq
	case op == extendCalls && room:
		for more := 1 + r.IntN(min(m.options.SeqLen-n, DefaultSeqLen)); more > 1; more-- {
			seq = append(seq, m.generateChanging(r))
		}
		return append(seq, m.Generate(r))
	case op == deployCall && len(m.fresh) > 0:
		return m.deploy(r, seq)
	}
	i := r.IntN(n)
	seq[i] = m.generateFor(r, seq[:i], n)
	return seq
}

// insert puts a generated call somewhere: before the last call, to change the
// state that it meets, or behind it.
func (m *Mutator) insert(r Rand, seq Sequence) Sequence {
	i := r.IntN(len(seq) + 1)
	return slices.Insert(seq, i, m.generateFor(r, seq[:i], len(seq)+1))
}

// generateFor makes a call to follow the calls of before in a sequence of n: only
// the last may be a view's. What before deploys is called in half of the cases,
// since nothing else calls it.
func (m *Mutator) generateFor(r Rand, before Sequence, n int) Call {
	if c, ok := m.deployed(r, before); ok && oneIn(r, 2) {
		return m.generate(r, c)
	}
	var call Call
	if len(before) < n-1 {
		call = m.generateChanging(r)
	} else {
		call = m.Generate(r)
	}
	if len(before) > 0 && oneIn(r, resumeShare) {
		resume(&call, before)
	}
	return call
}

// resumeShare: one call in so many goes on with what those before it began, if it can. Arbitrary.
const resumeShare = 4

// deployed is a random function of what the calls deploy; false when they deploy
// nothing, or nothing with functions.
func (m *Mutator) deployed(r Rand, calls Sequence) (Callable, bool) {
	if len(m.fresh) == 0 {
		return Callable{}, false
	}
	var instances []int
	for i := range calls {
		in := &m.space.Instances[calls[i].Instance]
		if calls[i].Function == in.constructor && in.Fresh && len(in.Functions) > 1 {
			instances = append(instances, calls[i].Instance)
		}
	}
	if len(instances) == 0 {
		return Callable{}, false
	}
	instance := instances[r.IntN(len(instances))]
	functions := m.space.Instances[instance].Functions
	return Callable{instance, functions[r.IntN(len(functions)-1)]}, true // the constructor is the last
}

// Splice joins a non-empty front of a with a non-empty rear of b, at most SeqLen
// calls (the front gives way). Both parents must have calls.
func (m *Mutator) Splice(r Rand, a, b Sequence) Sequence {
	front := a[:1+r.IntN(len(a))]
	rear := b[r.IntN(len(b)):]
	if extra := len(rear) - m.options.SeqLen; extra > 0 {
		rear = rear[extra:]
	}
	if room := m.options.SeqLen - len(rear); len(front) > room {
		front = front[len(front)-room:]
	}
	return append(append(make(Sequence, 0, len(front)+len(rear)), front...), rear...)
}

// Before puts calls in front of the last one of b, with the ones that are there before
// them in a quarter of the cases; at most SeqLen calls, of which the first give way. A
// word of each is changed in half of the cases: what is handed on from call to call has
// to be told from zero. In half of the cases all have the sender of the last. Both must
// have calls.
func (m *Mutator) Before(r Rand, calls, b Sequence) Sequence {
	last := len(b) - 1
	var out Sequence
	if oneIn(r, 4) {
		out = append(out, b[:last]...)
	}
	first := len(out)
	out = append(append(out, calls...), b[last])
	same := oneIn(r, 2)
	for i := first; i < len(out)-1; i++ {
		if oneIn(r, 2) {
			m.mutateOneWord(r, out, i)
		}
		if same {
			out[i].Sender = b[last].Sender
		}
	}
	if extra := len(out) - m.options.SeqLen; extra > 0 {
		out = out[extra:]
	}
	return out
}

// MutateCall changes one word of a call.
func (m *Mutator) MutateCall(r Rand, c Call) Call {
	one := Sequence{c}
	m.mutateOneWord(r, one, 0)
	return one[0]
}

// Precede puts the last call of a in front of the last one of b, in half of the cases
// with what led to it; at most SeqLen calls, of which the first give way. In half of
// the cases the two have the same sender, since what is kept is mostly kept by
// sender, and in half a word of the call is changed. Both parents must have calls.
func (m *Mutator) Precede(r Rand, a, b Sequence) Sequence {
	last := len(b) - 1
	if oneIn(r, 2) {
		a = a[len(a)-1:]
	}
	out := slices.Concat(b[:last], a, b[last:])
	if oneIn(r, 2) {
		out[len(out)-2].Sender = b[last].Sender
	}
	if oneIn(r, 2) {
		m.mutateOneWord(r, out, len(out)-2)
	}
	if extra := len(out) - m.options.SeqLen; extra > 0 {
		out = out[extra:]
	}
	return out
}

// maxContinued bounds the functions that Continue calls. Arbitrary.
const maxContinued = 32

// Continue lists sequences that go on from one, by a call of each function that may
// change state: with zero arguments from the last call's sender, and with random ones. None where the
// sequence is as long as it may be.
func (m *Mutator) Continue(r Rand, seq Sequence) []Sequence {
	if len(seq) == 0 || len(seq) >= m.options.SeqLen {
		return nil
	}
	var all []Sequence
	first := 0
	if n := len(m.space.changing); n > maxContinued {
		first = r.IntN(n)
	}
	for i := range min(len(m.space.changing), maxContinued) {
		c := m.space.changing[(first+i)%len(m.space.changing)]
		plain := Call{Sender: seq[len(seq)-1].Sender, Instance: c.Instance, Function: c.Function, Args: abi.Zeros(c.Function.Inputs)}
		all = append(all, append(seq.Clone(), plain), append(seq.Clone(), m.generate(r, c)))
	}
	return all
}
