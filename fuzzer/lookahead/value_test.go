package lookahead

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// randomWord is a word of the kinds that bounds and masks are made of.
func randomWord(rng *rand.Rand) uint256.Int {
	var x uint256.Int
	switch rng.IntN(6) {
	case 0:
		x.SetUint64(rng.Uint64N(6))
	case 1:
		x.SetUint64(rng.Uint64N(4096))
	case 2: // around a power of two
		x.Lsh(uint256.NewInt(1), uint(rng.IntN(256)))
		x.AddUint64(&x, rng.Uint64N(3))
		x.SubUint64(&x, 1)
	case 3:
		x.SetAllOne()
		x.SubUint64(&x, rng.Uint64N(70))
	case 4:
		x.Not(lowBits(uint(rng.IntN(257))))
	default:
		x = uint256.Int{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
		x.Rsh(&x, uint(rng.IntN(256)))
	}
	return x
}

// randomValue is a constant, an interval, Top or a label.
func randomValue(rng *rand.Rand, v *values) Value {
	switch rng.IntN(8) {
	case 0:
		return Top
	case 1:
		return constant(rng.Uint64N(4)) | labelBit
	case 2, 3, 4:
		x := randomWord(rng)
		return v.constant(&x)
	}
	i := interval{randomWord(rng), randomWord(rng)}
	if i.hi.Lt(&i.lo) {
		i.lo, i.hi = i.hi, i.lo
	}
	return v.intern(i)
}

// member is a word of the set that a Value stands for: often a bound.
func member(rng *rand.Rand, v *values, a Value) uint256.Int {
	i := v.get(a)
	switch rng.IntN(4) {
	case 0:
		return i.lo
	case 1:
		return i.hi
	}
	var width uint256.Int
	width.Sub(&i.hi, &i.lo)
	x := randomWord(rng)
	if width.AddUint64(&width, 1); !width.IsZero() {
		x.Mod(&x, &width)
	}
	x.Add(&x, &i.lo)
	return x
}

func (v *values) contains(a Value, x *uint256.Int) bool {
	i := v.get(a)
	return !x.Lt(&i.lo) && !x.Gt(&i.hi)
}

const rounds = 20_000

func TestValuesAreALattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	v := newValues()
	for range rounds {
		a, b, c := randomValue(rng, v), randomValue(rng, v), randomValue(rng, v)
		ab := v.join(a, b)
		switch {
		case ab != v.join(b, a):
			t.Fatalf("join(%v, %v) does not commute", v.get(a), v.get(b))
		case v.join(ab, c) != v.join(a, v.join(b, c)):
			t.Fatalf("join of %v, %v, %v does not associate", v.get(a), v.get(b), v.get(c))
		case v.join(a, a) != a:
			t.Fatalf("join of %v with itself is %v", v.get(a), v.get(v.join(a, a)))
		case v.join(a, Top) != Top:
			t.Fatalf("join of %v with Top is %v", v.get(a), v.get(v.join(a, Top)))
		case !v.leq(a, ab) || !v.leq(b, ab):
			t.Fatalf("join of %v and %v is not above both", v.get(a), v.get(b))
		case v.leq(a, b) != (ab == b):
			t.Fatalf("order and join disagree on %v and %v", v.get(a), v.get(b))
		case v.leq(a, c) && v.leq(b, c) && !v.leq(ab, c):
			t.Fatalf("join of %v and %v is not the least above both", v.get(a), v.get(b))
		}
		wide := v.widen(a, ab)
		if !v.leq(ab, wide) || v.widen(a, a) != a {
			t.Fatalf("widening %v to %v gives %v", v.get(a), v.get(ab), v.get(wide))
		}
		m, ok := v.meet(a, b)
		x := member(rng, v, a)
		if in := v.contains(b, &x); in && (!ok || !v.contains(m, &x)) || ok && (!v.leq(m, a.plain()) || !v.leq(m, b.plain())) {
			t.Fatalf("meet of %v and %v is %v, %t", v.get(a), v.get(b), v.get(m), ok)
		}
	}
}

// TestWideningEnds: no chain of widenings is long.
func TestWideningEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	v := newValues()
	for range rounds / 100 {
		a := randomValue(rng, v)
		moves := 0
		for range 2000 {
			if next := v.widen(a, v.join(a, randomValue(rng, v))); next != a {
				a, moves = next, moves+1
			}
		}
		if most := len(ceilings) + 32 + 64 + 2; moves > most {
			t.Fatalf("a Value was widened %d times, at most %d", moves, most)
		}
	}
}

