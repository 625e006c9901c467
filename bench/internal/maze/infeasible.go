package maze

import (
	"math/big"
	"math/rand/v2"
)

// A contradiction is a few comparisons that no arguments satisfy together, in
// arithmetic that wraps as well as in checked one: what is proved modulo 2^n holds
// where overflow reverts, too.
type conflict struct {
	why  string
	draw func(r *rand.Rand, types *[Parameters]Type, family []int) []*Comparison
}

var conflicts = []conflict{
	{"an order cannot be a circle", circle},
	{"two ranges do not overlap", apart},
	{"a sum of even products is even", parity},
	{"a square is 0 or 1 modulo 4", square},
}

// contradiction draws one.
func contradiction(r *rand.Rand, types *[Parameters]Type) ([]*Comparison, string) {
	c := conflicts[r.IntN(len(conflicts))]
	return c.draw(r, types, familyOf(r, types)), c.why
}

// circle is p < q, q < …, … <= p.
func circle(r *rand.Rand, types *[Parameters]Type, family []int) []*Comparison {
	n := 2 + r.IntN(min(3, len(family)-1))
	order := r.Perm(len(family))[:n]
	var all []*Comparison
	for i := range order {
		operator := "<"
		if i == n-1 && r.IntN(2) == 0 {
			operator = "<="
		}
		all = append(all, &Comparison{parameter(family[order[i]], types), parameter(family[order[(i+1)%n]], types), operator})
	}
	return all
}

// apart is p <= c and p > c, with a gap between or none.
func apart(r *rand.Rand, types *[Parameters]Type, family []int) []*Comparison {
	p := parameter(family[r.IntN(len(family))], types)
	low := drawNumber(r, p.typ)
	high := new(big.Int).Add(low, big.NewInt(r.Int64N(100)))
	if !p.typ.fits(high) {
		high = low
	}
	below := []string{"<=", "=="}[r.IntN(2)]
	return []*Comparison{{p, constant(low, p.typ), below}, {p, constant(high, p.typ), ">"}}
}

// parity is 2a·p + 2b·q == an odd number: reduction modulo 2^n keeps the last bit.
func parity(r *rand.Rand, types *[Parameters]Type, family []int) []*Comparison {
	product := func() *expression {
		p := parameter(family[r.IntN(len(family))], types)
		return operation(constant(big.NewInt(2+2*r.Int64N(40)), p.typ), '*', p)
	}
	sum := operation(product(), '+', product())
	odd := drawNumber(r, sum.typ)
	return []*Comparison{{sum, constant(odd.SetBit(odd, 0, 1), sum.typ), "=="}}
}

// square is p·p == c with c 2 or 3 modulo 4: reduction modulo 2^n keeps the last two
// bits.
func square(r *rand.Rand, types *[Parameters]Type, family []int) []*Comparison {
	p := parameter(family[r.IntN(len(family))], types)
	c := new(big.Int).Abs(drawNumber(r, p.typ))
	c.SetBit(c, 1, 1)
	return []*Comparison{{operation(p, '*', p), constant(c, p.typ), "=="}}
}
