package input

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// refuted reports whether the conditions are refuted, which all count as those of the path.
func (h *handmade) refuted() bool { return !h.search().possible }

func (h *handmade) search() *satisfaction {
	last := &h.decisions[len(h.decisions)-1]
	last.taken = !last.taken
	defer func() { last.taken = !last.taken }()
	return h.newSearch(rand.New(rand.NewPCG(1, 1)), len(h.decisions)-1)
}

// refuses adds a condition that is not to hold.
func (h *handmade) refuses(op vm.OpCode, a, b int32) {
	h.wants(op, a, b)
	h.decisions[len(h.decisions)-1].taken = false
}

// TestRefuted has ways that no numbers take, as compilers make them, and next to each one that some do.
func TestRefuted(t *testing.T) {
	word, narrow := Type{Kind: Uint, Bits: 256}, Type{Kind: Uint, Bits: 64}
	sumCheck := func(h *handmade) { h.wants(vm.GT, h.p(0), h.is(vm.ADD, h.p(0), h.p(1))) }
	productCheck := func(h *handmade, x, y int32) { // of solc since 0.8
		quotient := h.is(vm.DIV, h.is(vm.MUL, x, y), x)
		h.refuses(vm.OR, h.is(vm.ISZERO, x, unknown), h.is(vm.EQ, y, quotient))
	}
	differenceCheck := func(h *handmade) { h.wants(vm.GT, h.is(vm.SUB, h.p(0), h.p(1)), h.p(0)) }
	for _, c := range []struct {
		name  string
		types Type
		make  func(h *handmade)
		want  bool
	}{
		{"a sum of narrow numbers", narrow, sumCheck, true},
		{"a sum of words", word, sumCheck, false},
		{"a sum of words, one of which is small", word, func(h *handmade) {
			h.wants(vm.LT, h.p(1), h.number(10))
			h.wants(vm.LT, h.p(0), h.number(1000))
			sumCheck(h)
		}, true},
		{"a sum that was checked already", word, func(h *handmade) {
			h.refuses(vm.LT, h.is(vm.ADD, h.p(0), h.p(1)), h.p(0))
			h.wants(vm.LT, h.is(vm.ADD, h.p(1), h.p(0)), h.p(1))
		}, true},
		{"a difference after a requirement", word, func(h *handmade) {
			h.refuses(vm.LT, h.p(0), h.p(1))
			differenceCheck(h)
		}, true},
		{"a difference after another requirement", word, func(h *handmade) {
			h.refuses(vm.LT, h.p(1), h.p(0))
			differenceCheck(h)
		}, false},
		{"a difference of numbers that a third one lies between", word, func(h *handmade) {
			h.refuses(vm.LT, h.p(0), h.p(2))
			h.refuses(vm.GT, h.p(1), h.p(2))
			differenceCheck(h)
		}, true},
		{"a share that is taken away", narrow, func(h *handmade) {
			h.refuses(vm.GT, h.p(1), h.number(10000))
			fee := h.is(vm.DIV, h.is(vm.MUL, h.p(0), h.p(1)), h.number(10000))
			h.wants(vm.GT, h.is(vm.SUB, h.p(0), fee), h.p(0))
		}, true},
		{"a share that may be more than the whole", narrow, func(h *handmade) {
			h.refuses(vm.GT, h.p(1), h.number(10001))
			fee := h.is(vm.DIV, h.is(vm.MUL, h.p(0), h.p(1)), h.number(10000))
			h.wants(vm.GT, h.is(vm.SUB, h.p(0), fee), h.p(0))
		}, false},
		{"a share by a part of a whole", word, func(h *handmade) {
			part := h.p(1)
			h.wants(vm.LT, part, h.p(2))
			h.refuses(vm.EQ, h.p(0), h.number(0))
			h.wants(vm.EQ, h.is(vm.DIV, h.is(vm.MUL, h.p(0), part), h.p(0)), part)
			h.wants(vm.GT, h.is(vm.DIV, h.is(vm.MUL, h.p(0), part), h.p(2)), h.p(0))
		}, true},
		{"a share by more than the whole", word, func(h *handmade) {
			part := h.p(1)
			h.wants(vm.LT, h.p(2), part)
			h.refuses(vm.EQ, h.p(0), h.number(0))
			h.wants(vm.EQ, h.is(vm.DIV, h.is(vm.MUL, h.p(0), part), h.p(0)), part)
			h.wants(vm.GT, h.is(vm.DIV, h.is(vm.MUL, h.p(0), part), h.p(2)), h.p(0))
		}, false},
		{"a sum before another of the same number, without anything between", narrow, func(h *handmade) {
			h.wants(vm.LT, h.is(vm.ADD, h.p(0), h.p(1)), h.is(vm.ADD, h.p(2), h.p(0)))
			h.wants(vm.ISZERO, h.p(2), unknown)
		}, true},
		{"a sum of words before another of the same number, without anything between", word, func(h *handmade) {
			h.wants(vm.LT, h.is(vm.ADD, h.p(0), h.p(1)), h.is(vm.ADD, h.p(2), h.p(0)))
			h.wants(vm.ISZERO, h.p(2), unknown)
		}, false},
		{"what was added and taken away, and what it is", word, func(h *handmade) {
			h.wants(vm.GT, h.is(vm.SUB, h.is(vm.ADD, h.p(0), h.p(1)), h.p(0)), h.p(1))
		}, true},
		{"what was taken away and added, and another", word, func(h *handmade) {
			h.wants(vm.GT, h.is(vm.ADD, h.is(vm.SUB, h.p(0), h.p(1)), h.p(1)), h.p(1))
		}, false},
		{"a product of narrow numbers", narrow, func(h *handmade) { productCheck(h, h.p(0), h.p(1)) }, true},
		{"the square of a narrow number", narrow, func(h *handmade) { productCheck(h, h.p(0), h.p(0)) }, true},
		{"a product of words", word, func(h *handmade) { productCheck(h, h.p(0), h.p(1)) }, false},
		{"SafeMath's product of small numbers", word, func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.number(1000))
			h.wants(vm.LT, h.p(1), h.number(1000))
			h.refuses(vm.EQ, h.p(0), h.number(0))
			h.refuses(vm.EQ, h.is(vm.DIV, h.is(vm.MUL, h.p(0), h.p(1)), h.p(0)), h.p(1))
		}, true},
		{"a product divided by its factor that may be zero", word, func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.number(1000))
			h.wants(vm.LT, h.p(1), h.number(1000))
			h.refuses(vm.EQ, h.is(vm.DIV, h.is(vm.MUL, h.p(0), h.p(1)), h.p(0)), h.p(1))
		}, false},
		{"a number that its type's mask does not change", narrow, func(h *handmade) {
			h.refuses(vm.EQ, h.p(0), h.is(vm.AND, h.p(0), h.number(1<<64-1)))
		}, true},
		{"a number that a smaller mask changes", narrow, func(h *handmade) {
			h.refuses(vm.EQ, h.p(0), h.is(vm.AND, h.p(0), h.number(1<<32-1)))
		}, false},
		{"two requirements", word, func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.number(5))
			h.wants(vm.GT, h.p(0), h.number(4))
		}, true},
		{"two requirements with a number between", word, func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.number(5))
			h.wants(vm.GT, h.p(0), h.number(3))
		}, false},
		{"equal and not", word, func(h *handmade) {
			h.wants(vm.EQ, h.p(0), h.p(1))
			h.refuses(vm.EQ, h.p(1), h.p(0))
		}, true},
		{"no less than anything", word, func(h *handmade) { h.wants(vm.LT, h.p(0), h.number(0)) }, true},
		{"less than another, and it than the first", word, func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.p(1))
			h.wants(vm.GT, h.p(0), h.p(1))
		}, true},
		{"the last of a span taken away", word, func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.number(2))
			h.wants(vm.SUB, h.p(0), h.number(0))
			h.wants(vm.SUB, h.p(0), h.number(1))
		}, true},
		{"signed orders of negative numbers", word, func(h *handmade) {
			h.wants(vm.SLT, h.p(0), h.number(5))
			h.wants(vm.GT, h.p(0), h.number(7))
		}, false},
		{"signed orders of positive numbers", narrow, func(h *handmade) {
			h.wants(vm.SLT, h.p(0), h.number(5))
			h.wants(vm.GT, h.p(0), h.number(7))
		}, true},
	} {
		h := newHandmade(t, c.types, c.types, c.types)
		if c.make(h); h.refuted() != c.want {
			t.Errorf("%s: refuted is %v", c.name, !c.want)
		}
	}
}

