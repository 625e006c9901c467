package lookahead

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// refinedOps are the operations on two words whose operands refine.go narrows.
var refinedOps = []vm.OpCode{vm.EQ, vm.SUB, vm.XOR, vm.LT, vm.GT, vm.SLT, vm.SGT, vm.AND, vm.OR}

// abstractRun is an interpreter together with one execution that it stands for: the
// word that each of its symbols has there.
type abstractRun struct {
	interpreter
	concrete []uint256.Int // by symbol
}

// leaf adds a word that nothing is computed from, and a Value that contains it.
func (r *abstractRun) leaf(v Value, x uint256.Int) symbol {
	r.push(v)
	r.concrete = append(r.concrete, x)
	return r.pop()
}

// operation runs ISZERO on a, or another operation on both, in the abstract and on
// the concrete words.
func (r *abstractRun) operation(op vm.OpCode, a, b symbol) symbol {
	var z uint256.Int
	if op == vm.ISZERO {
		r.stack = append(r.stack, a)
		z = concrete(vm.EQ, &r.concrete[a], new(uint256.Int))
	} else {
		r.stack = append(r.stack, b, a)
		z = concrete(op, &r.concrete[a], &r.concrete[b])
	}
	r.step(&instruction{op: op})
	if len(r.concrete) < len(r.words) { // AND of a word and itself is that word
		r.concrete = append(r.concrete, z)
	}
	return r.pop()
}

// lost finds a word whose Value does not contain it.
func (r *abstractRun) lost() (symbol, bool) {
	for w := range r.words {
		if !r.v.contains(r.words[w].value, &r.concrete[w]) {
			return symbol(w), true
		}
	}
	return 0, false
}

// describe lists the words: an operation by its operands' numbers, what is known of
// its result, and the word that it has.
func (r *abstractRun) describe() string {
	out := ""
	for w, is := range r.words {
		i := r.v.get(is.value)
		out += fmt.Sprintf("\n\t%d: [%v, %v], is %v", w, i.lo.Hex(), i.hi.Hex(), r.concrete[w].Hex())
		if is.op != 0 {
			out += fmt.Sprintf(" = %v of %d and %d", is.op, is.a, is.b)
		}
	}
	return out
}

// randomRun has some words and operations on them, the last of which is what a branch
// depends on. The words are often equal, neighbors, or without a common bit.
func randomRun(rng *rand.Rand, v *values) *abstractRun {
	r := &abstractRun{interpreter: interpreter{v: v}}
	for range 2 + rng.IntN(3) {
		x := randomWord(rng)
		if n := len(r.concrete); n > 0 {
			other := &r.concrete[rng.IntN(n)]
			switch rng.IntN(6) {
			case 0:
				x = *other
			case 1:
				x.AddUint64(other, 1)
			case 2:
				x.Not(other)
			}
		}
		r.leaf(above(rng, v, v.constant(&x)), x)
	}
	for range 1 + rng.IntN(5) {
		op := vm.ISZERO
		if k := rng.IntN(len(refinedOps) + 3); k < len(refinedOps) {
			op = refinedOps[k]
		}
		a := symbol(len(r.words) - 1) // mostly what was computed last: conditions are nested
		if rng.IntN(3) == 0 {
			a = symbol(rng.IntN(len(r.words)))
		}
		b := symbol(rng.IntN(len(r.words)))
		if rng.IntN(2) == 0 && op != vm.ISZERO {
			a, b = b, a
		}
		r.operation(op, a, b)
	}
	return r
}