// binaryOps are the operations of values.binary.
var binaryOps = []vm.OpCode{vm.ADD, vm.MUL, vm.SUB, vm.DIV, vm.SDIV, vm.MOD, vm.SMOD, vm.EXP, vm.SIGNEXTEND,
	vm.LT, vm.GT, vm.SLT, vm.SGT, vm.EQ, vm.AND, vm.OR, vm.XOR, vm.BYTE, vm.SHL, vm.SHR, vm.SAR}

// above is a Value that is a, or above it.
func above(rng *rand.Rand, v *values, a Value) Value {
	switch rng.IntN(4) {
	case 0:
		return a
	case 1:
		return Top
	}
	return v.join(a, randomValue(rng, v))
}

// TestOperationsAreSound: the result holds what the EVM computes from words of
// the operands.
func TestOperationsAreSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	v := newValues()
	for range rounds * 5 {
		a, b, n := randomValue(rng, v), randomValue(rng, v), randomValue(rng, v)
		x, y, m := member(rng, v, a), member(rng, v, b), member(rng, v, n)
		op := binaryOps[rng.IntN(len(binaryOps))]
		z := concrete(op, &x, &y)
		if r := v.binary(op, a, b); !v.contains(r, &z) {
			t.Fatalf("%v of %v and %v is %v, which lacks %v of %v and %v", op, v.get(a), v.get(b), v.get(r), &z, &x, &y)
		}
		for _, op := range []vm.OpCode{vm.ISZERO, vm.NOT, vm.CLZ} {
			one := v.constant(&x)
			if r := v.unary(op, a); !v.leq(v.unary(op, one), r) {
				t.Fatalf("%v of %v is %v", op, v.get(a), v.get(r))
			}
		}
		for _, op := range []vm.OpCode{vm.ADDMOD, vm.MULMOD} {
			r, exact := v.ternary(op, a, b, n), v.ternary(op, v.constant(&x), v.constant(&y), v.constant(&m))
			if !v.leq(exact, r) {
				t.Fatalf("%v of %v, %v and %v is %v", op, v.get(a), v.get(b), v.get(n), v.get(r))
			}
		}
	}
}

func TestOperationsAreMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	v := newValues()
	for range rounds * 5 {
		a, b, n := randomValue(rng, v), randomValue(rng, v), randomValue(rng, v)
		c, d, o := above(rng, v, a), above(rng, v, b), above(rng, v, n)
		op := binaryOps[rng.IntN(len(binaryOps))]
		if r, s := v.binary(op, a, b), v.binary(op, c, d); !v.leq(r, s) {
			t.Fatalf("%v: %v, %v give %v, but %v, %v above them give %v", op, v.get(a), v.get(b), v.get(r), v.get(c), v.get(d), v.get(s))
		}
		for _, op := range []vm.OpCode{vm.ISZERO, vm.NOT, vm.CLZ} {
			if r, s := v.unary(op, a), v.unary(op, c); !v.leq(r, s) {
				t.Fatalf("%v: %v gives %v, but %v above it gives %v", op, v.get(a), v.get(r), v.get(c), v.get(s))
			}
		}
		for _, op := range []vm.OpCode{vm.ADDMOD, vm.MULMOD} {
			if r, s := v.ternary(op, a, b, n), v.ternary(op, c, d, o); !v.leq(r, s) {
				t.Fatalf("%v: %v, %v, %v give %v, but those above them %v", op, v.get(a), v.get(b), v.get(n), v.get(r), v.get(s))
			}
		}
	}
}

// TestReset: common Values stay, all else is gone, and its numbers are used again.
func TestReset(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	v := newValues()
	for range 100 {
		randomValue(rng, v)
	}
	generation := v.generation
	v.reset()
	if len(v.own) > 0 || v.generation == generation {
		t.Errorf("%d Values are left, generation %d after %d", len(v.own), v.generation, generation)
	}
	for a := range commonCount {
		if got := v.intern(*v.get(a)); got != a {
			t.Fatalf("the set %v has the number %d, want %d", v.get(a), got, a)
		}
	}
	large := *uint256.NewInt(smallConstants)
	if got := v.constant(&large); got != commonCount || *v.get(got) != (interval{large, large}) {
		t.Errorf("the first large constant has the number %d, want %d", got, commonCount)
	}
}

