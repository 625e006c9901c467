package input

import "math/big"

const (
	// pairsPerStep is how many values of two variables are compared at once. Arbitrary.
	pairsPerStep = 24
	// maxProduct: larger products are not taken apart, in bits: factoring takes too long.
	maxProduct = 512
)

// bilinear is what an equality is of two variables x and y, while all others stay: both·x·y + first·x + second·y + constant = 0.
type bilinear struct{ both, first, second, constant *big.Int }

// bilinear reads it off values next to zero; false where it is more than that, or less.
func (q *satisfaction) bilinear(c *wish, x, y int) (e bilinear, ok bool) {
	at := func(a, b int64) *big.Int {
		return q.gapAt(c, setting{x, q.ints.next().SetInt64(a)}, setting{y, q.ints.next().SetInt64(b)})
	}
	e.constant = at(0, 0)
	e.first, e.second = at(1, 0), at(0, 1)
	e.first.Sub(e.first, e.constant)
	e.second.Sub(e.second, e.constant)
	e.both = at(1, 1)
	e.both.Sub(e.both, e.constant).Sub(e.both, e.first).Sub(e.both, e.second)
	return e, e.of(big.NewInt(3), big.NewInt(5)).Cmp(at(3, 5)) == 0 && (e.both.Sign() != 0 || e.first.Sign() != 0 && e.second.Sign() != 0)
}

// of is what is to be zero.
func (e *bilinear) of(x, y *big.Int) *big.Int {
	sum := new(big.Int).Mul(e.both, x)
	sum.Add(sum, e.second).Mul(sum, y)
	sum.Add(sum, e.constant)
	return sum.Add(sum, new(big.Int).Mul(e.first, x))
}

// pairs considers values of two variables with which an equality holds.
func (q *satisfaction) pairs(at int) {
	c := &q.wanted[at]
	if !c.equates() {
		return
	}
	all := c.variables(q.terms)
	x := q.among(all)
	if x < 0 {
		return
	}
	y := q.among(all &^ (1 << x))
	if y < 0 {
		return
	}
	e, ok := q.bilinear(c, x, y)
	if !ok {
		return
	}
	consider := func(a, b *big.Int) {
		if q.goals = q.goals[:0]; q.aim(x, a) && q.aim(y, b) {
			q.consider()
		}
	}
	if e.both.Sign() == 0 {
		q.onLine(&e, x, y, consider)
		return
	}
	q.byDivisors(&e, consider)
}

// onLine considers whole numbers on a line: the next to what the first variable is, to what the second is, and any others.
func (q *satisfaction) onLine(e *bilinear, x, y int, consider func(a, b *big.Int)) {
	// first·x + second·y = −constant: all solutions from one, in steps of the other's coefficient.
	s, t := new(big.Int), new(big.Int)
	divisor := q.ints.next().GCD(s, t, q.ints.next().Abs(e.first), q.ints.next().Abs(e.second))
	times, rest := q.ints.over(q.ints.negated(e.constant), divisor)
	if rest.Sign() != 0 {
		return
	}
	s.Mul(s, times).Mul(s, big.NewInt(int64(e.first.Sign())))
	t.Mul(t, times).Mul(t, big.NewInt(int64(e.second.Sign())))
	dx, dy := q.ints.next().Quo(e.second, divisor), q.ints.negated(q.ints.next().Quo(e.first, divisor))
	steps := []*big.Int{
		q.ints.next().Div(q.ints.minus(q.number(x), s), dx), q.ints.next().Div(q.ints.minus(q.number(y), t), dy),
		q.ints.next().Div(q.ints.negated(s), dx), q.ints.next().Div(q.ints.negated(t), dy),
	}
	for i := 0; i < len(steps) && len(steps) < pairsPerStep/2; i++ {
		wide := randomWord(q.rand, max(1, steps[i].BitLen()))
		steps = append(steps, q.ints.plus(steps[i], one), q.ints.minus(steps[i], wide.ToBig()))
	}
	for _, k := range steps {
		consider(q.ints.plus(s, q.ints.next().Mul(k, dx)), q.ints.plus(t, q.ints.next().Mul(k, dy)))
	}
}

// byDivisors considers whole numbers on a hyperbola: (both·x + second)·(both·y + first) = first·second − both·constant.
func (q *satisfaction) byDivisors(e *bilinear, consider func(a, b *big.Int)) {
	product := q.ints.next().Mul(e.first, e.second)
	product.Sub(product, q.ints.next().Mul(e.both, e.constant))
	if product.BitLen() > maxProduct {
		return
	}
	var all []*big.Int
	if product.Sign() == 0 { // one factor is zero, and the other is anything
		all = append(all, new(big.Int))
	} else {
		var work int
		all, work = q.notes.factors.divisors(product)
		q.apart += work
	}
	begin, tried := q.rand.IntN(len(all)), 0
	for i := range all {
		d := all[(begin+i)%len(all)]
		for sign := range 2 {
			if sign == 1 {
				d = q.ints.negated(d)
			}
			x, rest := q.ints.over(q.ints.minus(d, e.second), e.both)
			if rest.Sign() != 0 {
				continue
			}
			slope := q.ints.plus(e.second, q.ints.next().Mul(e.both, x))
			if slope.Sign() == 0 {
				continue
			}
			y := q.ints.plus(e.constant, q.ints.next().Mul(e.first, x))
			if y.Neg(y).QuoRem(y, slope, rest); rest.Sign() != 0 {
				continue
			}
			consider(x, y)
			tried++
		}
		if tried >= pairsPerStep {
			return
		}
	}
}
