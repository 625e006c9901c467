package input

import (
	"math/big"
	"slices"
)

// Moves reports whether any way changes the operands of a branch.
func (s *System) Moves(target int) bool {
	return slices.ContainsFunc(s.ways, func(w *Way) bool { return w.moves(target) })
}

// Hard reports whether getting through a branch means equality, and no way alone leads there.
func (s *System) Hard(target int) bool {
	return s.branches[target].relation(true) == equal && !slices.ContainsFunc(s.ways, func(w *Way) bool {
		return w.moves(target) && new(big.Int).Rem(s.gap(target), w.slopes[target]).Sign() == 0
	})
}

// Reach proposes values for the variables with which a branch should take its other
// side and those before it the same as now, the plainest first: along one way; where an
// equality has no whole solution, one modulo a power of two, as the EVM computes; along
// several ways, found by local search. trials is how many moves the search weighed.
func (s *System) Reach(r Rand, target int) (values [][]*big.Int, trials int) {
	q := &quest{System: s, target: target}
	for _, w := range s.ways {
		if w.knows(target) {
			q.ways = append(q.ways, w)
		}
	}
	for i := range s.branches[:target+1] {
		if s.loops[i] && i < target {
			continue // whether it is gone round decides nothing of what comes behind it
		}
		if slices.ContainsFunc(q.ways, func(w *Way) bool { return w.moves(i) }) {
			q.rows = append(q.rows, i)
			q.wants = append(q.wants, s.branches[i].relation(i == target))
		}
	}
	if len(q.rows) == 0 || q.rows[len(q.rows)-1] != target {
		return nil, 0 // nothing moves it
	}
	q.alone()
	q.modular()
	for range searches {
		q.search(r)
	}
	return q.found, q.trials
}

// searches is how often the local search begins anew. Arbitrary.
const searches = 4

// quest is one search.
type quest struct {
	*System
	target int
	ways   []*Way
	rows   []int // that any way moves, the target last
	wants  []relation
	found  [][]*big.Int
	trials int
}

// propose keeps the values after a step, if they fit and are new.
func (q *quest) propose(step []*big.Int) {
	values, fits := q.after(step)
	if !fits {
		return
	}
	for _, known := range q.found {
		if slices.EqualFunc(known, values, func(x, y *big.Int) bool { return x.Cmp(y) == 0 }) {
			return
		}
	}
	q.found = append(q.found, values)
}

// times is a step of a way, so many times.
func times(w *Way, t *big.Int) []*big.Int {
	step := make([]*big.Int, len(w.step))
	for i := range step {
		step[i] = new(big.Int).Mul(w.step[i], t)
	}
	return step
}

// span is a range of whole numbers; nil: no end.
type span struct{ low, high *big.Int }

func (s *span) least(x *big.Int) {
	if s.low == nil || x.Cmp(s.low) > 0 {
		s.low = x
	}
}

func (s *span) most(x *big.Int) {
	if s.high == nil || x.Cmp(s.high) < 0 {
		s.high = x
	}
}

func (s *span) empty() bool { return s.low != nil && s.high != nil && s.low.Cmp(s.high) > 0 }

// within narrows the span to where gap + t·slope is as wanted; slope is not 0. That two
// operands differ narrows nothing.
func (s *span) within(want relation, gap, slope *big.Int) {
	low, high := want == above || want == atLeast || want == equal, want == below || want == atMost || want == equal
	var least, most big.Int
	if want == above {
		least.SetInt64(1)
	}
	if want == below {
		most.SetInt64(-1)
	}
	if low {
		s.bound(least.Sub(&least, gap), slope, true)
	}
	if high {
		s.bound(most.Sub(&most, gap), slope, false)
	}
}

// bound narrows to t·slope at least, or at most, x, which is the span's from here on.
func (s *span) bound(x, slope *big.Int, atLeast bool) {
	if slope.Sign() < 0 {
		x, slope, atLeast = new(big.Int).Neg(x), new(big.Int).Neg(slope), !atLeast
	}
	t := x
	if slope.Cmp(one) != 0 { // mostly it is
		var rest big.Int
		t, _ = new(big.Int).DivMod(x, slope, &rest) // rounded down: the slope is above zero
		if atLeast && rest.Sign() != 0 {
			t.Add(t, one)
		}
	}
	if atLeast {
		s.least(t)
	} else {
		s.most(t)
	}
}