// edges are words at which the orders begin, end and meet, and small ones.
func edges() (all []uint256.Int) {
	for _, n := range []uint64{0, 1, 2} {
		all = append(all, *uint256.NewInt(n))
	}
	for _, at := range []*uint256.Int{lowBits(255), new(uint256.Int).SetAllOne()} {
		for _, n := range []uint64{2, 1, 0} {
			all = append(all, *new(uint256.Int).SubUint64(at, n))
		}
	}
	for _, n := range []uint64{1, 2, 3} { // the least signed words
		all = append(all, *new(uint256.Int).AddUint64(lowBits(255), n))
	}
	return all
}

// TestReduce: reduced bounds are the tightest in both orders, and a set without words has none. The least and the greatest word of a
// set are among the bounds and the places where the orders begin and end.
func TestReduce(t *testing.T) {
	all, words := edges(), edges()
	slices.SortFunc(words, func(a, b uint256.Int) int { return a.Cmp(&b) })
	some, none := 0, 0
	for _, lo := range all {
		for _, hi := range all {
			for _, low := range all {
				for _, high := range all {
					if lo.Gt(&hi) || low.Sgt(&high) {
						continue
					}
					s := set{interval{lo, hi}, interval{low, high}}
					var want set
					empty := true
					for _, x := range words {
						if x.Lt(&lo) || x.Gt(&hi) || x.Slt(&low) || x.Sgt(&high) {
							continue
						}
						if empty {
							want, empty = single(&x), false
						}
						want.unsigned = span(&want.unsigned, &interval{x, x})
						if x.Slt(&want.signed.lo) {
							want.signed.lo = x
						}
						if x.Sgt(&want.signed.hi) {
							want.signed.hi = x
						}
					}
					got := s
					switch ok := got.reduce(); {
					case ok == empty:
						t.Fatalf("%v has words: %t", s, ok)
					case ok && got != want:
						t.Fatalf("%v is %v, want %v", s, got, want)
					case ok:
						some++
					default:
						none++
					}
				}
			}
		}
	}
	if some < 1000 || none < 1000 {
		t.Errorf("%d sets with words, %d without", some, none)
	}
}

// TestSignedSetsAreALattice: joins and meets of sets that the two orders bound hold what they have to, and no more than the tightest
// bounds do.
func TestSignedSetsAreALattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	v := newValues()
	words := edges()
	in := func(a Value, x *uint256.Int) bool {
		s := v.set(a)
		return !x.Lt(&s.unsigned.lo) && !x.Gt(&s.unsigned.hi) && !x.Slt(&s.signed.lo) && !x.Sgt(&s.signed.hi)
	}
	random := func() Value {
		for {
			bound := func() *uint256.Int { return &words[rng.IntN(len(words))] }
			s := set{interval{*bound(), *bound()}, interval{*bound(), *bound()}}
			if !s.unsigned.lo.Gt(&s.unsigned.hi) && !s.signed.lo.Sgt(&s.signed.hi) && s.reduce() {
				return v.internSet(&s)
			}
		}
	}
	for range rounds / 4 {
		a, b, c := random(), random(), random()
		ab := v.join(a, b)
		m, ok := v.meet(a, b)
		both := false
		for i := range words {
			x := &words[i]
			if (in(a, x) || in(b, x)) && !in(ab, x) {
				t.Fatalf("the join of %v and %v is %v, without %v", v.set(a), v.set(b), v.set(ab), x)
			}
			if in(a, x) && in(b, x) {
				both = true
				if !ok || !in(m, x) {
					t.Fatalf("the meet of %v and %v is %v, %t, without %v", v.set(a), v.set(b), v.set(m), ok, x)
				}
			}
		}
		switch {
		case ok != both:
			t.Fatalf("%v and %v have words in common: %t", v.set(a), v.set(b), ok)
		case ab != v.join(b, a) || v.join(ab, c) != v.join(a, v.join(b, c)):
			t.Fatalf("the join of %v, %v and %v depends on the order", v.set(a), v.set(b), v.set(c))
		case v.leq(a, b) != (ab == b):
			t.Fatalf("order and join disagree on %v and %v", v.set(a), v.set(b))
		case v.leq(a, c) && v.leq(b, c) && !v.leq(ab, c):
			t.Fatalf("the join of %v and %v is not the least above both", v.set(a), v.set(b))
		case ok && (!v.leq(m, a) || !v.leq(m, b)):
			t.Fatalf("the meet of %v and %v is %v, which is not below both", v.set(a), v.set(b), v.set(m))
		case ok && v.leq(c, a) && v.leq(c, b) && !v.leq(c, m):
			t.Fatalf("the meet of %v and %v is not the greatest below both", v.set(a), v.set(b))
		}
		if wide := v.widen(a, ab); !v.leq(ab, wide) {
			t.Fatalf("widening %v to %v gives %v", v.set(a), v.set(ab), v.set(wide))
		}
	}
}

