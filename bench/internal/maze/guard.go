package maze

import (
	"math/big"
	"math/rand/v2"
)

// maxComparisons is the most that a guard is a conjunction of.
const maxComparisons = 15

// Guard is the conjunction of comparisons in front of an assertion.
type Guard struct {
	Comparisons []*Comparison
	Checked     bool // arithmetic that overflows reverts; else it wraps
	// Witness are arguments that all comparisons hold of, those of a contradiction apart.
	Witness [Parameters]*big.Int
	// Contradiction says why no arguments satisfy the guard; empty: the witness does.
	Contradiction string

	groups []int // sizes of what && joins; ifs are nested between
}

// Holds reports whether arguments satisfy the guard.
func (g *Guard) Holds(arguments *[Parameters]*big.Int) bool {
	for _, c := range g.Comparisons {
		if !c.holds(arguments, g.Checked) {
			return false
		}
	}
	return true
}

// newGuard draws a witness and comparisons that hold for it; some guards get a few more,
// which are mutually exclusive.
func newGuard(r *rand.Rand, types *[Parameters]Type) *Guard {
	g := &Guard{Checked: r.IntN(2) == 0}
	for i := range g.Witness {
		g.Witness[i] = drawNumber(r, types[i])
	}
	n := 1 + r.IntN(maxComparisons)
	if r.IntN(infeasibleShare) == 0 {
		var planted []*Comparison
		planted, g.Contradiction = contradiction(r, types)
		n = max(n-len(planted), 0)
		g.Comparisons = planted
	}
	for range n {
		g.Comparisons = append(g.Comparisons, g.comparison(r, types))
	}
	r.Shuffle(len(g.Comparisons), func(i, j int) {
		g.Comparisons[i], g.Comparisons[j] = g.Comparisons[j], g.Comparisons[i]
	})
	for left := len(g.Comparisons); left > 0; left -= g.groups[len(g.groups)-1] {
		size := 1
		for size < left && r.IntN(3) == 0 { // a third of the joints are &&, arbitrary
			size++
		}
		g.groups = append(g.groups, size)
	}
	return g
}

// drawNumber draws a number: of the sizes that contracts have as well as of any.
func drawNumber(r *rand.Rand, t Type) *big.Int {
	sizes := []int{4, 8, 16, t.Bits / 2, t.Bits - 1}
	x := randomBits(r, 1+r.IntN(min(sizes[r.IntN(len(sizes))], t.Bits-1)))
	if t.Signed && r.IntN(2) == 0 {
		x.Neg(x)
	}
	return x
}

// randomBits is a random number of exactly so many bits.
func randomBits(r *rand.Rand, bits int) *big.Int {
	x := new(big.Int)
	for range (bits + 63) / 64 {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(r.Uint64()))
	}
	x.Rsh(x, uint((bits+63)/64*64-bits))
	return x.SetBit(x, bits-1, 1)
}

// comparison draws one that holds of the witness, its operator first, so that each is
// as frequent as the others. Most draws do: equalities are made to.
func (g *Guard) comparison(r *rand.Rand, types *[Parameters]Type) *Comparison {
	names := []string{"==", "!=", "<", "<=", ">", ">="}
	operator := names[r.IntN(len(names))]
	for {
		family := familyOf(r, types)
		left := drawTerm(r, types, family)
		x := left.value(&g.Witness, g.Checked)
		if x == nil {
			continue
		}
		var right *expression
		switch {
		case operator == "==":
			right = g.equal(r, types, family, left, x)
		case r.IntN(2) == 0:
			right = constant(near(r, x, left.typ), left.typ)
		default:
			right = drawTerm(r, types, family)
		}
		c := &Comparison{left, right, operator}
		if c.holds(&g.Witness, g.Checked) && !same(left, right) {
			return c
		}
	}
}

// familyOf draws the parameters of one signedness: Solidity compares no others.
func familyOf(r *rand.Rand, types *[Parameters]Type) []int {
	signed := r.IntN(2) == 0
	var family []int
	for i, t := range types {
		if t.Signed == signed {
			family = append(family, i)
		}
	}
	return family
}

// drawTerm draws one side of a comparison.
func drawTerm(r *rand.Rand, types *[Parameters]Type, family []int) *expression {
	order := r.Perm(len(family)) // of two parameters: a drawn twice would cancel out
	p, q := parameter(family[order[0]], types), parameter(family[order[1]], types)
	small := func() *expression { return constant(big.NewInt(2+r.Int64N(98)), p.typ) }
	switch r.IntN(7) {
	case 0:
		return operation(operation(small(), '*', p), '+', small())
	case 1:
		return operation(p, '+', q)
	case 2:
		return operation(p, '-', q)
	case 3:
		return operation(p, '*', q)
	case 4:
		return operation(operation(small(), '*', p), '+', q)
	}
	return p
}

// near is a number not far from x, as far as x goes: the gap has any number of bits up
// to those of x and a few more.
func near(r *rand.Rand, x *big.Int, t Type) *big.Int {
	gap := randomBits(r, 1+r.IntN(x.BitLen()+3))
	if r.IntN(2) == 0 {
		gap.Neg(gap)
	}
	if sum := gap.Add(gap, x); t.fits(sum) {
		return sum
	}
	return x
}

// equal is an expression that is x of the witness: a constant, or a parameter and what
// it lacks.
func (g *Guard) equal(r *rand.Rand, types *[Parameters]Type, family []int, left *expression, x *big.Int) *expression {
	p := parameter(family[r.IntN(len(family))], types)
	lacking := new(big.Int).Sub(x, g.Witness[p.parameter])
	if r.IntN(2) == 0 || !p.typ.fits(lacking) || same(left, p) {
		return constant(x, left.typ)
	}
	return operation(p, '+', constant(lacking, p.typ))
}

// same reports whether two expressions are written alike: comparing them says nothing.
func same(a, b *expression) bool { return a.String() == b.String() }
