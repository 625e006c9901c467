package lookahead

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// TestEntails: a relation is entailed by a state without relations just when it holds for all words of its classes, by brute force
// over words up to 3.
func TestEntails(t *testing.T) {
	v := newValues()
	var sets [][2]uint64
	for lo := range uint64(4) {
		for hi := lo; hi < 4; hi++ {
			sets = append(sets, [2]uint64{lo, hi})
		}
	}
	entailed := 0
	check := func(classes [3][2]uint64, r relation) {
		s := state{values: make([]Value, 3)}
		for i, c := range classes {
			s.values[i] = v.intern(interval{*uint256.NewInt(c[0]), *uint256.NewInt(c[1])})
		}
		want := true
		var w [3]uint64
		for w[0] = classes[0][0]; w[0] <= classes[0][1]; w[0]++ {
			for w[1] = classes[1][0]; w[1] <= classes[1][1]; w[1]++ {
				for w[2] = classes[2][0]; w[2] <= classes[2][1]; w[2]++ {
					word := func(x symbol) uint64 {
						if x == absent {
							return uint64(r.k) - 1 // of a small constant
						}
						return w[x]
					}
					var holds bool
					switch a, b := word(r.a), word(r.b); r.kind {
					case equal:
						holds = a == b
					case offset:
						holds = b == a+uint64(r.k)-1
					default:
						holds = a < b
					}
					if r.of != absent && w[r.of] == 0 {
						holds = !holds
					}
					want = want && holds != r.negated
				}
			}
		}
		if want {
			entailed++
		}
		if got := v.entails(&s, r); got != want {
			t.Fatalf("that %+v holds of classes %v is entailed: %t", r, classes, got)
		}
	}
	for _, a := range sets {
		for _, b := range sets {
			for _, kind := range []relationKind{equal, less, signedLess} {
				for _, negated := range []bool{false, true} {
					for _, of := range append(sets, [2]uint64{}) {
						classes := [3][2]uint64{a, b, of}
						check(classes, relation{kind: kind, negated: negated, of: 2, a: 0, b: 1})
						check(classes, relation{kind: kind, negated: negated, of: 2, a: 0, b: 0})
					}
					classes := [3][2]uint64{a, b}
					check(classes, relation{kind: kind, negated: negated, of: absent, a: 0, b: 1})
					check(classes, relation{kind: kind, negated: negated, of: absent, a: 1, b: 1})
					for k := range uint64(4) {
						check(classes, relation{kind: kind, negated: negated, of: absent, a: absent, b: 1, k: constant(k)})
						check(classes, relation{kind: kind, negated: negated, of: absent, a: 0, b: absent, k: constant(k)})
					}
				}
			}
			for k := range uint64(4) {
				check([3][2]uint64{a, b}, relation{kind: offset, of: absent, a: 0, b: 1, k: constant(k)})
			}
		}
	}
	if entailed < 1000 {
		t.Errorf("only %d relations are entailed", entailed)
	}
}

