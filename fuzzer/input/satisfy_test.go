package input

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// system builds formulas by hand, for a call of numbers.
type handmade struct {
	*Formulas
	t *testing.T
}

// newHandmade is a call of a function of some types, all of whose arguments are 0.
func newHandmade(t *testing.T, types ...Type) *handmade {
	t.Helper()
	f := &Function{Name: "f"}
	call := Call{Function: f}
	for i := range types {
		f.Inputs = append(f.Inputs, types[i])
		call.Args = append(call.Args, Value{})
	}
	space := &Space{}
	seq := Sequence{call}
	h := &handmade{&Formulas{space: space, sequence: seq, variables: space.Variables(seq, 0), notes: new(Notes)}, t}
	h.terms = append(h.terms, term{op: vm.STOP, variable: -1})
	h.variables = slices.DeleteFunc(h.variables, func(v Variable) bool { return v.Word.Kind != LeafWord })
	for i := range h.variables {
		h.terms = append(h.terms, term{variable: int32(i), known: true, moves: true, of: 1 << i})
	}
	return h
}

// p is the term of an argument, from 0.
func (h *handmade) p(i int) int32 { return int32(1 + i) }

func (h *handmade) number(n uint64) int32 { return h.word(uint256.NewInt(n)) }

func (h *handmade) word(x *uint256.Int) int32 {
	h.terms = append(h.terms, term{variable: -1, value: *x, known: true})
	return int32(len(h.terms) - 1)
}

func (h *handmade) is(op vm.OpCode, a, b int32) int32 {
	r := reader{Formulas: h.Formulas}
	return r.compute(op, a, b, unknown)
}

// wants adds a condition that is to hold.
func (h *handmade) wants(op vm.OpCode, a, b int32) {
	h.decisions = append(h.decisions, decision{condition: h.is(op, a, b), jump: jump{taken: true}})
}

// solve searches for arguments that all conditions hold of.
func (h *handmade) solve(seed uint64, most int) Sequence {
	last := &h.decisions[len(h.decisions)-1]
	last.taken = !last.taken // what is searched for is its other side
	defer func() { last.taken = !last.taken }()
	return h.Satisfy(rand.New(rand.NewPCG(seed, 1)), len(h.decisions)-1, most).Sequence
}

// check computes all terms of a sequence's arguments, and fails when a condition does not hold.
func (h *handmade) check(seq Sequence) {
	h.t.Helper()
	terms := slices.Clone(h.terms)
	for i := range terms {
		switch t := &terms[i]; {
		case t.variable >= 0:
			t.value = seq[0].Args[t.variable].Word
		case t.moves:
			evaluate(t, terms, &t.value)
		}
	}
	for i, d := range h.decisions {
		if terms[d.condition].value.IsZero() == d.taken {
			h.t.Errorf("condition %d does not hold of %v", i, seq[0].Args)
		}
	}
}

var (
	u64, u128, u256 = Type{Kind: Uint, Bits: 64}, Type{Kind: Uint, Bits: 128}, Type{Kind: Uint, Bits: 256}
	i128            = Type{Kind: Int, Bits: 128}
)

