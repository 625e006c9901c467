package input

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

func TestMutantsAreValidAndParentsUntouched(t *testing.T) {
	for _, deploy := range []bool{false, true} {
		m := testMutator(t, deploy)
		r := testRand(1)
		suite := m.Seeds()
		var encoded evm.Sequence
		for i := range 20_000 {
			parent := suite[r.IntN(len(suite))]
			before := deepCopy(parent)
			var child Sequence
			switch r.IntN(10) {
			case 0:
				child = m.Splice(r, parent, suite[r.IntN(len(suite))])
			case 1:
				child = m.GenerateSequence(r)
			case 2:
				child, _ = m.MutateLast(r, nil, parent)
			case 3:
				child = m.Precede(r, suite[r.IntN(len(suite))], parent)
			case 4:
				child = m.Before(r, suite[r.IntN(len(suite))], parent)
			case 5:
				child = append(parent.Clone()[:len(parent)-1], m.MutateCall(r, parent[len(parent)-1]))
			default:
				child = m.Mutate(r, parent)
			}
			mustValid(t, m.space, child, i)
			if !parent.Equal(before) {
				t.Fatalf("mutation %d changed its parent", i)
			}
			if len(child) == 0 || len(child) > DefaultSeqLen {
				t.Fatalf("mutation %d made %d calls", i, len(child))
			}
			encoded = m.space.Encode(child, encoded)
			if oneIn(r, 10) {
				suite = append(suite, child)
			}
		}
	}
}

func deepCopy(seq Sequence) Sequence {
	out := seq.Clone()
	for i := range out {
		out[i].Args = cloneValues(out[i].Args)
	}
	return out
}

// cloneValues copies an argument list with everything below it.
func cloneValues(values []Value) []Value {
	out := slices.Clone(values)
	for i := range out {
		out[i].Bytes = slices.Clone(out[i].Bytes)
		out[i].Elems = cloneValues(out[i].Elems)
	}
	return out
}

// At least half of all mutations change exactly one input word (design §7). A
// changed length counts as one word, what it adds or cuts off as none.
func TestHalfOfMutationsChangeOneWord(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(2)
	suite := m.Seeds()
	for range 200 {
		suite = append(suite, m.GenerateSequence(r))
	}
	const n = 20_000
	one, strict, none := 0, 0, 0
	for range n {
		parent := suite[r.IntN(len(suite))]
		child := m.Mutate(r, parent)
		if parent.Equal(child) {
			none++
		}
		if sameShape(parent, child) {
			changed, lengths, appeared := diffWords(wordValues(t, m.space, parent), wordValues(t, m.space, child))
			if changed == 1 && (appeared == 0 || lengths == 1) {
				one++
				if appeared == 0 {
					strict++
				}
			}
		}
	}
	t.Logf("of %d mutations %d change one word, %d of them without words added or cut off; %d change nothing", n, one, strict, none)
	if strict < n/2 {
		t.Errorf("only %d of %d mutations change exactly one word", strict, n)
	}
	if none > n/20 {
		t.Errorf("%d of %d mutations change nothing", none, n)
	}
}

func sameShape(a, b Sequence) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Function != b[i].Function || a[i].Instance != b[i].Instance {
			return false
		}
	}
	return true
}

func TestEveryWordCanChange(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(3)
	for range 300 {
		seq := m.GenerateSequence(r)
		for _, w := range AppendWords(nil, seq) {
			child := seq.Clone()
			if !m.changeWord(r, child, w) {
				t.Fatalf("%v (%s) could not change", w, seq[w.Call].Function.Signature)
			}
			mustValid(t, m.space, child, w)
			before, _ := m.space.Get(seq, w)
			after, _ := m.space.Get(child, w)
			if before == after {
				t.Fatalf("%v did not change", w)
			}
		}
	}
}

func BenchmarkMutateEncode(b *testing.B) {
	m := testMutator(b, false)
	r := testRand(4)
	var suite []Sequence
	for range 256 {
		suite = append(suite, m.GenerateSequence(r))
	}
	var mutant Sequence
	var encoded evm.Sequence
	calls := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		mutant = m.MutateInto(r, mutant, suite[i%len(suite)])
		encoded = m.space.Encode(mutant, encoded)
		calls += len(encoded)
	}
	b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
}

// diffWords counts words with another value, lengths among them, and words that
// only one side has.
func diffWords[V comparable](a, b map[Word]V) (changed, lengths, appeared int) {
	for w, x := range a {
		y, ok := b[w]
		switch {
		case !ok:
			appeared++
		case x != y:
			changed++
			if w.Kind == LengthWord {
				lengths++
			}
		}
	}
	for w := range b {
		if _, ok := a[w]; !ok {
			appeared++
		}
	}
	return changed, lengths, appeared
}

// TestContinue: every function that may change state, twice, behind the same calls.
func TestContinue(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(1)
	seq := m.GenerateSequence(r)[:1]
	before := deepCopy(seq)
	all := m.Continue(r, seq)
	if len(all) != 2*len(m.space.changing) || len(all) == 0 {
		t.Fatalf("%d sequences of %d functions", len(all), len(m.space.changing))
	}
	for i, next := range all {
		mustValid(t, m.space, next, i)
		if len(next) != 2 || !next[:1].Equal(before) || next[1].Function != m.space.changing[i/2].Function {
			t.Errorf("sequence %d does not go on with function %d", i, i/2)
		}
	}
	m.SetSeqLen(1)
	if all := m.Continue(r, seq); len(all) != 0 || !seq.Equal(before) {
		t.Errorf("%d sequences beyond the bound", len(all))
	}
}

// TestRedraw changes arguments of the last call alone.
func TestRedraw(t *testing.T) {
	m := testMutator(t, false)
	r := testRand(1)
	changed := 0
	for i := range 1000 {
		seq := m.GenerateSequence(r)
		before := deepCopy(seq)
		next := m.Redraw(r, seq)
		mustValid(t, m.space, next, i)
		last := len(seq) - 1
		if !seq.Equal(before) || !next[:last].Equal(seq[:last]) || next[last].Function != seq[last].Function || next[last].Sender != seq[last].Sender {
			t.Fatalf("redraw %d changed more than arguments of the last call", i)
		}
		if !next.Equal(seq) {
			changed++
		}
	}
	if changed < 200 { // many functions have no arguments
		t.Errorf("%d of 1000 changed anything", changed)
	}
}