// TestRefineIsSound: the Values that a branch leaves of the words its condition was
// computed from contain the words of every execution that takes it, and rollback restores
// them.
func TestRefineIsSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	v := newValues()
	learned := 0
	for range rounds * 5 {
		if len(v.own) > maxValues {
			v.reset()
		}
		r := randomRun(rng, v)
		before := slices.Clone(r.words)
		condition := symbol(len(r.words) - 1)
		if w, ok := r.lost(); ok {
			t.Fatalf("word %d is lost before anything is refined:%s", w, r.describe())
		}
		truth := !r.concrete[condition].IsZero()
		mark := r.mark()
		possible := r.assume(condition, truth, 0)
		if !possible {
			t.Fatalf("the last word cannot be %t:%s", truth, r.describe())
		}
		if w, ok := r.lost(); ok {
			t.Fatalf("word %d is lost where the last is %t:%s", w, truth, r.describe())
		}
		for w := range r.words {
			if r.words[w].op == 0 && r.words[w].value != before[w].value {
				learned++
			}
		}
		r.assume(condition, !truth, 0)
		r.rollback(mark)
		if !slices.Equal(r.words, before) {
			t.Fatalf("what the last word told is not forgotten:%s", r.describe())
		}
	}
	if learned < rounds/2 {
		t.Errorf("only %d words were narrowed", learned)
	}
}

// TestRefineIsPrecise: a comparison narrows its operands to the least intervals that
// contain all pairs with its outcome, and rules out an outcome that no pair has. Signed
// comparisons promise that of words that are not negative.
func TestRefineIsPrecise(t *testing.T) {
	const most = 3 // intervals of [0, 3]: each of two has a bound, a neighbor and a middle of the other
	var small []interval
	for lo := range uint64(most + 1) {
		for hi := lo; hi <= most; hi++ {
			small = append(small, interval{*uint256.NewInt(lo), *uint256.NewInt(hi)})
		}
	}
	end := *uint256.NewInt(0)
	end.SubUint64(&end, most+1) // intervals of the last words, 2^256 − 4 to 2^256 − 1
	v := newValues()
	for _, op := range []vm.OpCode{vm.EQ, vm.SUB, vm.XOR, vm.LT, vm.GT, vm.SLT, vm.SGT} {
		for _, base := range []uint256.Int{{}, end} {
			if (op == vm.SLT || op == vm.SGT) && !base.IsZero() {
				continue
			}
			for i := range small {
				for j := range small {
					a, b := small[i].plus(&base), small[j].plus(&base)
					for zeros := range 4 { // ISZEROs on top: as many as solc writes
						checkPrecise(t, v, op, a, b, zeros, true)
						checkPrecise(t, v, op, a, b, zeros, false)
					}
				}
			}
		}
	}
}

func (i *interval) plus(x *uint256.Int) (sum interval) {
	sum.lo.Add(&i.lo, x)
	sum.hi.Add(&i.hi, x)
	return sum
}

// checkPrecise compares what refine.go learns of the operands of a comparison that has
// an outcome, under some ISZEROs, with what all pairs of operands say.
func checkPrecise(t *testing.T, v *values, op vm.OpCode, a, b interval, zeros int, truth bool) {
	t.Helper()
	r := abstractRun{interpreter: interpreter{v: v}}
	x, y := r.leaf(v.intern(a), a.lo), r.leaf(v.intern(b), b.lo)
	condition, holds := r.operation(op, x, y), truth
	for range zeros {
		condition, holds = r.operation(vm.ISZERO, condition, condition), !holds
	}
	wantA, wantB, some := pairs(op, a, b, truth)
	if possible := r.assume(condition, holds, 0); possible != some {
		t.Fatalf("%v of %v and %v is %t: %t, want %t", op, a, b, truth, possible, some)
	}
	if gotA, gotB := *v.get(r.value(x)), *v.get(r.value(y)); some && (gotA != wantA || gotB != wantB) {
		t.Fatalf("%v of %v and %v is %t under %d ISZEROs: the operands are %v and %v, want %v and %v", op, a, b, truth, zeros, gotA, gotB, wantA, wantB)
	}
}

// pairs gives the least intervals that contain all pairs of words from two intervals for
// which an operation is nonzero (truth) or zero; false when there are none.
func pairs(op vm.OpCode, a, b interval, truth bool) (as, bs interval, some bool) {
	for x := a.lo; ; x.AddUint64(&x, 1) {
		for y := b.lo; ; y.AddUint64(&y, 1) {
			if z := concrete(op, &x, &y); z.IsZero() != truth {
				if !some {
					as, bs, some = interval{x, x}, interval{y, y}, true
				}
				as.hi = x // ascending
				bs.lo, bs.hi = lesser(bs.lo, y), greater(bs.hi, y)
			}
			if y == b.hi {
				break
			}
		}
		if x == a.hi {
			return as, bs, some
		}
	}
}