// TestThresholds: bounds widen to multiples of 32 in low memory, and beyond to every fourth power of two; upwards to few widths.
func TestThresholds(t *testing.T) {
	power := func(n uint) uint256.Int { return *new(uint256.Int).Lsh(uint256.NewInt(1), n) }
	less := func(x uint256.Int) uint256.Int { return *x.SubUint64(&x, 1) }
	word := func(n uint64) uint256.Int { return *uint256.NewInt(n) }
	for _, c := range []struct{ x, floor, ceiling uint256.Int }{
		{word(0), word(0), word(1)},
		{word(1), word(0), word(1)},
		{word(2), word(0), less(power(42))},
		{word(31), word(0), less(power(42))},
		{word(32), word(32), less(power(42))},
		{word(0x3ff), word(0x3e0), less(power(42))},
		{word(0x400), word(0x100), less(power(42))},
		{less(power(12)), power(8), less(power(42))},
		{power(12), power(12), less(power(42))},
		{less(power(42)), power(40), less(power(42))},
		{power(42), power(40), less(power(64))},
		{less(power(64)), power(60), less(power(64))},
		{power(64), power(64), less(power(160))},
		{power(160), power(160), *lowBits(256)},
		{*lowBits(256), power(252), *lowBits(256)},
	} {
		if got := *floor(&c.x); got != c.floor {
			t.Errorf("below %v is %v, want %v", &c.x, &got, &c.floor)
		}
		if got := *ceiling(&c.x); got != c.ceiling {
			t.Errorf("above %v is %v, want %v", &c.x, &got, &c.ceiling)
		}
	}
}

// TestWidenedBounds: a bound that moved goes on to a threshold of its order, that of the signed one is zero, −1 or the least and the greatest; one
// that did not stays.
func TestWidenedBounds(t *testing.T) {
	v := newValues()
	of := func(lo, hi int) Value { return v.internSigned(interval{signedByte(lo), signedByte(hi)}) }
	least, most := anySign.lo, anySign.hi
	for _, c := range []struct {
		before, now Value
		lo, hi      uint256.Int // of signed words
		wraps       bool        // the unsigned bounds are those of all words
		ulo, uhi    uint256.Int // where they do not
	}{
		{before: of(5, 9), now: of(5, 9), lo: signedByte(5), hi: signedByte(9), ulo: signedByte(5), uhi: signedByte(9)},
		{before: of(5, 9), now: of(0, 9), lo: signedByte(0), hi: signedByte(9), ulo: signedByte(0), uhi: signedByte(9)},
		{before: of(50, 90), now: of(40, 90), lo: signedByte(32), hi: signedByte(90), ulo: signedByte(32), uhi: signedByte(90)},
		{before: of(5, 9), now: of(5, 10), lo: signedByte(5), hi: *lowBits(42), ulo: signedByte(5), uhi: *lowBits(42)},
		{before: of(5, 9), now: of(-1, 9), lo: least, hi: signedByte(9), wraps: true},
		{before: of(-5, 9), now: of(-6, 9), lo: least, hi: signedByte(9), wraps: true},
		{before: of(-5, 9), now: of(-5, 10), lo: signedByte(-5), hi: *lowBits(42), wraps: true},
		{before: of(-5, -3), now: of(-5, -2), lo: signedByte(-5), hi: signedByte(-1), ulo: signedByte(-5), uhi: signedByte(-1)},
		{before: of(-5, -1), now: of(-5, 0), lo: signedByte(-5), hi: signedByte(1), wraps: true},
		{before: of(-5, 1), now: of(-5, 2), lo: signedByte(-5), hi: *lowBits(42), wraps: true},
		{before: v.internSigned(interval{signedByte(-5), *lowBits(160)}), now: v.internSigned(interval{signedByte(-5), *lowBits(161)}), lo: signedByte(-5), hi: most, wraps: true},
	} {
		if c.wraps {
			c.ulo, c.uhi = all.lo, all.hi
		}
		got := v.set(v.widen(c.before, c.now))
		if want := (set{interval{c.ulo, c.uhi}, interval{c.lo, c.hi}}); got != want {
			t.Errorf("from %v to %v: %v, want %v", v.set(c.before), v.set(c.now), got, want)
		}
	}
}
