package input

import (
	"math/big"

	"github.com/holiman/uint256"
)

// together sets goals with which an equality that fails should hold, and one that holds still
// does: a step of two variables that leaves the other as it is, as far as a change of each by
// 1 tells. Mended one after the other, two equalities of the same unknowns undo each other.
func (q *satisfaction) together(at int) bool {
	failing := &q.wanted[at]
	if !failing.equates() {
		return false
	}
	holding := q.holding()
	if holding == nil {
		return false
	}
	gap := q.gapOf(failing)
	shared := failing.variables(q.terms)
	x := q.among(holding.variables(q.terms))
	y := q.among(holding.variables(q.terms) &^ (1 << x))
	if y < 0 || shared>>x&1 == 0 && shared>>y&1 == 0 {
		return false
	}
	var slopes, turns [2]*big.Int
	for i, v := range []int{x, y} {
		slopes[i], turns[i] = q.slopes(v, failing, holding, gap)
	}
	step := [2]*big.Int{turns[1], q.ints.negated(turns[0])}
	if step[0].Sign() == 0 || step[1].Sign() == 0 {
		return false // a step of one variable does
	}
	divisor := q.ints.next().GCD(nil, nil, q.ints.next().Abs(step[0]), q.ints.next().Abs(step[1]))
	slope := q.ints.next().SetInt64(0)
	for i := range step {
		step[i].Quo(step[i], divisor)
		slope.Add(slope, q.ints.next().Mul(step[i], slopes[i]))
	}
	if slope.Sign() == 0 {
		return false
	}
	times, remainder := q.ints.over(q.ints.negated(gap), slope)
	if remainder.Sign() != 0 {
		return false
	}
	for i, v := range []int{x, y} {
		change, _ := uint256.FromBig(q.ints.next().Mod(step[i].Mul(step[i], times), whole))
		change.Add(change, &q.values[v])
		if !q.set(int32(v), change) {
			q.goals = q.goals[:0]
			return false
		}
	}
	return true
}

// holding draws an equality that holds; nil where there is none.
func (q *satisfaction) holding() *wish {
	var all []*wish
	for i := range q.wanted {
		if c := &q.wanted[i]; q.holds[i] && c.equates() {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[q.rand.IntN(len(all))]
}

// slopes are what a change of a variable by 1 does to two equalities, of which the second
// holds.
func (q *satisfaction) slopes(variable int, failing, holding *wish, gap *big.Int) (slope, turn *big.Int) {
	next := setting{variable, q.ints.plus(q.number(variable), one)}
	slope = q.gapAt(failing, next)
	return slope.Sub(slope, gap), q.gapAt(holding, next)
}