func lesser(x, y uint256.Int) uint256.Int {
	if y.Lt(&x) {
		return y
	}
	return x
}

func greater(x, y uint256.Int) uint256.Int {
	if y.Gt(&x) {
		return y
	}
	return x
}

// TestRefineMasks: what is learned from AND and OR. An AND that is zero says nothing: the
// words may have no common bit, or either may be zero.
func TestRefineMasks(t *testing.T) {
	v := newValues()
	flag := v.constant(uint256.NewInt(4))
	for _, tc := range []struct {
		op           vm.OpCode
		a, b         Value
		truth        bool
		wantA, wantB Value
	}{
		{vm.AND, Top, Top, true, nonzero, nonzero},
		{vm.AND, Top, Top, false, Top, Top},
		{vm.AND, boolean, boolean, true, constant(1), constant(1)},
		{vm.AND, boolean, boolean, false, boolean, boolean},
		{vm.AND, byteRange, flag, false, byteRange, flag},
		{vm.OR, Top, boolean, false, constant(0), constant(0)},
		{vm.OR, Top, boolean, true, Top, boolean},
	} {
		r := abstractRun{interpreter: interpreter{v: v}}
		a, b := r.leaf(tc.a, uint256.Int{}), r.leaf(tc.b, uint256.Int{})
		possible := r.assume(r.operation(tc.op, a, b), tc.truth, 0)
		if gotA, gotB := r.value(a), r.value(b); !possible || gotA != tc.wantA || gotB != tc.wantB {
			t.Errorf("%v of %v and %v is %t: %t, the operands are %v and %v, want %v and %v", tc.op, v.get(tc.a), v.get(tc.b), tc.truth,
				possible, v.get(gotA), v.get(gotB), v.get(tc.wantA), v.get(tc.wantB))
		}
	}
}

// TestRelationsAreSound: words that satisfy some conditions are never excluded by them, and
// what is refuted has no witness, by brute force over all words of 8 bits, or 4.
func TestRelationsAreSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	v := newValues()
	refuted := 0
	for range rounds / 20 {
		if len(v.own) > maxValues {
			v.reset()
		}
		c := randomConditions(rng)
		m := interpreter{v: v}
		possible := c.assume(&m)
		witness, some := c.witness()
		if !possible {
			refuted++
		}
		if some && !possible {
			t.Fatalf("%v have the witness %v, and are refuted", c, witness)
		}
		later := interpreter{v: v}
		if some && !c.assumeLater(&later) {
			t.Fatalf("%v have the witness %v, and are refuted when all are computed first", c, witness)
		}
		if some && possible {
			// The same with the state saved and loaded after each condition.
			again := interpreter{v: v}
			if !c.assumeInTurn(&again) {
				t.Fatalf("%v have the witness %v, and are refuted when their states are saved", c, witness)
			}
			for i := range m.words[:c.words] {
				x := signedByte(witness[i])
				if !v.contains(m.value(symbol(i)), &x) {
					t.Fatalf("%v have the witness %v, which word %d lacks: %v", c, witness, i, v.get(m.value(symbol(i))))
				}
			}
		}
	}
	if refuted < rounds/80 {
		t.Errorf("only %d of %d are refuted", refuted, rounds/20)
	}
}

// conditions are comparisons of small words, or of sums of one and a constant.
type conditions struct {
	words     int
	low, high int // the least and greatest word
	all       []compared
}

type compared struct {
	op   vm.OpCode
	a, b int // of the words; −1: the constant
	plus int8
	k    int8
	not  bool
}

func randomConditions(rng *rand.Rand) conditions {
	c := conditions{words: 2 + rng.IntN(2), high: 15}
	if rng.IntN(8) == 0 {
		c.words, c.high = 2, 255
	}
	if rng.IntN(2) == 0 {
		c.low, c.high = -(c.high+1)/2, c.high/2
	}
	ops := []vm.OpCode{vm.EQ, vm.LT, vm.GT, vm.SLT, vm.SGT}
	for range 2 + rng.IntN(3) {
		x := compared{op: ops[rng.IntN(len(ops))], a: rng.IntN(c.words), b: rng.IntN(c.words+1) - 1, not: rng.IntN(2) == 0, k: int8(c.low/2 + rng.IntN(c.high-c.low+1)/2)}
		if rng.IntN(3) == 0 {
			x.plus = int8(rng.IntN(7) - 3)
		}
		c.all = append(c.all, x)
	}
	return c
}

