package lookahead

import (
	"math/bits"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Value is an abstract word: a set of 256-bit words, those of an interval of unsigned
// words that are also in an interval of signed ones; a constant is the set of one word,
// and Top that of all words. Ordered by inclusion they are a lattice without a least
// element: an empty set means that no execution comes here, and the state as a whole is
// dropped.
//
// The two orders agree on the words below 2^255, and on those above. So a set is an
// interval of the former and one of the latter, either of which may be empty, and both
// pairs of bounds follow from those, see [reduce].
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

// interval is the set of words from lo to hi, both included, in one of the orders.
type interval struct{ lo, hi uint256.Int }

// all is every word; anySign the same in the signed order.
var (
	all     = interval{hi: *new(uint256.Int).SetAllOne()}
	anySign = interval{lo: *new(uint256.Int).Lsh(uint256.NewInt(1), 255), hi: *lowBits(255)}
)

func (i *interval) isConstant() bool { return i.lo == i.hi }

// set is the words that are in both an interval of unsigned words and one of signed
// words. Reduced sets are equal only if they have equal bounds.
type set struct{ unsigned, signed interval }

func single(x *uint256.Int) set { return set{interval{*x, *x}, interval{*x, *x}} }

// reduce tightens the bounds of a set; false when it is empty.
func (s *set) reduce() bool {
	u, i := &s.unsigned, &s.signed
	// The words below 2^255 are from low.lo to low.hi, those above from high.lo to high.hi.
	low, high := interval{u.lo, u.hi}, interval{u.lo, u.hi}
	if low.hi.Sign() < 0 {
		low.hi = anySign.hi
	}
	if high.lo.Sign() >= 0 {
		high.lo = anySign.lo
	}
	someLow, someHigh := u.lo.Sign() >= 0 && i.hi.Sign() >= 0, u.hi.Sign() < 0 && i.lo.Sign() < 0
	if someLow {
		if i.lo.Sign() >= 0 && i.lo.Gt(&low.lo) {
			low.lo = i.lo
		}
		if i.hi.Lt(&low.hi) {
			low.hi = i.hi
		}
		someLow = !low.lo.Gt(&low.hi)
	}
	if someHigh {
		if i.lo.Gt(&high.lo) {
			high.lo = i.lo
		}
		if i.hi.Sign() < 0 && i.hi.Lt(&high.hi) {
			high.hi = i.hi
		}
		someHigh = !high.lo.Gt(&high.hi)
	}
	switch {
	case someLow && someHigh:
		*u, *i = interval{low.lo, high.hi}, interval{high.lo, low.hi}
	case someLow:
		*u, *i = low, low
	case someHigh:
		*u, *i = high, high
	default:
		return false
	}
	return true
}

// smallConstants is the number of constants whose Value equals their word plus
// one: bytes, memory offsets and jump destinations are had without a look-up and
// mean the same everywhere, so that programs' graphs can name them. No label is
// above: the code would be five times as long as EIP-170 allows, 128 KiB.
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
	own       []set              // by Value, from commonCount on
	ids       map[interval]Value // of sets that are intervals of unsigned words
	signedIDs map[set]Value      // of others
	// unsigned: no set has signed bounds that are closer than the unsigned ones imply.
	unsigned   bool
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

// commonPage is how many of the common Values' intervals are made at once: a program names few constants, most of them below that,
// and all intervals would take 8 MB, and a tenth of a short run's time.
const commonPage = 1 << 8

// common are the intervals of the Values that every interner has, in pages that are made when the first of them is asked for.
var common [(commonCount + commonPage - 1) / commonPage]atomic.Pointer[[commonPage]interval]

// commonInterval gives the bounds of a common Value.
func commonInterval(a Value) *interval {
	page := common[a/commonPage].Load()
	if page == nil {
		page = makeCommon(a / commonPage)
	}
	return &page[a%commonPage]
}

// makeCommon makes a page. Whoever makes it at the same time makes the same.
func makeCommon(page Value) *[commonPage]interval {
	of := &[commonPage]interval{}
	for i := range of {
		of[i] = boundsOf(page*commonPage + Value(i))
	}
	common[page].Store(of)
	return of
}

// boundsOf are the bounds of a common Value.
func boundsOf(a Value) interval {
	all, one := *new(uint256.Int).SetAllOne(), *uint256.NewInt(1)
	switch a {
	case Top:
		return interval{hi: all}
	case boolean:
		return interval{hi: one}
	case nonzero:
		return interval{lo: one, hi: all}
	case byteRange:
		return interval{hi: *lowBits(8)}
	case address:
		return interval{hi: *lowBits(160)}
	case size:
		return interval{hi: *lowBits(64)}
	case memory:
		return interval{hi: *uint256.NewInt(maxMemory - 1)}
	}
	c := *uint256.NewInt(uint64(a) - 1)
	return interval{c, c}
}

// nonzeroSigned are the bounds of nonzero in the signed order; of the other common
// Values but Top they are those of unsigned words.
var nonzeroSigned = anySign

func newValues() *values {
	v := &values{}
	v.reset()
	return v
}

// newIntervals are values whose sets are intervals of unsigned words.
func newIntervals() *values {
	v := newValues()
	v.unsigned = true
	return v
}

// reset forgets all Values but the common ones.
func (v *values) reset() {
	v.generation++
	v.own = v.own[:0]
	v.memo = [memoSize]memoEntry{}
	if v.ids == nil {
		v.ids, v.signedIDs = map[interval]Value{}, map[set]Value{}
	}
	clear(v.ids)
	clear(v.signedIDs)
	v.ids[all] = Top
	for a := boolean; a < commonCount; a++ {
		v.ids[*v.get(a)] = a
	}
}

// intern is the Value of an interval of unsigned words.
func (v *values) intern(i interval) Value {
	if c, ok := i.small(); ok {
		return c
	}
	if id, ok := v.ids[i]; ok {
		return id
	}
	id := v.add(set{i, i.implied()})
	v.ids[i] = id
	return id
}

func (v *values) add(s set) Value {
	v.own = append(v.own, s)
	return commonCount + Value(len(v.own)-1)
}

// implied are the signed bounds of an interval of unsigned words.
func (i *interval) implied() interval {
	if i.lo.Sign() >= 0 && i.hi.Sign() < 0 {
		return anySign
	}
	return *i
}

// internSigned is the Value of an interval of signed words.
func (v *values) internSigned(i interval) Value {
	if i.lo.Sign() >= 0 || i.hi.Sign() < 0 {
		return v.intern(i)
	}
	return v.internSet(&set{all, i})
}

// internSet is the Value of a reduced set.
func (v *values) internSet(s *set) Value {
	if v.unsigned || s.signed == s.unsigned.implied() {
		return v.intern(s.unsigned)
	}
	if id, ok := v.signedIDs[*s]; ok {
		return id
	}
	id := v.add(*s)
	v.signedIDs[*s] = id
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

// get gives the bounds of a Value.
func (v *values) get(a Value) *interval {
	if a = a.plain(); a >= commonCount {
		return &v.own[a-commonCount].unsigned
	}
	return commonInterval(a)
}

// signed gives the bounds of a Value in the signed order.
func (v *values) signed(a Value) *interval {
	switch a = a.plain(); {
	case a >= commonCount:
		return &v.own[a-commonCount].signed
	case a == Top:
		return &anySign
	case a == nonzero:
		return &nonzeroSigned
	}
	return commonInterval(a)
}

// set is the set of a Value.
func (v *values) set(a Value) set { return set{*v.get(a), *v.signed(a)} }

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
	if x.lo.Lt(&y.lo) || x.hi.Gt(&y.hi) {
		return false
	}
	if v.unsigned {
		return true
	}
	x, y = v.signed(a), v.signed(b)
	return !x.lo.Slt(&y.lo) && !x.hi.Sgt(&y.hi)
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
	if v.unsigned {
		return v.memoize(opJoin, a, b, v.intern(span(v.get(a), v.get(b))))
	}
	x, y := v.set(a), v.set(b)
	x.unsigned = span(&x.unsigned, &y.unsigned)
	if y.signed.lo.Slt(&x.signed.lo) {
		x.signed.lo = y.signed.lo
	}
	if y.signed.hi.Sgt(&x.signed.hi) {
		x.signed.hi = y.signed.hi
	}
	return v.memoize(opJoin, a, b, v.internSet(&x))
}

// span is the least interval of unsigned words that has those of two.
func span(x, y *interval) interval {
	i := *x
	if y.lo.Lt(&i.lo) {
		i.lo = y.lo
	}
	if y.hi.Gt(&i.hi) {
		i.hi = y.hi
	}
	return i
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
	x, y := v.set(a), v.set(b)
	if x.unsigned.lo.Lt(&y.unsigned.lo) {
		x.unsigned.lo = y.unsigned.lo
	}
	if x.unsigned.hi.Gt(&y.unsigned.hi) {
		x.unsigned.hi = y.unsigned.hi
	}
	if v.unsigned {
		if x.unsigned.lo.Gt(&x.unsigned.hi) {
			return empty
		}
		return v.intern(x.unsigned)
	}
	if x.signed.lo.Slt(&y.signed.lo) {
		x.signed.lo = y.signed.lo
	}
	if x.signed.hi.Sgt(&y.signed.hi) {
		x.signed.hi = y.signed.hi
	}
	if x.unsigned.lo.Gt(&x.unsigned.hi) || x.signed.lo.Sgt(&x.signed.hi) || !x.reduce() {
		return empty
	}
	return v.internSet(&x)
}

// bounded are the words that compare in a way with some word of a; false when there
// are none.
func (v *values) bounded(by uint8, a Value) (Value, bool) {
	a = a.plain()
	x, y := v.get(a), v.signed(a)
	switch {
	case by == opLess && x.hi.IsZero(), by == opMore && x.lo == all.hi,
		by == opSignedLess && y.hi == anySign.lo, by == opSignedMore && y.lo == anySign.hi:
		return 0, false
	}
	r, ok := v.memoized(by, a, a)
	if ok {
		return r, true
	}
	i, j := all, anySign
	switch by {
	case opLess:
		i.hi.SubUint64(&x.hi, 1)
	case opAtMost:
		i.hi = x.hi
	case opAtLeast:
		i.lo = x.lo
	case opMore:
		i.lo.AddUint64(&x.lo, 1)
	case opSignedLess:
		j.hi.SubUint64(&y.hi, 1)
	case opSignedAtMost:
		j.hi = y.hi
	case opSignedAtLeast:
		j.lo = y.lo
	case opSignedMore:
		j.lo.AddUint64(&y.lo, 1)
	}
	if by >= opSignedLess {
		return v.memoize(by, a, a, v.internSigned(j)), true
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
	x, y := v.set(before), v.set(now)
	if y.unsigned.lo.Lt(&x.unsigned.lo) {
		y.unsigned.lo = *floor(&y.unsigned.lo)
	}
	if y.unsigned.hi.Gt(&x.unsigned.hi) {
		y.unsigned.hi = *ceiling(&y.unsigned.hi)
	}
	if v.unsigned {
		return v.intern(y.unsigned)
	}
	if y.signed.lo.Slt(&x.signed.lo) {
		if y.signed.lo.Sign() < 0 {
			y.signed.lo = anySign.lo
		} else {
			y.signed.lo = *floor(&y.signed.lo)
		}
	}
	if y.signed.hi.Sgt(&x.signed.hi) {
		switch high := ceiling(&y.signed.hi); {
		case y.signed.hi.Sign() < 0:
			y.signed.hi = all.hi // −1
		case high.Sign() < 0:
			y.signed.hi = anySign.hi
		default:
			y.signed.hi = *high
		}
	}
	y.reduce()
	return v.internSet(&y)
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

// ceilings are the bit widths that hi bounds widen to, short of all words: booleans, memory (see
// maxMemory), lengths and times, addresses. A bound that no branch
// gives stops at each of them, and with it all that follows is visited again: with
// those between (uint8 … uint128) the graphs of the contracts of bench/targets took
// a quarter more steps, and were the same.
var ceilings = []uint{1, 42, 64, 160}

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

	opSignedLess    = uint8(vm.CREATE) // likewise, of signed words; above the others
	opSignedAtMost  = uint8(vm.CALL)
	opSignedAtLeast = uint8(vm.CALLCODE)
	opSignedMore    = uint8(vm.DELEGATECALL)
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