// TestEntailsWhatIsKept: a relation that a state has is entailed, also in the other way to write it, and where a word that it has is known
// to be the constant of the state's.
func TestEntailsWhatIsKept(t *testing.T) {
	v := newValues()
	five, six := constant(5), constant(6)
	minus := v.binary(vm.SUB, constant(0), six)
	for name, c := range map[string]struct {
		kept, asked relation
		want        bool
	}{
		"as it is":                   {relation{kind: less, of: absent, a: 0, b: 1}, relation{kind: less, of: absent, a: 0, b: 1}, true},
		"an order turned round":      {relation{kind: less, of: absent, a: 0, b: 1}, relation{kind: less, of: absent, a: 1, b: 0}, false},
		"of signed words":            {relation{kind: less, of: absent, a: 0, b: 1}, relation{kind: signedLess, of: absent, a: 0, b: 1}, false},
		"negated":                    {relation{kind: less, of: absent, a: 0, b: 1}, relation{kind: less, negated: true, of: absent, a: 0, b: 1}, false},
		"an equality turned round":   {relation{kind: equal, of: absent, a: 0, b: 1}, relation{kind: equal, of: absent, a: 1, b: 0}, true},
		"an offset turned round":     {relation{kind: offset, of: absent, a: 0, b: 1, k: six}, relation{kind: offset, of: absent, a: 1, b: 0, k: minus}, true},
		"another offset":             {relation{kind: offset, of: absent, a: 0, b: 1, k: six}, relation{kind: offset, of: absent, a: 0, b: 1, k: five}, false},
		"an offset the other way":    {relation{kind: offset, of: absent, a: 0, b: 1, k: six}, relation{kind: offset, of: absent, a: 1, b: 0, k: six}, false},
		"a constant":                 {relation{kind: equal, negated: true, of: absent, a: 0, b: absent, k: five}, relation{kind: equal, negated: true, of: absent, a: absent, b: 0, k: five}, true},
		"a word that is it":          {relation{kind: equal, negated: true, of: absent, a: 0, b: absent, k: five}, relation{kind: equal, negated: true, of: absent, a: 0, b: 2}, true},
		"a word that is it, first":   {relation{kind: equal, negated: true, of: absent, a: 0, b: absent, k: five}, relation{kind: equal, negated: true, of: absent, a: 2, b: 0}, true},
		"another constant":           {relation{kind: equal, negated: true, of: absent, a: 0, b: absent, k: six}, relation{kind: equal, negated: true, of: absent, a: 0, b: 2}, false},
		"another word":               {relation{kind: equal, negated: true, of: absent, a: 1, b: absent, k: five}, relation{kind: equal, negated: true, of: absent, a: 0, b: 2}, false},
		"a condition":                {relation{kind: less, of: 3, a: 0, b: 1}, relation{kind: less, of: 3, a: 0, b: 1}, true},
		"a condition, outright":      {relation{kind: less, of: 3, a: 0, b: 1}, relation{kind: less, of: absent, a: 0, b: 1}, false},
		"a condition of another":     {relation{kind: less, of: 3, a: 0, b: 1}, relation{kind: less, of: 1, a: 0, b: 1}, false},
		"a condition of equal words": {relation{kind: equal, of: 3, a: 0, b: 1}, relation{kind: equal, of: 3, a: 1, b: 0}, true},
	} {
		s := state{values: []Value{Top, nonzero, five, boolean}, relations: []relation{c.kept.normal(v)}}
		if got := v.entails(&s, c.asked); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// comparisons are what unsigned words can be to each other.
var comparisons = []compared{{op: vm.EQ}, {op: vm.EQ, not: true}, {op: vm.LT}, {op: vm.LT, not: true}, {op: vm.GT}, {op: vm.GT, not: true}}

// TestContradictoryComparisons: of two words, each pair of comparisons that exclude each other is refuted, and of three, each three;
// whether the comparisons are made one after the other, or before anything is known of them.
func TestContradictoryComparisons(t *testing.T) {
	v := newValues()
	refute := func(c conditions) {
		t.Helper()
		_, possible := c.witness()
		early := interpreter{v: v}
		if got := c.assume(&early); got != possible {
			t.Errorf("%v are possible: %t", c.all, got)
		}
		late := interpreter{v: v}
		if got := c.assumeLater(&late); got != possible {
			t.Errorf("%v, computed before, are possible: %t", c.all, got)
		}
		saved := interpreter{v: v}
		if got := c.assumeInTurn(&saved); got != possible {
			t.Errorf("%v, saved in between, are possible: %t", c.all, got)
		}
	}
	for _, x := range comparisons {
		for _, y := range comparisons {
			for _, turned := range []bool{false, true} {
				x.a, x.b, y.a, y.b = 0, 1, 0, 1
				if turned {
					y.a, y.b = 1, 0
				}
				refute(conditions{words: 2, high: 15, all: []compared{x, y}})
			}
		}
	}
	pairs := [][2]int{{0, 1}, {1, 2}, {0, 2}}
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for n := range len(comparisons) * len(comparisons) * len(comparisons) {
			c := conditions{words: 3, high: 15}
			for i, pair := range order {
				x := comparisons[n/[]int{1, 6, 36}[i]%6]
				x.a, x.b = pairs[pair][0], pairs[pair][1]
				c.all = append(c.all, x)
			}
			refute(c)
		}
	}
}

// TestSumsAreOrdered: a word and a constant is above the word where the sum does not wrap around, and the least word that is above another is
// at most any other that is.
func TestSumsAreOrdered(t *testing.T) {
	v := newValues()
	for name, c := range map[string]struct {
		conditions
		possible bool
	}{
		"p < p + 3":                {conditions{2, 0, 15, []compared{{op: vm.GT, a: 0, b: 0, plus: 3}}}, true},
		"p >= p + 3":               {conditions{2, 0, 15, []compared{{op: vm.GT, a: 0, b: 0, plus: 3, not: true}}}, false},
		"p + 3 = p":                {conditions{2, 0, 15, []compared{{op: vm.EQ, a: 0, b: 0, plus: 3}}}, false},
		"p + 1 <= q, q <= p":       {conditions{2, 0, 15, []compared{{op: vm.GT, a: 0, b: 1, plus: 1, not: true}, {op: vm.GT, a: 1, b: 0, not: true}}}, false},
		"p + 1 <= q, q > p":        {conditions{2, 0, 15, []compared{{op: vm.GT, a: 0, b: 1, plus: 1, not: true}, {op: vm.GT, a: 1, b: 0}}}, true},
		"q <= p, p + 1 <= q":       {conditions{2, 0, 15, []compared{{op: vm.GT, a: 1, b: 0, not: true}, {op: vm.GT, a: 0, b: 1, plus: 1, not: true}}}, false},
		"p + 2 < q, q < r, r < p":  {conditions{3, 0, 15, []compared{{op: vm.LT, a: 0, b: 1, plus: 2}, {op: vm.LT, a: 1, b: 2}, {op: vm.LT, a: 2, b: 0}}}, false},
		"p + 2 < q, q < r, r > p":  {conditions{3, 0, 15, []compared{{op: vm.LT, a: 0, b: 1, plus: 2}, {op: vm.LT, a: 1, b: 2}, {op: vm.GT, a: 2, b: 0}}}, true},
		"p + 2 = q, q = p":         {conditions{2, 0, 15, []compared{{op: vm.EQ, a: 0, b: 1, plus: 2}, {op: vm.EQ, a: 1, b: 0}}}, false},
		"p + 2 = q, q < p":         {conditions{2, 0, 15, []compared{{op: vm.EQ, a: 0, b: 1, plus: 2}, {op: vm.LT, a: 1, b: 0}}}, false},
		"p + 2 = q, p + 1 = q":     {conditions{2, 0, 15, []compared{{op: vm.EQ, a: 0, b: 1, plus: 2}, {op: vm.EQ, a: 0, b: 1, plus: 1}}}, false},
		"p + 2 = q, q != p":        {conditions{2, 0, 15, []compared{{op: vm.EQ, a: 0, b: 1, plus: 2}, {op: vm.EQ, a: 1, b: 0, not: true}}}, true},
		"signed: p - 2 < q, q < p": {conditions{2, -8, 7, []compared{{op: vm.SLT, a: 0, b: 1, plus: -2}, {op: vm.SLT, a: 1, b: 0}}}, true},
		"signed: q < p - 2, p < q": {conditions{2, -8, 7, []compared{{op: vm.SGT, a: 0, b: 1, plus: -2}, {op: vm.SLT, a: 0, b: 1}}}, false},
	} {
		if _, possible := c.witness(); possible != c.possible {
			t.Fatalf("%s: possible %t", name, possible)
		}
		for how, assume := range map[string]func(conditions, *interpreter) bool{"": conditions.assume, ", saved": conditions.assumeAndSave, ", computed before": conditions.assumeLater} {
			if got := assume(c.conditions, &interpreter{v: v}); got != c.possible {
				t.Errorf("%s%s: possible %t", name, how, got)
			}
		}
	}
}

// TestRelationsAreBounded: of more comparisons than are kept, the first are, and nothing is refuted that is possible.
func TestRelationsAreBounded(t *testing.T) {
	v := newValues()
	m := interpreter{v: v}
	const words = 2 * maxRelations
	for range words {
		m.push(Top)
	}
	at := func(i int) symbol { return m.stack[i] }
	less := func(a, b int) bool {
		m.stack = append(m.stack, at(b), at(a))
		m.step(&instruction{op: vm.LT})
		return m.assume(m.pop(), true, 0)
	}
	for i := range words - 1 {
		if !less(i, i+1) {
			t.Fatalf("that %d words ascend is refuted", i+2)
		}
		if n := len(m.relations); n != min(i+1, maxPathRelations) {
			t.Fatalf("%d words have %d relations", i+2, n)
		}
	}
	if n := len(m.save().relations); n != maxPathRelations {
		t.Errorf("%d relations are saved", n)
	}
	if less(3, 1) || less(maxPathRelations, 0) {
		t.Error("what is kept does not refute what it excludes")
	}
	if !less(words-1, maxPathRelations+1) {
		t.Error("what is not kept refutes something")
	}
}

// TestJoinsKeepRelations: the join of states has the relations that hold in both, and no more of them than states may have.
func TestJoinsKeepRelations(t *testing.T) {
	v := newValues()
	j := joiner{v: v}
	const words = maxRelations + 4
	chain := func(n, from int) *state {
		s := &state{height: words}
		for i := range words {
			s.classes, s.values = append(s.classes, uint16(i)), append(s.values, Top)
		}
		for i := range n {
			s.relations = append(s.relations, relation{kind: less, of: absent, a: symbol(from + i), b: symbol(from + i + 1)})
		}
		return s
	}
	for _, c := range []struct{ a, b, from, want int }{{5, 5, 0, 5}, {5, 3, 0, 3}, {3, 5, 0, 3}, {5, 5, 2, 3}, {5, 5, 6, 0}, {maxRelations, maxRelations, 0, maxRelations}, {maxRelations + 2, maxRelations + 2, 0, maxRelations}} {
		a, b := chain(c.a, 0), chain(c.b, c.from)
		joined := j.join(a, b, false).clone()
		if len(joined.relations) != c.want {
			t.Errorf("the join of %d relations and %d from %d on has %d, want %d", c.a, c.b, c.from, len(joined.relations), c.want)
		}
		if !v.below(a, &joined) || !v.below(b, &joined) {
			t.Errorf("the join of %d relations and %d from %d on is not above both", c.a, c.b, c.from)
		}
	}
	// Where one state has the relation, and the other only words of which it holds.
	for _, turned := range []bool{false, true} {
		a, b := chain(1, 0), chain(0, 0)
		b.values[0] = constant(3)
		b.values[1] = v.intern(interval{*uint256.NewInt(5), *uint256.NewInt(9)})
		if turned {
			a, b = b, a
		}
		if joined := j.join(a, b, false).clone(); len(joined.relations) != 1 {
			t.Errorf("what holds by the words of one state alone: %v", joined.relations)
		}
	}
	// Where one state has two words in one class, the relation holds of each of them with the other's.
	a, b := chain(1, 0), chain(1, 0)
	a.classes[2] = 0 // the third word is the first
	a.values = a.values[:words]
	joined := j.join(a, b, false).clone()
	if want := fmt.Sprint([]relation{{kind: less, of: absent, a: 0, b: 1}}); fmt.Sprint(joined.relations) != want {
		t.Errorf("%v, want %s", joined.relations, want)
	}
}

// TestUnchangedWords: an operation with its neutral element, or clean-up of what is clean, gives the word itself, of which all that is learned
// later is learned of both.
func TestUnchangedWords(t *testing.T) {
	v := newValues()
	top, small := Top, v.intern(interval{hi: *lowBits(64)})
	signed := v.internSigned(interval{signedByte(-5), signedByte(100)})
	k := constant
	mask := func(bits uint) Value { return v.constant(lowBits(bits)) }
	all := v.constant(lowBits(256))
	for _, c := range []struct {
		op   vm.OpCode
		a, b Value // a is on top
		want int   // which of them is the result: 1, 2; 0: neither
	}{
		{vm.ADD, k(0), top, 2}, {vm.ADD, top, k(0), 1}, {vm.ADD, k(1), top, 0}, {vm.ADD, top, boolean, 0},
		{vm.SUB, top, k(0), 1}, {vm.SUB, k(0), top, 0}, {vm.SUB, top, k(1), 0},
		{vm.MUL, k(1), top, 2}, {vm.MUL, top, k(1), 1}, {vm.MUL, k(0), top, 0}, {vm.MUL, top, k(2), 0},
		{vm.DIV, top, k(1), 1}, {vm.DIV, k(1), top, 0}, {vm.DIV, top, k(2), 0},
		{vm.SDIV, top, k(1), 1}, {vm.SDIV, k(1), top, 0},
		{vm.OR, k(0), top, 2}, {vm.OR, top, k(0), 1}, {vm.OR, k(1), top, 0},
		{vm.XOR, k(0), top, 2}, {vm.XOR, top, k(0), 1}, {vm.XOR, top, k(1), 0},
		{vm.AND, all, top, 2}, {vm.AND, top, all, 1}, {vm.AND, mask(64), small, 2}, {vm.AND, small, mask(64), 1}, {vm.AND, mask(63), small, 0}, {vm.AND, mask(65), small, 2},
		{vm.AND, k(0xfe), boolean, 0}, {vm.AND, top, k(1), 0}, {vm.AND, k(1), boolean, 2},
		{vm.SHL, k(0), top, 2}, {vm.SHL, top, k(0), 0}, {vm.SHL, k(1), top, 0}, {vm.SHR, k(0), top, 2}, {vm.SHR, top, k(0), 0}, {vm.SAR, k(0), top, 2}, {vm.SAR, k(1), top, 0},
		{vm.SIGNEXTEND, k(31), top, 2}, {vm.SIGNEXTEND, k(30), top, 0}, {vm.SIGNEXTEND, k(40), top, 2}, {vm.SIGNEXTEND, top, signed, 0},
		{vm.SIGNEXTEND, k(0), signed, 2}, {vm.SIGNEXTEND, k(0), byteRange, 0}, {vm.SIGNEXTEND, k(1), byteRange, 2},
		{vm.SIGNEXTEND, k(0), v.internSigned(interval{signedByte(-128), signedByte(127)}), 2}, {vm.SIGNEXTEND, k(0), v.internSigned(interval{signedByte(-129), signedByte(0)}), 0},
		{vm.SIGNEXTEND, k(0), v.internSigned(interval{signedByte(0), signedByte(128)}), 0},
		{vm.MOD, top, k(1), 0}, {vm.BYTE, k(0), top, 0}, {vm.EXP, top, k(1), 0},
	} {
		m := interpreter{v: v}
		m.push(c.b)
		m.push(c.a)
		a, b := m.stack[1], m.stack[0]
		m.step(&instruction{op: c.op})
		got := 0
		switch m.stack[0] {
		case a:
			got = 1
		case b:
			got = 2
		}
		if got != c.want || len(m.stack) != 1 {
			t.Errorf("%v of %v and %v is operand %d, want %d", c.op, v.get(c.a), v.get(c.b), got, c.want)
		}
	}

	// Up and down again by as many bits.
	for _, c := range []struct {
		word     Value
		up, down uint64
		want     bool
	}{
		{small, 8, 8, true}, {small, 192, 192, true}, {small, 193, 193, false}, {small, 8, 7, false}, {small, 8, 9, false}, {top, 8, 8, false}, {boolean, 255, 255, true}, {boolean, 256, 256, false},
	} {
		for _, by := range []Value{constant(c.down), constant(c.down) | labelBit} {
			m := interpreter{v: v}
			m.push(c.word)
			w := m.stack[0]
			m.push(constant(c.up))
			m.step(&instruction{op: vm.SHL})
			m.push(by)
			m.step(&instruction{op: vm.SHR})
			if got := m.stack[0] == w; got != c.want {
				t.Errorf("%v moved up by %d and down by %d is the word: %t", v.get(c.word), c.up, c.down, got)
			}
		}
	}
}

// TestUndone: what was assumed is forgotten when it is rolled back, however words were merged by it.
func TestUndone(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	v := newValues()
	merged := 0
	for range rounds / 10 {
		if len(v.own) > maxValues {
			v.reset()
		}
		c := randomConditions(rng)
		m := interpreter{v: v}
		c.start(&m)
		// Sums of the words, and equalities of them.
		one := m.one()
		var sums []symbol
		for _, w := range m.stack[:c.words] {
			m.stack = append(m.stack, w, one)
			m.step(&instruction{op: vm.ADD})
			sums = append(sums, m.pop())
		}
		words := []symbol{}
		for range 3 {
			m.stack = append(m.stack, append(sums, m.stack[:c.words]...)[rng.IntN(len(sums)+c.words)], append(sums, m.stack[:c.words]...)[rng.IntN(len(sums)+c.words)])
			m.step(&instruction{op: vm.EQ})
			words = append(words, m.pop())
		}
		for _, x := range c.all {
			words = append(words, c.condition(&m, x))
		}
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		before := slices.Clone(m.words)
		relations := slices.Clone(m.relations)
		mark := m.mark()
		for _, w := range words {
			if !m.assume(w, true, 0) {
				break
			}
		}
		for w := range m.words {
			if m.words[w].link != before[w].link {
				merged++
			}
		}
		m.rollback(mark)
		if !slices.Equal(m.words, before) || !slices.Equal(m.relations, relations) {
			t.Fatalf("%v: what was assumed is not forgotten: %v, %v, want %v, %v", c, m.words, m.relations, before, relations)
		}
	}
	if merged < rounds/20 {
		t.Errorf("only %d words were merged", merged)
	}
}

// TestMergedSums: words that are equal are each as far away as the other from what one is a sum of.
func TestMergedSums(t *testing.T) {
	v := newValues()
	op := func(m *interpreter, op vm.OpCode, a, b symbol) symbol {
		m.stack = append(m.stack, b, a)
		m.step(&instruction{op: op})
		return m.pop()
	}
	leaf := func(m *interpreter, value Value) symbol {
		m.push(value)
		return m.pop()
	}
	for name, c := range map[string]func(m *interpreter) (condition symbol){
		"x + 1 = y + 2, x = x + 1": func(m *interpreter) symbol {
			x, y := leaf(m, Top), leaf(m, Top)
			p, q := op(m, vm.ADD, x, leaf(m, constant(1))), op(m, vm.ADD, y, leaf(m, constant(2)))
			m.assume(op(m, vm.EQ, p, q), true, 0)
			return op(m, vm.EQ, x, p)
		},
		"x + 1 = y + 2, x = y + 2": func(m *interpreter) symbol {
			x, y := leaf(m, Top), leaf(m, Top)
			p, q := op(m, vm.ADD, x, leaf(m, constant(1))), op(m, vm.ADD, y, leaf(m, constant(2)))
			m.assume(op(m, vm.EQ, p, q), true, 0)
			return op(m, vm.EQ, x, q)
		},
		"y = x + 1, y = x": func(m *interpreter) symbol {
			y, x := leaf(m, Top), leaf(m, Top)
			m.assume(op(m, vm.EQ, y, op(m, vm.ADD, x, leaf(m, constant(1)))), true, 0)
			return op(m, vm.EQ, y, x)
		},
		"x < x + 3 where the sum is above 100 and signed": func(m *interpreter) symbol {
			x := leaf(m, Top)
			p := op(m, vm.ADD, x, leaf(m, constant(3)))
			m.assume(op(m, vm.SGT, p, leaf(m, constant(100))), true, 0)
			return op(m, vm.ISZERO, op(m, vm.SLT, x, p), 0)
		},
		"x < x + 3 where x is below 100 and signed": func(m *interpreter) symbol {
			x := leaf(m, Top)
			p := op(m, vm.ADD, x, leaf(m, constant(3)))
			m.assume(op(m, vm.SLT, x, leaf(m, constant(100))), true, 0)
			return op(m, vm.ISZERO, op(m, vm.SLT, x, p), 0)
		},
		"x < x + 3 where the sum is above 100": func(m *interpreter) symbol {
			x := leaf(m, Top)
			p := op(m, vm.ADD, x, leaf(m, constant(3)))
			m.assume(op(m, vm.GT, p, leaf(m, constant(100))), true, 0)
			return op(m, vm.ISZERO, op(m, vm.LT, x, p), 0)
		},
		"x < x + 3 where x is below 100": func(m *interpreter) symbol {
			x := leaf(m, Top)
			p := op(m, vm.ADD, x, leaf(m, constant(3)))
			m.assume(op(m, vm.LT, x, leaf(m, constant(100))), true, 0)
			return op(m, vm.ISZERO, op(m, vm.LT, x, p), 0)
		},
	} {
		m := interpreter{v: v}
		m.push(Top)
		if condition := c(&m); m.assume(condition, true, 0) {
			t.Errorf("%s: possible", name)
		}
	}
	for name, c := range map[string]vm.OpCode{"x < x + 3": vm.LT, "x < x + 3, signed": vm.SLT} { // where nothing bounds it
		m := interpreter{v: v}
		x := leaf(&m, Top)
		if !m.assume(op(&m, vm.ISZERO, op(&m, c, x, op(&m, vm.ADD, x, leaf(&m, constant(3)))), 0), true, 0) {
			t.Errorf("%s is never false", name)
		}
	}
}