// TestSystems: small systems, each with what makes it hard.
func TestSystems(t *testing.T) {
	systems := map[string]func(t *testing.T) *handmade{
		"a sum wraps within a small window": func(t *testing.T) *handmade { // p0 > p1 + p0 && p1 <= 35
			h := newHandmade(t, u256, u256)
			h.wants(vm.GT, h.p(0), h.is(vm.ADD, h.p(1), h.p(0)))
			h.wants(vm.LT, h.p(1), h.number(36))
			return h
		},
		"a sum of 64 bits wraps": func(t *testing.T) *handmade {
			h := newHandmade(t, u64, u64)
			h.wants(vm.LT, h.p(1), h.number(36))
			h.wants(vm.GT, h.p(0), h.is(vm.AND, h.is(vm.ADD, h.p(1), h.p(0)), h.number(1<<64-1)))
			return h
		},
		"two bytes of a word, read from where they are": func(t *testing.T) *handmade {
			h := newHandmade(t, u256)
			first := h.word(new(uint256.Int).Lsh(uint256.NewInt(0xff), 248))
			for i, want := range []uint64{0x42, 0x99} {
				h.wants(vm.EQ, h.is(vm.AND, h.is(vm.SHL, h.number(uint64(40+8*i)), h.p(0)), first), h.word(new(uint256.Int).Lsh(uint256.NewInt(want), 248)))
			}
			h.wants(vm.EQ, h.is(vm.BYTE, h.number(31), h.p(0)), h.number(7))
			h.wants(vm.GT, h.is(vm.SHR, h.number(8), h.p(0)), h.number(1<<40))
			return h
		},
		"a product and a sum": func(t *testing.T) *handmade {
			h := newHandmade(t, u256, u256)
			h.wants(vm.EQ, h.is(vm.MUL, h.p(0), h.p(1)), h.number(7919*104729))
			h.wants(vm.EQ, h.is(vm.ADD, h.p(0), h.p(1)), h.number(7919+104729))
			return h
		},
		"a factor less one": func(t *testing.T) *handmade { // p0·p1 == p1 + c, with p0 large
			h := newHandmade(t, i128, i128)
			h.wants(vm.EQ, h.is(vm.MUL, h.p(0), h.p(1)), h.is(vm.ADD, h.p(1), h.number(1_000_003*998_244_353)))
			h.wants(vm.SGT, h.p(0), h.number(1000))
			h.wants(vm.SLT, h.p(0), h.number(2_000_000))
			return h
		},
		"a chain whose last equality pins the first": func(t *testing.T) *handmade {
			h := newHandmade(t, u256, u256, u256)
			h.wants(vm.EQ, h.p(1), h.is(vm.ADD, h.is(vm.MUL, h.number(3), h.p(0)), h.number(11)))
			h.wants(vm.EQ, h.p(2), h.is(vm.SUB, h.is(vm.MUL, h.number(7), h.p(1)), h.p(0)))
			h.wants(vm.EQ, h.is(vm.MUL, h.p(0), h.p(2)), h.number(20*1234567*1234567+77*1234567))
			return h
		},
		"a total of what is computed of a product": func(t *testing.T) *handmade {
			h := newHandmade(t, u64, u128, u256, u256)
			net := h.is(vm.MUL, h.p(0), h.p(1))
			h.wants(vm.EQ, h.p(2), h.is(vm.DIV, h.is(vm.MUL, net, h.number(19)), h.number(100)))
			h.wants(vm.EQ, h.p(3), h.is(vm.ADD, net, h.p(2)))
			h.wants(vm.GT, h.p(0), h.number(12))
			h.wants(vm.GT, h.p(1), h.number(1e6))
			h.wants(vm.EQ, h.p(3), h.number(357_000_000_595))
			return h
		},
		"a square in another variable": func(t *testing.T) *handmade { // the last fixes p2, which is made of p1, which is made of p0
			h := newHandmade(t, u128, u256, u256)
			h.wants(vm.EQ, h.p(2), h.is(vm.ADD, h.is(vm.DIV, h.p(1), h.number(7)), h.p(0)))
			h.wants(vm.EQ, h.p(1), h.is(vm.MUL, h.p(0), h.is(vm.ADD, h.p(0), h.number(5))))
			h.wants(vm.EQ, h.p(2), h.number(987_654_321*987_654_326/7+987_654_321))
			return h
		},
		"an inverse modulo 2^256": func(t *testing.T) *handmade {
			h := newHandmade(t, u128, u256)
			h.wants(vm.EQ, h.is(vm.MUL, h.p(0), h.p(1)), h.number(1))
			h.wants(vm.GT, h.p(0), h.number(1e12))
			return h
		},
		"a quotient of many digits": func(t *testing.T) *handmade {
			h := newHandmade(t, u256, u256)
			h.wants(vm.GT, h.p(1), h.number(1e6))
			h.wants(vm.LT, h.p(0), h.is(vm.MUL, h.number(1e15), h.number(1e15)))
			h.wants(vm.EQ, h.is(vm.DIV, h.is(vm.MUL, h.p(0), h.number(1e18)), h.p(1)), h.number(1234567890123456789))
			return h
		},
		"a square root": func(t *testing.T) *handmade {
			h := newHandmade(t, u256)
			h.wants(vm.EQ, h.is(vm.ADD, h.is(vm.MUL, h.p(0), h.p(0)), h.p(0)), h.number(3037000499*3037000499+3037000499))
			return h
		},
	}
	for name, make := range systems {
		t.Run(name, func(t *testing.T) {
			solved := 0
			for seed := range uint64(5) {
				h := make(t)
				if seq := h.solve(seed, 20_000); seq != nil {
					solved++
					h.check(seq)
				}
			}
			if solved < 4 {
				t.Errorf("%d of 5 searches find a solution", solved)
			}
		})
	}
}