// TestRefutedIsImpossible draws conditions on two numbers of few bits, and looks at all values of theirs: those that meet all lie in the
// box, and of conditions that none meets, most are refuted.
func TestRefutedIsImpossible(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ops := []vm.OpCode{vm.ADD, vm.SUB, vm.MUL, vm.DIV, vm.MOD, vm.AND, vm.OR, vm.XOR, vm.NOT, vm.SHR, vm.SHL, vm.BYTE, vm.LT, vm.GT, vm.EQ, vm.ISZERO, vm.SLT, vm.SDIV, vm.SIGNEXTEND}
	tests := []vm.OpCode{vm.LT, vm.GT, vm.EQ, vm.SLT, vm.SGT, vm.AND, vm.OR, vm.SUB}
	refuted, impossible := 0, 0
	for range 250 {
		h := newHandmade(t, Type{Kind: Uint, Bits: 8}, Type{Kind: Int, Bits: 8})
		for _, n := range []uint64{0, 1, 2, uint64(r.IntN(256)), 255} {
			h.number(n)
		}
		h.word(new(uint256.Int).SubUint64(new(uint256.Int), uint64(1+r.IntN(300))))
		h.word(new(uint256.Int).Lsh(uint256.NewInt(uint64(1+r.IntN(99))), uint(240+r.IntN(10)))) // products of it wrap
		draw := func() int32 { return int32(1 + r.IntN(len(h.terms)-1)) }
		for range 1 + r.IntN(8) {
			h.is(ops[r.IntN(len(ops))], draw(), draw())
		}
		for range r.IntN(3) { // checks that do hold
			x, y := draw(), draw()
			switch r.IntN(3) {
			case 0:
				quotient := h.is(vm.DIV, h.is(vm.MUL, x, y), x)
				h.wants(vm.OR, h.is(vm.ISZERO, x, unknown), h.is(vm.EQ, y, quotient))
			case 1:
				h.refuses(vm.LT, h.is(vm.ADD, x, y), x)
			default:
				h.refuses(vm.GT, h.is(vm.SUB, x, y), x)
			}
		}
		for range 1 + r.IntN(4) {
			op, a, b := tests[r.IntN(len(tests))], draw(), draw()
			if h.wants(op, a, b); r.IntN(2) == 0 {
				h.decisions[len(h.decisions)-1].taken = false
			}
		}
		if !h.terms[h.decisions[len(h.decisions)-1].condition].moves {
			continue
		}
		q, possible := h.search(), false
		for range h.solutions {
			if possible = true; !q.possible {
				t.Fatalf("refuted, and possible: %+v\n%+v", h.terms, h.decisions)
			}
			if x, y := &h.terms[1].value, &h.terms[2].value; !q.box[0].has(x) || !q.box[1].has(y) {
				t.Fatalf("the box %v is without %v, %v: %+v\n%+v", q.box, x, y, h.terms, h.decisions)
			}
		}
		if !possible {
			impossible++
		}
		if !q.possible {
			refuted++
		}
	}
	t.Logf("%d of %d impossible ones are refuted", refuted, impossible)
	if refuted*2 < impossible {
		t.Errorf("%d of %d impossible ones are refuted: fewer than half", refuted, impossible)
	}
}