// fit narrows the span to steps that stay within the variables' bounds.
func (s *span) fit(v *Variable, value, step *big.Int) {
	if step.Sign() == 0 {
		return
	}
	s.bound(new(big.Int).Sub(v.least, value), step, true)
	s.bound(new(big.Int).Sub(v.most, value), step, false)
}

// alone looks along one way for where all branches are as wanted. The nearest place is
// proposed, and one anywhere: what comes next may want more.
func (q *quest) alone() {
	for _, w := range q.ways {
		if !w.moves(q.target) {
			continue
		}
		var s span
		for i := range q.Variables {
			s.fit(&q.Variables[i], q.Variables[i].Value, w.step[i])
		}
		for n, i := range q.rows {
			if w.moves(i) {
				s.within(q.wants[n], q.gap(i), w.slopes[i])
			} else if !q.wants[n].holds(q.gap(i)) {
				s.least(one)
				s.most(new(big.Int))
			}
		}
		if s.empty() {
			continue
		}
		t := nearest(&s)
		if !q.differs(w, t) {
			if t = q.near(w, &s, t); t == nil {
				continue
			}
		}
		q.propose(times(w, t))
	}
}

// nearest is the number of a span that is not empty next to zero.
func nearest(s *span) *big.Int {
	switch {
	case s.low != nil && s.low.Sign() > 0:
		return s.low
	case s.high != nil && s.high.Sign() < 0:
		return s.high
	}
	return new(big.Int)
}

// differs reports whether what has to differ does after so many steps of a way.
func (q *quest) differs(w *Way, t *big.Int) bool {
	for n, i := range q.rows {
		if q.wants[n] == different && w.moves(i) {
			gap := new(big.Int).Mul(t, w.slopes[i])
			if gap.Add(gap, q.gap(i)).Sign() == 0 {
				return false
			}
		}
	}
	return true
}

// near is a number of the span close to another one, with which what has to differ
// does; nil when none of the closest few is.
func (q *quest) near(w *Way, s *span, t *big.Int) *big.Int {
	for distance := int64(1); distance <= int64(len(q.rows))+1; distance++ {
		for _, x := range []*big.Int{new(big.Int).Add(t, big.NewInt(distance)), new(big.Int).Sub(t, big.NewInt(distance))} {
			if (s.low == nil || x.Cmp(s.low) >= 0) && (s.high == nil || x.Cmp(s.high) <= 0) && q.differs(w, x) {
				return x
			}
		}
	}
	return nil
}

// modular solves an equality that has no whole solution along a way modulo 2^n, n the
// bits of a variable: arithmetic that wraps does.
func (q *quest) modular() {
	if q.wants[len(q.wants)-1] != equal {
		return
	}
	gap := q.gap(q.target)
	for _, w := range q.ways {
		variable := w.variable()
		if variable < 0 || !w.moves(q.target) {
			continue
		}
		v := &q.Variables[variable]
		size := new(big.Int).Sub(v.most, v.least)
		size.Add(size, one)
		if size.TrailingZeroBits() != uint(size.BitLen()-1) {
			continue // the value or the time
		}
		slope, goal := new(big.Int).Set(w.slopes[q.target]), new(big.Int).Neg(gap)
		shared := slope.TrailingZeroBits()
		if goal.TrailingZeroBits() < shared {
			continue
		}
		slope.Rsh(slope, shared)
		goal.Rsh(goal, shared)
		inverse := new(big.Int).ModInverse(new(big.Int).Mod(slope, size), size)
		if inverse == nil {
			continue
		}
		t := inverse.Mul(inverse, goal)
		t.Mul(t, w.step[variable])
		t.Add(t, v.Value).Sub(t, v.least).Mod(t, size).Add(t, v.least)
		step := q.none()
		step[variable].Sub(t, v.Value)
		q.propose(step)
	}
}

// maxFactor is the largest factor of a product that is looked for. Arbitrary; each costs a
// division or two.
const maxFactor = 256

