package input

import (
	"bytes"
	"encoding/binary"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Dictionary holds values worth trying. Its constants come from the code and
// never change; what it learns from executions is kept in tables of fixed size,
// where a newer value takes the place of an older one. Which values it holds
// depends only on what it was shown, in which order.
//
// Sharing: a Dictionary belongs to one goroutine. The owner of a campaign keeps
// one and hands each worker a Snapshot with its work; the worker may teach its
// copy with Observe, and the owner takes what was learned with Merge when the
// work comes back. So what a worker produces depends on its work and random
// source alone, and with one worker a campaign is reproducible.
type Dictionary struct {
	constants *constants // shared among snapshots
	learned   [sources]table
}

// source tells where a learned value was seen.
type source int

const (
	operands source = iota // of comparisons that decided a jump
	stored                 // read from or written to storage
	returned               // words of return data and revert reasons
	sources
)

// Bounds of one Observe, so that one execution cannot cost more than the run it
// comes from. Arbitrary, generous for a call's 344 operations (performance.md).
const (
	maxObserved      = 256 // comparisons, and as many storage accesses
	maxReturnedWords = 8   // of each call
)

// NewDictionary collects the constants of programs: their PUSH data and the texts of
// their sources.
func NewDictionary(programs []*bytecode.Program) *Dictionary {
	d := &Dictionary{constants: newConstants(programs)}
	return d
}

// Observe learns from an execution: operands of comparisons, storage values,
// return data.
func (d *Dictionary) Observe(e *evm.Execution) {
	comparisons, accesses := 0, 0
	for i := range e.Frames {
		f := &e.Frames[i]
		for j := range f.Comparisons {
			if comparisons++; comparisons > maxObserved {
				break
			}
			d.learned[operands].add(&f.Comparisons[j].Left)
			d.learned[operands].add(&f.Comparisons[j].Right)
		}
		for j := range f.Storage {
			if accesses++; accesses > maxObserved {
				break
			}
			d.learned[stored].add(&f.Storage[j].Value)
		}
	}
	for i := range e.Calls {
		d.observeOutput(&e.Calls[i])
	}
}

// observeOutput learns the words of a call's return data; revert data behind a
// four-byte error selector.
func (d *Dictionary) observeOutput(c *evm.CallResult) {
	data := c.Output
	if c.Outcome != evm.Success && len(data)%32 == 4 {
		data = data[4:]
	}
	for n := 0; n < maxReturnedWords && len(data) >= 32; n++ {
		var w uint256.Int
		w.SetBytes32(data)
		d.learned[returned].add(&w)
		data = data[32:]
	}
}

// Sources of a sample: constants first, since they are the code's own, then
// operands, which the code compares with. The ratio is arbitrary.
var sampleWeights = []int{4, 3, 1, 1} // constants, operands, stored, returned

// Sample draws a value that fits an elementary type; false when it finds none. A
// constant c comes as c in half of the draws, else as c−1 or c+1.
func (d *Dictionary) Sample(r Rand, t *Type) (uint256.Int, bool) {
	if t.Kind == Bool {
		return uint256.Int{}, false // nothing that code says about a bool is news
	}
	// A source may be empty or hold nothing of the type: 3 draws find something
	// when half of the sources do, with probability 7/8.
	for range 3 {
		i := pick(r, sampleWeights)
		var w uint256.Int
		var ok bool
		if i == 0 {
			w, ok = d.constants.sample(r, t)
		} else {
			w, ok = d.learned[i-1].sample(r, t)
		}
		if ok {
			return w, true
		}
	}
	return uint256.Int{}, false
}

// classLimits are the widths in bits by which values are kept apart, so that a
// narrow type need not search among wide values: the widths that Solidity code
// uses for flags, counters, selectors, timestamps, amounts and addresses.
var classLimits = [...]int{8, 16, 32, 64, 128, 160, 256}

const classes = len(classLimits)

// significant is the number of bits that a word needs, as a number or as a
// negative one in two's complement.
func significant(w *uint256.Int) int {
	n := w.BitLen()
	if n < 256 {
		return n
	}
	var not uint256.Int
	return not.Not(w).BitLen() + 1
}

func classOf(w *uint256.Int) int {
	n := significant(w)
	for i, limit := range classLimits {
		if n <= limit {
			return i
		}
	}
	return classes - 1
}

// classesFor is the number of classes that may hold values of the type.
func classesFor(t *Type) int {
	for i, limit := range classLimits {
		if t.Bits <= limit {
			return i + 1
		}
	}
	return classes
}

// conform makes a value one of type t, if it is meant as one: bytesN values are
// left-aligned on the stack, but constants are often shifted there from the
// right.
func conform(t *Type, w *uint256.Int) bool {
	if t.Fits(w) {
		return true
	}
	if t.Kind == FixedBytes && w.BitLen() <= t.Bits {
		w.Lsh(w, uint(256-t.Bits))
		return true
	}
	return false
}

// tableSize is the number of values per class that a table keeps. Arbitrary: a
// snapshot copies all tables, 3 · 7 · 32 words or 21 KiB, in about a microsecond.
const tableSize = 32

// table keeps the values seen last, at most tableSize per class: each has one
// place, given by a hash, so that adding is one step and nothing is in there
// twice.
type table struct {
	values [classes][tableSize]uint256.Int
	places [classes][tableSize]uint8 // the places in use
	used   [classes]uint8            // number of them
	set    [classes]uint32           // a bit per place in use
}

func (t *table) add(w *uint256.Int) {
	if w.LtUint64(2) {
		return // every type has 0 and 1 among its boundary values
	}
	class := classOf(w)
	h := (w[0] ^ w[1]*3 ^ w[2]*5 ^ w[3]*7) * 0x9e3779b97f4a7c15 // Knuth's multiplicative hash, 2^64/φ
	place := h >> 59                                            // tableSize = 2^5
	t.values[class][place] = *w
	if bit := uint32(1) << place; t.set[class]&bit == 0 {
		t.set[class] |= bit
		t.places[class][t.used[class]] = uint8(place)
		t.used[class]++
	}
}

func (t *table) sample(r Rand, typ *Type) (uint256.Int, bool) {
	total := 0
	most := classesFor(typ)
	if typ.Kind == FixedBytes {
		most = classes // left-aligned values are wide
	}
	for _, n := range t.used[:most] {
		total += int(n)
	}
	if total == 0 {
		return uint256.Int{}, false
	}
	i := r.IntN(total)
	for class := range most {
		if n := int(t.used[class]); i >= n {
			i -= n
			continue
		}
		w := t.values[class][t.places[class][i]]
		return w, conform(typ, &w)
	}
	panic("input: a dictionary table lost a value")
}

// constants are the PUSH data of the code by class, and its texts.
type constants struct {
	texts    texts
	plain    [classes][]uint256.Int
	unlikely [classes][]uint256.Int // selectors and jump destinations, which are seldom meant as values
	given    []uint256.Int          // wide ones, see Know
}

// maxConstants bounds the constants of a campaign. Arbitrary: the largest
// contracts of the corpora have about 1,000 distinct ones.
const maxConstants = 1 << 14

func newConstants(programs []*bytecode.Program) *constants {
	c := &constants{texts: newTexts(programs)}
	seen := map[uint256.Int]bool{}
	selectors := map[uint32]bool{}
	for _, p := range programs {
		if p == nil || p.Contract == nil {
			continue
		}
		for _, m := range p.Contract.ABI.Methods {
			selectors[binary.BigEndian.Uint32(m.ID)] = true
		}
	}
	for _, p := range programs {
		if p == nil {
			continue
		}
		for _, data := range p.PushConstants() {
			var w uint256.Int
			w.SetBytes(data)
			c.add(&w, p, seen, selectors)
			// A short text, at the left of its word, is where the low bytes of a number are if it is packed behind one.
			if text := bytes.TrimRight(data, "\x00"); len(data) == 32 && len(text) <= maxAffix {
				c.add(w.SetBytes(text), p, seen, selectors)
			}
		}
	}
	return c
}

// maxAffix is the most bytes of texts that are taken for what is packed with numbers. Messages are longer, and a selector has four, so
// that those do not crowd out what code compares with.
const maxAffix = 3

// add adds a constant of a program that has not been seen.
func (c *constants) add(w *uint256.Int, p *bytecode.Program, seen map[uint256.Int]bool, selectors map[uint32]bool) {
	if seen[*w] || len(seen) >= maxConstants || isMask(w) {
		return
	}
	seen[*w] = true
	rare := w.IsUint64() && w.Uint64() <= 1<<32-1 && selectors[uint32(w.Uint64())] || isJumpDestination(p, w)
	list := &c.plain
	if rare {
		list = &c.unlikely
	}
	class := classOf(w)
	list[class] = append(list[class], *w)
}

// isMask knows 0 and the words of ones that compilers clean values with: the
// boundary values of the types hold them already.
func isMask(w *uint256.Int) bool {
	var next uint256.Int
	next.AddUint64(w, 1)
	next.And(&next, w)
	return next.IsZero()
}

// opJumpdest marks a jump destination (yellow paper, appendix H.2).
const opJumpdest = 0x5b

func isJumpDestination(p *bytecode.Program, w *uint256.Int) bool {
	if !w.IsUint64() {
		return false
	}
	pc := w.Uint64()
	_, starts := p.StartsAt(pc)
	return starts && bytes.HasPrefix(p.Bytes[pc:], []byte{opJumpdest})
}

// unlikelyShare: selectors and jump destinations are drawn once in so many
// samples. A guard like `x == 100` may well be the number of a jump destination,
// so they cannot be left out. Arbitrary.
const unlikelyShare = 8

func (c *constants) sample(r Rand, t *Type) (uint256.Int, bool) {
	if len(c.given) > 0 && classesFor(t) == classes && oneIn(r, givenShare) {
		w := c.given[r.IntN(len(c.given))]
		return w, conform(t, &w)
	}
	if oneIn(r, unlikelyShare) {
		return sampleOf(&c.unlikely, r, t)
	}
	return sampleOf(&c.plain, r, t)
}

// sampleOf draws one of a list that may be of type t.
func sampleOf(list *[classes][]uint256.Int, r Rand, t *Type) (uint256.Int, bool) {
	total := 0
	least, most := 0, classesFor(t)
	if t.Kind == FixedBytes {
		most = classes
		if t.Bits == 256 && len(list[classes-1]) > 0 && oneIn(r, 2) {
			least = classes - 1 // hashes, mostly: names of roles, types and domains
		}
	}
	for _, values := range list[least:most] {
		total += len(values)
	}
	if total == 0 {
		return uint256.Int{}, false
	}
	i := r.IntN(total)
	for class := least; class < most; class++ {
		if n := len(list[class]); i >= n {
			i -= n
			continue
		}
		w := list[class][i]
		if t.Kind != FixedBytes && t.Kind != Address {
			w = near(r, &w)
		}
		return w, conform(t, &w)
	}
	panic("input: the dictionary lost a constant")
}

// near is w, or in half of the cases its neighbor below or above.
func near(r Rand, w *uint256.Int) uint256.Int {
	out := *w
	switch r.IntN(4) {
	case 0:
		out.SubUint64(w, 1)
	case 1:
		out.AddUint64(w, 1)
	}
	return out
}
