package input

import "slices"

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
		for more := 1 + r.IntN(m.options.SeqLen-n); more > 1; more-- {
			seq = append(seq, m.generateChanging(r))
		}
		return append(seq, m.Generate(r))
	case op == deployCall && len(m.fresh) > 0:
		return m.deploy(r, seq)
	}
	i := r.IntN(n)
	seq[i] = m.generateFor(r, i, n)
	return seq
}

// insert puts a generated call somewhere: before the last call, to change the
// state that it meets, or behind it.
func (m *Mutator) insert(r Rand, seq Sequence) Sequence {
	i := r.IntN(len(seq) + 1)
	return slices.Insert(seq, i, m.generateFor(r, i, len(seq)+1))
}

// generateFor makes a call for position i of n: only the last may be a view's.
func (m *Mutator) generateFor(r Rand, i, n int) Call {
	if i < n-1 {
		return m.generateChanging(r)
	}
	return m.Generate(r)
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