// maxFactored bounds the proposals of products. Arbitrary.
const maxFactored = 6

// Factor proposes values with which an equality whose operands hold the product of two
// variables holds: gap + a·u + b·v + ab·k = 0, u and v the slopes of the two and k what
// both do together beyond that. For a factor q = u + b·k of what is left, a is whole. Those
// come first that leave the branches before it as they are, as far as the slopes and
// products tell, in random order.
func (s *System) Factor(r Rand, target int) [][]*big.Int {
	if s.branches[target].relation(true) != equal {
		return nil
	}
	q := &quest{System: s, target: target}
	var doubtful [][]*big.Int
	for _, pair := range s.pairs {
		if !pair.knows(target) {
			continue
		}
		for _, order := range [][2]*Way{{pair.parts[0], pair.parts[1]}, {pair.parts[1], pair.parts[0]}} {
			good, others := q.factor(pair, order[0], order[1])
			for _, step := range good {
				q.propose(step)
			}
			doubtful = append(doubtful, others...)
		}
	}
	for i := len(q.found) - 1; i > 0; i-- {
		j := r.IntN(i + 1)
		q.found[i], q.found[j] = q.found[j], q.found[i]
	}
	for len(q.found) < maxFactored/2 && len(doubtful) > 0 {
		i := r.IntN(len(doubtful))
		q.propose(doubtful[i])
		doubtful = slices.Delete(doubtful, i, i+1)
	}
	return q.found[:min(len(q.found), maxFactored)]
}

// factor lists steps of two ways after which the equality holds; others are those after
// which a branch before it may turn off.
func (q *quest) factor(pair, u, v *Way) (good, others [][]*big.Int) {
	k := q.cross(pair, q.target)
	if k.Sign() == 0 {
		return nil, nil
	}
	for n := int64(-maxFactor); n <= maxFactor; n++ {
		if n == 0 {
			continue
		}
		factor := big.NewInt(n)
		b, rest := new(big.Int).QuoRem(new(big.Int).Sub(factor, u.slopes[q.target]), k, new(big.Int))
		if rest.Sign() != 0 {
			continue
		}
		left := new(big.Int).Mul(b, v.slopes[q.target])
		left.Add(left, q.gap(q.target)).Neg(left)
		a, rest := left.QuoRem(left, factor, rest)
		if rest.Sign() != 0 {
			continue
		}
		step := times(u, a)
		step[v.variable()] = new(big.Int).Mul(v.step[v.variable()], b)
		if _, fits := q.after(step); !fits {
			continue
		}
		if q.keeps(pair, u, v, a, b) {
			good = append(good, step)
		} else {
			others = append(others, step)
		}
	}
	return good, others
}

// cross is what two ways do to a branch beyond what each does alone.
func (q *quest) cross(pair *Way, i int) *big.Int {
	k := new(big.Int)
	if pair.knows(i) && pair.parts[0].knows(i) && pair.parts[1].knows(i) {
		k.Sub(pair.slopes[i], pair.parts[0].slopes[i]).Sub(k, pair.parts[1].slopes[i])
	}
	return k
}

// keeps reports whether the branches before the target stay as they are after a steps of u
// and b of v.
func (q *quest) keeps(pair, u, v *Way, a, b *big.Int) bool {
	both := new(big.Int).Mul(a, b)
	for i := range q.branches[:q.target] {
		gap := new(big.Int).Mul(a, u.slopes[i])
		gap.Add(gap, new(big.Int).Mul(b, v.slopes[i]))
		gap.Add(gap, new(big.Int).Mul(both, q.cross(pair, i)))
		if !q.branches[i].relation(false).holds(gap.Add(gap, q.gap(i))) {
			return false
		}
	}
	return true
}

// Bounds of the local search. Arbitrary: of the systems in bench/mazes that it solves,
// most take less than 20 moves.
const (
	maxMoves = 60
	// tabu is how many moves pass before a way is taken back.
	tabu = 3
)

