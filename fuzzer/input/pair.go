package input

import (
	"math/big"
	"math/bits"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// equality is a condition that two terms are equal.
type equality struct{ left, right int32 }

// equalityOf is the equality that a condition asks for; false when it asks for none. What
// solc makes of `!=` is a difference that is not zero.
func (q *satisfaction) equalityOf(d decision) (equality, bool) {
	at, truth := d.condition, d.taken
	for q.terms[at].op == vm.ISZERO {
		at, truth = q.terms[at].args[0], !truth
	}
	switch t := &q.terms[at]; {
	case t.op == vm.EQ:
		return equality{t.args[0], t.args[1]}, truth
	case t.isTruth():
		return equality{}, false
	case t.op == vm.SUB:
		return equality{t.args[0], t.args[1]}, !truth
	}
	return equality{at, unknown}, !truth // the value of the unknown term is zero
}

// gap is by how much an equality fails.
func (e equality) gap(terms []term) *big.Int {
	var d uint256.Int
	return signed(d.Sub(&terms[e.left].value, &terms[e.right].value))
}

// together sets goals with which an equality that fails should hold, and one that holds still
// does: a step of two variables that leaves the other as it is, as far as a change of each by
// 1 tells. Mended one after the other, two equalities of the same unknowns undo each other.
func (q *satisfaction) together(at int) bool {
	failing, ok := q.equalityOf(q.wanted[at])
	if !ok || len(q.equal) == 0 {
		return false
	}
	holding := q.equal[q.rand.IntN(len(q.equal))]
	gap, rest := failing.gap(q.terms), holding.gap(q.terms)
	if holding == failing || rest.Sign() != 0 {
		return false
	}
	x, y := q.variable(holding, -1), 0
	if y = q.variable(holding, x); q.depends(failing)>>x&1 == 0 && q.depends(failing)>>y&1 == 0 {
		return false
	}
	var slopes, turns [2]*big.Int
	for i, v := range []int{x, y} {
		slopes[i], turns[i] = q.slopes(v, failing, holding, gap)
	}
	step := [2]*big.Int{turns[1], new(big.Int).Neg(turns[0])}
	if step[0].Sign() == 0 || step[1].Sign() == 0 {
		return false // a step of one variable does
	}
	divisor := new(big.Int).GCD(nil, nil, new(big.Int).Abs(step[0]), new(big.Int).Abs(step[1]))
	slope := new(big.Int)
	for i := range step {
		step[i].Quo(step[i], divisor)
		slope.Add(slope, new(big.Int).Mul(step[i], slopes[i]))
	}
	if slope.Sign() == 0 {
		return false
	}
	times, remainder := new(big.Int).QuoRem(new(big.Int).Neg(gap), slope, new(big.Int))
	if remainder.Sign() != 0 {
		return false
	}
	for i, v := range []int{x, y} {
		change, _ := uint256.FromBig(new(big.Int).Mod(step[i].Mul(step[i], times), whole))
		change.Add(change, &q.values[v])
		if !q.set(int32(v), change) {
			q.goals = q.goals[:0]
			return false
		}
	}
	return true
}

// depends are the variables of an equality.
func (q *satisfaction) depends(e equality) uint32 { return q.terms[e.left].of | q.terms[e.right].of }

// variable draws one of an equality's, but another one.
func (q *satisfaction) variable(e equality, but int) int {
	all := q.depends(e)
	if but >= 0 {
		all &^= 1 << but
	}
	for range q.rand.IntN(bits.OnesCount32(all)) {
		all &= all - 1
	}
	return bits.TrailingZeros32(all)
}

// slopes are what a change of a variable by 1 does to two equalities, of which the second
// holds.
func (q *satisfaction) slopes(variable int, failing, holding equality, gap *big.Int) (slope, turn *big.Int) {
	q.values[variable].AddUint64(&q.values[variable], 1)
	q.compute()
	slope, turn = failing.gap(q.terms), holding.gap(q.terms)
	slope.Sub(slope, gap)
	q.values[variable].SubUint64(&q.values[variable], 1)
	q.restore()
	return slope, turn
}