// TestSolutionsHold: whatever a search returns satisfies all conditions, for random systems around a witness; and most are
// solved.
func TestSolutionsHold(t *testing.T) {
	const systems = 60
	solved := 0
	for n := range uint64(systems) {
		r := rand.New(rand.NewPCG(n, 2))
		h := newHandmade(t, u64, u128, u256, i128)
		witness := make([]uint256.Int, len(h.variables))
		for i := range witness {
			witness[i] = randomWord(r, 60)
		}
		for range 2 + r.IntN(5) {
			x, y := h.p(r.IntN(4)), h.p(r.IntN(4))
			op := []vm.OpCode{vm.ADD, vm.SUB, vm.MUL}[r.IntN(3)]
			left := h.is(op, x, h.is(vm.ADD, y, h.number(r.Uint64N(100))))
			terms := slices.Clone(h.terms)
			for i := range terms {
				if t := &terms[i]; t.variable >= 0 {
					t.value = witness[t.variable]
				} else if t.moves {
					evaluate(t, terms, &t.value)
				}
			}
			value := terms[left].value
			switch r.IntN(3) {
			case 0:
				h.wants(vm.EQ, left, h.word(&value))
			case 1:
				h.wants(vm.LT, left, h.word(value.AddUint64(&value, 1+r.Uint64N(1000))))
			default:
				h.wants(vm.EQ, h.is(vm.LT, left, h.word(&value)), h.number(0))
			}
		}
		if seq := h.solve(n, 20_000); seq != nil {
			solved++
			h.check(seq)
		}
	}
	if solved < systems*8/10 {
		t.Errorf("%d of %d systems are solved", solved, systems)
	}
}

// TestSatisfyKeepsLengths: numbers that no formula is of stay as they are, the length of an array among them.
func TestSatisfyKeepsLengths(t *testing.T) {
	number := Type{Kind: Uint, Bits: 256}
	f := &Function{Name: "f", Inputs: []Type{{Kind: Array, Elem: &number}}}
	space := &Space{}
	seq := Sequence{{Function: f, Args: []Value{{Elems: []Value{{}, {}}}}}}
	h := &handmade{&Formulas{space: space, sequence: seq, variables: space.Variables(seq, 0), notes: new(Notes)}, t}
	h.terms = append(h.terms, term{op: vm.STOP, variable: -1})
	for i := range h.variables {
		if h.variables[i].Word.Kind == LeafWord {
			h.terms = append(h.terms, term{variable: int32(i), known: true, moves: true, of: 1 << i})
		}
	}
	h.wants(vm.EQ, h.p(1), h.number(7))
	solved := h.solve(1, 1000)
	if solved == nil {
		t.Fatal("nothing was found")
	}
	if list := solved[0].Args[0].Elems; len(list) != 2 || list[1].Word.Uint64() != 7 {
		t.Errorf("found %v", list)
	}
}