// search is local search for integer arithmetic (Cai, Li and Zhang, CAV 2022): as long
// as a branch is not as wanted, take one that is not, and of the moves along a way that
// make it so, by as little as possible, the one that leaves least amiss. Branches that
// stay amiss weigh more.
func (q *quest) search(r Rand) {
	at := state{
		gaps: make([]*big.Int, len(q.rows)), step: q.none(),
		weights: make([]int, len(q.rows)), moved: make([]int, len(q.ways)),
	}
	for n, i := range q.rows {
		at.gaps[n], at.weights[n] = new(big.Int).Set(q.gap(i)), 1
	}
	for at.move = 1; at.move <= maxMoves; at.move++ {
		amiss := q.amiss(&at)
		if len(amiss) == 0 {
			q.propose(at.step)
			return
		}
		way, t := q.best(r, &at, amiss[r.IntN(len(amiss))])
		for _, n := range amiss {
			at.weights[n]++
		}
		if way >= 0 {
			q.walk(&at, q.ways[way], t)
			at.moved[way] = at.move
		}
	}
}

// state is where a search is.
type state struct {
	gaps    []*big.Int // by row
	step    []*big.Int // from the System's input
	weights []int      // by row
	moved   []int      // by way, when it was gone last; 0: never
	move    int        // the number of the present one, from 1
}

// amiss lists the rows that are not as wanted.
func (q *quest) amiss(at *state) []int {
	var amiss []int
	for n := range q.rows {
		if !q.wants[n].holds(at.gaps[n]) {
			amiss = append(amiss, n)
		}
	}
	return amiss
}

// best is the way that mends a row and leaves least amiss, any of those that are alike,
// and how often to go it; −1 when none mends it.
func (q *quest) best(r Rand, at *state, row int) (way int, by *big.Int) {
	way = -1
	cost, alike := 0, 0
	for k, w := range q.ways {
		if !w.moves(q.rows[row]) || at.moved[k] > 0 && at.move-at.moved[k] <= tabu {
			continue
		}
		q.trials++
		t := q.critical(at, row, w)
		if t == nil || t.Sign() == 0 {
			continue
		}
		switch c := q.cost(at, w, t); {
		case way < 0 || c < cost:
			way, cost, by, alike = k, c, t, 1
		case c == cost:
			if alike++; oneIn(r, alike) {
				way, by = k, t
			}
		}
	}
	return way, by
}

// critical is how often a way has to be gone for a row to be as wanted, as little as
// possible and within the variables' bounds; as near as whole numbers come for an
// equality. Nil when that is not possible.
func (q *quest) critical(at *state, row int, w *Way) *big.Int {
	slope := w.slopes[q.rows[row]]
	var s span
	var value big.Int
	for i := range q.Variables {
		if w.step[i].Sign() != 0 { // most ways change one
			s.fit(&q.Variables[i], value.Add(q.Variables[i].Value, at.step[i]), w.step[i])
		}
	}
	if s.empty() {
		return nil
	}
	var t *big.Int
	switch q.wants[row] {
	case different:
		t = big.NewInt(1)
		if s.high != nil && s.high.Sign() <= 0 {
			t.SetInt64(-1)
		}
	case equal:
		t = new(big.Int).Neg(at.gaps[row])
		t.Quo(t, slope) // towards zero
	default:
		var wanted span
		wanted.within(q.wants[row], at.gaps[row], slope)
		t = new(big.Int).Set(nearest(&wanted))
	}
	if s.low != nil && t.Cmp(s.low) < 0 {
		t = s.low
	}
	if s.high != nil && t.Cmp(s.high) > 0 {
		t = s.high
	}
	return t
}

// cost weighs what is amiss after going a way.
func (q *quest) cost(at *state, w *Way, t *big.Int) int {
	cost := 0
	var gap big.Int
	for n, i := range q.rows {
		gap.Mul(t, w.slopes[i])
		if !q.wants[n].holds(gap.Add(&gap, at.gaps[n])) {
			cost += at.weights[n]
		}
	}
	return cost
}

// walk goes a way.
func (q *quest) walk(at *state, w *Way, t *big.Int) {
	var change big.Int
	for n, i := range q.rows {
		at.gaps[n].Add(at.gaps[n], change.Mul(t, w.slopes[i]))
	}
	for i := range at.step {
		at.step[i].Add(at.step[i], change.Mul(t, w.step[i]))
	}
}