// solutions are the values of the two numbers of which the conditions that move hold.
func (h *handmade) solutions(yield func() bool) {
	for x := range 256 {
		for y := range 256 {
			h.terms[1].value.SetUint64(uint64(x))
			if h.terms[2].value.SetUint64(uint64(y)); y >= 128 { // it is signed
				h.terms[2].value.Sub(&h.terms[2].value, uint256.NewInt(256))
			}
			for i := range h.terms {
				if term := &h.terms[i]; term.moves && term.variable < 0 {
					evaluate(term, h.terms, &term.value)
				}
			}
			all := true
			for _, d := range h.decisions {
				c := &h.terms[d.condition]
				all = all && (!c.moves || c.value.IsZero() != d.taken)
			}
			if all && !yield() {
				return
			}
		}
	}
}

// TestSimplify: what a search does not look at, and what it does.
func TestSimplify(t *testing.T) {
	number := Type{Kind: Uint, Bits: 64}
	for _, c := range []struct {
		name string
		make func(h *handmade)
		want int // conditions
	}{
		{"a condition that its type sees to", func(h *handmade) {
			h.wants(vm.EQ, h.p(0), h.is(vm.AND, h.p(0), h.number(1<<64-1)))
			h.wants(vm.GT, h.p(0), h.number(3))
		}, 1},
		{"one that comes up again", func(h *handmade) {
			h.wants(vm.LT, h.p(0), h.number(9))
			h.wants(vm.LT, h.p(0), h.number(9))
			h.wants(vm.GT, h.p(0), h.number(3))
		}, 2},
		{"one of another variable that holds", func(h *handmade) {
			h.wants(vm.LT, h.p(1), h.number(9))
			h.wants(vm.GT, h.p(0), h.number(3))
		}, 1},
		{"one of another variable that does not hold", func(h *handmade) {
			h.wants(vm.GT, h.p(1), h.number(9))
			h.wants(vm.GT, h.p(0), h.number(3))
		}, 2},
		{"one that a third one connects", func(h *handmade) {
			h.wants(vm.LT, h.p(1), h.number(9))
			h.wants(vm.EQ, h.p(1), h.p(2))
			h.refuses(vm.LT, h.p(0), h.p(2))
			h.wants(vm.GT, h.p(0), h.number(3))
		}, 4},
	} {
		h := newHandmade(t, number, number, number)
		c.make(h)
		if q := h.search(); len(q.wanted) != c.want || !q.possible {
			t.Errorf("%s: %d conditions are left, want %d", c.name, len(q.wanted), c.want)
		}
	}
}
