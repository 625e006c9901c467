package lookahead

import (
	"math/bits"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Value is an abstract word: a set of 256-bit words. The sets are the intervals
// [lo, hi] of unsigned words, a constant being the interval of one word, and Top
// being all words. Ordered by inclusion they are a lattice without a least
// element: an empty set means that no execution comes here, and the state as a
// whole is dropped.
//
// Values are numbers of an interner, so that states are compared, hashed and
// copied as slices of uint32. Two Values of one interner stand for the same set
// if and only if they are equal, labels apart. The first numbers, small constants
// and some sets, mean the same in every interner, see common.
//
// A label is a constant that a PUSH put on the stack and that is the pc of a
// JUMPDEST: most likely a return address. A label stands for the same set as
// its constant and is below it in the order. Only DUP and SWAP keep it a label.
// States with different labels are never joined (see engine.go).
type Value uint32

// Top is the Value that any word is in.
const Top Value = 0

// labelBit marks labels; the rest of the number is that of the constant. pooledBit marks
// the number of a word in a program's pool, which is not yet a Value, see pool.resolve.
const (
	labelBit  Value = 1 << 31
	pooledBit Value = 1 << 30
)

func (v Value) isLabel() bool { return v&labelBit != 0 }
func (v Value) plain() Value  { return v &^ labelBit }

// interval is the set of words from lo to hi, both included.
type interval struct{ lo, hi uint256.Int }

// all is every word.
var all = interval{hi: *new(uint256.Int).SetAllOne()}

func (i *interval) isConstant() bool { return i.lo == i.hi }

// smallConstants is the number of constants whose Value equals their word plus
// one: bytes, memory offsets and jump destinations are had without a look-up and
// mean the same everywhere, so that programs' graphs can name them. No label is
// above: the code would be five times as long as EIP-170 allows, 128 KiB. Their
// intervals take 8 MB, once.
const smallConstants = 1 << 17

// memoSize is the number of results of operations that are remembered, a power
// of two. 4,096 entries of 16 bytes stay in a core's second-level cache.
const memoSize = 1 << 12

type memoEntry struct {
	op     uint8
	valid  bool
	result Value
	a, b   Value
}

// values is the interner. Not for concurrent use.
type values struct {
	own        []interval // by Value, from commonCount on
	ids        map[interval]Value
	memo       [memoSize]memoEntry
	generation uint32 // counts resets
}

const (
	boolean   = Value(1 + smallConstants) // [0, 1]
	nonzero   = boolean + 1               // [1, 2^256−1]
	byteRange = boolean + 2               // [0, 255]
	address   = boolean + 3               // [0, 2^160−1]
	size      = boolean + 4               // [0, 2^64−1]: lengths, gas, time, block number
	memory    = boolean + 5               // [0, maxMemory−1]

	commonCount = boolean + 6
)

// constant is the Value of a small word known when the program is written.
func constant(n uint64) Value { return Value(n + 1) }

// maxMemory bounds the memory of a frame, in bytes, whatever its gas: gas is a
// uint64 and w words cost at least w²/512 (yellow paper, appendix G, Cmem), so
// w² < 2^73 and 32·w < 2^42.
const maxMemory = 1 << 42

// common are the intervals of the Values that every interner has.
var common = commonIntervals()

func commonIntervals() []interval {
	all := *new(uint256.Int).SetAllOne()
	one := *uint256.NewInt(1)
	of := make([]interval, 0, commonCount)
	of = append(of, interval{hi: all})
	for n := range uint64(smallConstants) {
		c := *uint256.NewInt(n)
		of = append(of, interval{c, c})
	}
	return append(of,
		interval{hi: one}, interval{lo: one, hi: all},
		interval{hi: *lowBits(8)}, interval{hi: *lowBits(160)}, interval{hi: *lowBits(64)},
		interval{hi: *uint256.NewInt(maxMemory - 1)})
}

func newValues() *values {
	v := &values{}
	v.reset()
	return v
}

// reset forgets all Values but the common ones.
func (v *values) reset() {
	v.generation++
	v.own = v.own[:0]
	v.memo = [memoSize]memoEntry{}
	if v.ids == nil {
		v.ids = map[interval]Value{}
	}
	clear(v.ids)
	v.ids[common[Top]] = Top
	for a := boolean; a < commonCount; a++ {
		v.ids[common[a]] = a
	}
}

func (v *values) intern(i interval) Value {
	if c, ok := i.small(); ok {
		return c
	}
	if id, ok := v.ids[i]; ok {
		return id
	}
	id := commonCount + Value(len(v.own))
	v.own = append(v.own, i)
	v.ids[i] = id
	return id
}

// small is the Value of a small constant.
func (i *interval) small() (Value, bool) {
	if i.lo.IsUint64() && i.lo[0] < smallConstants && i.lo == i.hi {
		return constant(i.lo[0]), true
	}
	return 0, false
}

func (v *values) constant(x *uint256.Int) Value { return v.intern(interval{*x, *x}) }

// get is the set of a Value.
func (v *values) get(a Value) *interval {
	if a = a.plain(); a >= commonCount {
		return &v.own[a-commonCount]
	}
	return &common[a]
}

// known is the word of a constant; false when a may be several words.
func (v *values) known(a Value) (*uint256.Int, bool) {
	i := v.get(a)
	return &i.lo, i.isConstant()
}

// lowBits is 2^n − 1, for n up to 256.
func lowBits(n uint) *uint256.Int {
	x := new(uint256.Int).SetAllOne()
	return x.Rsh(x, 256-n)
}

// leq reports whether every word of a is one of b, and a is a label if b is one.
func (v *values) leq(a, b Value) bool {
	if a == b || b == Top {
		return true
	}
	if b.isLabel() {
		return false
	}
	x, y := v.get(a), v.get(b)
	return !x.lo.Lt(&y.lo) && !x.hi.Gt(&y.hi)
}

// join is the least Value above both.
func (v *values) join(a, b Value) Value {
	if a == b {
		return a
	}
	a, b = a.plain(), b.plain()
	if a == b {
		return a
	}
	if a == Top || b == Top {
		return Top
	}
	if a > b {
		a, b = b, a
	}
	if r, ok := v.memoized(opJoin, a, b); ok {
		return r
	}
	x, y := *v.get(a), *v.get(b)
	if y.lo.Lt(&x.lo) {
		x.lo = y.lo
	}
	if y.hi.Gt(&x.hi) {
		x.hi = y.hi
	}
	return v.memoize(opJoin, a, b, v.intern(x))
}

// meet is the greatest Value below both; false when no word is in both. A label
// stays one.
func (v *values) meet(a, b Value) (Value, bool) {
	switch {
	case a == b || b == Top:
		return a, true
	case a == Top:
		return b, true
	}
	r, ok := v.memoized(opMeet, a, b)
	if !ok {
		r = v.memoize(opMeet, a, b, v.intersect(a, b))
	}
	return r, r != empty
}

// empty is not a Value: meet memoizes it for sets that have no word in common.
const empty = pooledBit

// intersect is meet, computed.
func (v *values) intersect(a, b Value) Value {
	if v.leq(a, b) {
		return a
	}
	if v.leq(b, a) {
		return b
	}
	x, y := *v.get(a), v.get(b)
	if x.lo.Lt(&y.lo) {
		x.lo = y.lo
	}
	if x.hi.Gt(&y.hi) {
		x.hi = y.hi
	}
	if x.lo.Gt(&x.hi) {
		return empty
	}
	return v.intern(x)
}

// bounded are the words that compare in a way with some word of a; false when there
// are none.
func (v *values) bounded(by uint8, a Value) (Value, bool) {
	a = a.plain()
	x := v.get(a)
	if by == opLess && x.hi.IsZero() || by == opMore && x.lo == all.hi {
		return 0, false
	}
	r, ok := v.memoized(by, a, a)
	if ok {
		return r, true
	}
	i := all
	switch by {
	case opLess:
		i.hi.SubUint64(&x.hi, 1)
	case opAtMost:
		i.hi = x.hi
	case opAtLeast:
		i.lo = x.lo
	case opMore:
		i.lo.AddUint64(&x.lo, 1)
	}
	return v.memoize(by, a, a, v.intern(i)), true
}

// widen is a Value above now, which is above before. A bound that moved goes on
// to the next of few thresholds, so that no chain of widenings is longer than
// there are thresholds (Cousot and Cousot, POPL'77, §9.1.3).
func (v *values) widen(before, now Value) Value {
	if before == now || now == Top || now.isLabel() {
		return now
	}
	x, y := v.get(before), *v.get(now)
	if y.lo.Lt(&x.lo) {
		y.lo = *floor(&y.lo)
	}
	if y.hi.Gt(&x.hi) {
		y.hi = *ceiling(&y.hi)
	}
	return v.intern(y)
}

// floor is the greatest threshold below x: multiples of 32 in the low memory
// where solc keeps what it knows, then every fourth power of two, so that an
// allocation pointer keeps its distance from low memory.
func floor(x *uint256.Int) *uint256.Int {
	if x.IsUint64() && x[0] < 0x400 {
		return uint256.NewInt(x[0] &^ 31)
	}
	n := uint(x.BitLen()-1) &^ 3
	return new(uint256.Int).Lsh(uint256.NewInt(1), n)
}

// ceilings are the bit widths that hi bounds widen to: booleans, memory (see
// maxMemory), lengths and times, addresses, all words. A bound that no branch
// gives stops at each of them, and with it all that follows is visited again: with
// those between (uint8 … uint128) the graphs of the contracts of bench/targets took
// a quarter more steps, and were the same.
var ceilings = []uint{1, 42, 64, 160, 256}

// ceiling is the least threshold above x.
func ceiling(x *uint256.Int) *uint256.Int {
	n := uint(x.BitLen())
	for _, c := range ceilings {
		if n <= c {
			return lowBits(c)
		}
	}
	return lowBits(256)
}

// Keys of memoized results that do not belong to an operation on words: opcodes of other
// instructions.
const (
	opJoin    = uint8(vm.STOP)
	opMeet    = uint8(vm.JUMPDEST)
	opLess    = uint8(vm.LOG0) // see bounded
	opAtMost  = uint8(vm.LOG1)
	opAtLeast = uint8(vm.LOG2)
	opMore    = uint8(vm.LOG3)
)

func memoIndex(op uint8, a, b Value) uint32 {
	h := uint64(a)<<32 | uint64(b)
	h = (h ^ uint64(op)<<17) * 0x9e3779b97f4a7c15 // Fibonacci hashing: 2^64 over the golden ratio
	return uint32(bits.RotateLeft64(h, 24)) & (memoSize - 1)
}

func (v *values) memoized(op uint8, a, b Value) (Value, bool) {
	e := &v.memo[memoIndex(op, a, b)]
	if e.valid && e.op == op && e.a == a && e.b == b {
		return e.result, true
	}
	return 0, false
}

func (v *values) memoize(op uint8, a, b, result Value) Value {
	v.memo[memoIndex(op, a, b)] = memoEntry{op, true, result, a, b}
	return result
}

// pc is the Value of a place in the code.
func (v *values) pc(pc uint32) Value { return v.constant(uint256.NewInt(uint64(pc))) }