// signedByte is a byte as a word: sign-extended if negative.
func signedByte(x int) uint256.Int {
	var w uint256.Int
	if w.SetUint64(uint64(max(x, -x))); x < 0 {
		w.Neg(&w)
	}
	return w
}

// witness searches for words with which all conditions hold. Operands are words of 256 bits,
// as the machine's are.
func (c conditions) witness() ([3]int, bool) {
	var w [3]int
	var holds func(i int) bool
	holds = func(i int) bool {
		if i < c.words {
			for w[i] = c.low; w[i] <= c.high; w[i]++ {
				if c.holds(w, i+1) && holds(i+1) {
					return true
				}
			}
			w[i] = c.low
			return false
		}
		return true
	}
	found := holds(0)
	return w, found
}

// holds reports whether all conditions on the first n words hold.
func (c conditions) holds(w [3]int, n int) bool {
	for _, x := range c.all {
		if x.a >= n || x.b >= n {
			continue
		}
		a, b := signedByte(w[x.a]), signedByte(int(x.k))
		if x.b >= 0 {
			b = signedByte(w[x.b])
		}
		plus := signedByte(int(x.plus))
		a.Add(&a, &plus)
		if z := concrete(x.op, &a, &b); z.IsZero() != x.not {
			return false
		}
	}
	return true
}

// start pushes the words.
func (c conditions) start(m *interpreter) {
	value := m.v.internSigned(interval{signedByte(c.low), signedByte(c.high)})
	for range c.words {
		m.push(value)
	}
}

// condition computes a condition of the words, which are the bottom of the stack.
func (c conditions) condition(m *interpreter, x compared) symbol {
	constant := func(n int) symbol {
		word := signedByte(n)
		m.push(m.v.constant(&word))
		return m.pop()
	}
	a, b := m.stack[x.a], constant(int(x.k))
	if x.b >= 0 {
		b = m.stack[x.b]
	}
	if x.plus != 0 {
		m.stack = append(m.stack, a, constant(int(x.plus)))
		m.step(&instruction{op: vm.ADD})
		a = m.pop()
	}
	m.stack = append(m.stack, b, a)
	m.step(&instruction{op: x.op})
	if x.not {
		m.step(&instruction{op: vm.ISZERO})
	}
	return m.pop()
}

// assume assumes all conditions; false when they are found to be impossible.
func (c conditions) assume(m *interpreter) bool {
	c.start(m)
	for _, x := range c.all {
		if !m.assume(c.condition(m, x), true, 0) {
			return false
		}
	}
	return true
}

// assumeInTurn does the same, and saves and loads the state between a condition and what is
// assumed of it, and after that.
func (c conditions) assumeInTurn(m *interpreter) bool {
	c.start(m)
	again := func() {
		s := m.save().clone()
		m.load(&s)
	}
	for _, x := range c.all {
		w := c.condition(m, x)
		m.stack = append(m.stack, w)
		again()
		if !m.assume(m.pop(), true, 0) {
			return false
		}
		again()
	}
	return true
}

// assumeLater computes all conditions before it assumes the first.
func (c conditions) assumeLater(m *interpreter) bool {
	c.start(m)
	var words []symbol
	for _, x := range c.all {
		words = append(words, c.condition(m, x))
	}
	for _, w := range words {
		if !m.assume(w, true, 0) {
			return false
		}
	}
	return true
}

// assumeAndSave saves and loads the state after each condition.
func (c conditions) assumeAndSave(m *interpreter) bool {
	c.start(m)
	for _, x := range c.all {
		if !m.assume(c.condition(m, x), true, 0) {
			return false
		}
		s := m.save().clone()
		m.load(&s)
	}
	return true
}
