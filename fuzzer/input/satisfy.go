package input

import (
	"slices"

	"github.com/holiman/uint256"
)

// Bounds of the search for numbers that take a path. Arbitrary, but for what they
// were measured to do in bench/mazes.
const (
	// trialsPerStep is how many ways to mend a condition are compared.
	trialsPerStep = 6
	// wander: where none of them makes things better, one in so many is gone nevertheless.
	wander = 3
	// freshStart: after so many steps the search begins anew, from other values.
	freshStart = 16
	// maxBackward bounds the terms that one way to mend a condition goes through.
	maxBackward = 512
	// hopeless: a search ends when the jump went the old way with so many assignments, or with one in hopelessShare
	// of those that it may look at: then its condition is one that is not refuted, but never met.
	hopeless      = 2048
	hopelessShare = 4
)

// Satisfy looks for values of the call's numbers with which it goes the same way up to the
// conditional jump with a number among the [Formulas.Decisions], and takes its other side, in so many trials at most: by local search that mends one condition at a
// time, as WalkSAT does (Selman, Kautz and Cohen, AAAI 1994), with the words that an
// operand's formula asks for, computed from its result back to a variable (Niemetz, Preiner and Biere,
// "Propagation based local search for bit-precise reasoning", 2017). It is exact about
// everything but words read from storage that earlier calls of the sequence did not compute, which count as they were.
func (f *Formulas) Satisfy(r Rand, at, most int) Outcome {
	o := f.satisfy(r, f.before+at, most)
	t := &f.terms[f.decisions[f.before+at].condition]
	o.Complete = t.moves && !t.loose
	return o
}

func (f *Formulas) satisfy(r Rand, at, most int) Outcome {
	q := f.newSearch(r, at)
	if q == nil {
		return Outcome{}
	}
	if !q.possible {
		return Outcome{Trials: q.trials(), Refuted: true}
	}
	for step := 0; q.work/trialWork < most && (q.seen || q.looked < max(hopeless, most/hopelessShare)); step++ {
		if len(q.amiss) == 0 {
			return Outcome{Sequence: q.result(), Trials: q.trials(), Turns: true}
		}
		if step%freshStart == freshStart-1 {
			if step/freshStart%definedStart > 0 || !q.throughDefinitions() {
				q.restart()
			}
			continue
		}
		q.mend(q.amiss[r.IntN(len(q.amiss))])
	}
	return Outcome{Trials: q.trials(), Turns: q.seen}
}

// Outcome is what a search came to.
type Outcome struct {
	Sequence Sequence // that takes the other side; nil: none was found
	Trials   int      // what it cost, in assignments that it looked at
	Turns    bool     // some of them took the other side at least, if not the same way up to there
	Refuted  bool     // it is certain that no numbers do both
	Complete bool     // the formulas tell of all words of the call that move the jump's condition what they do to it; one does
}

// satisfaction is one search.
type satisfaction struct {
	*Formulas
	rand     Rand
	ints     numbers
	terms    []term // with the values of where the search is, or of a trial
	needed   []int32
	box      []interval // by variable: no other value is part of a solution
	moved    uint32     // the variables that the conditions depend on, a bit each
	wanted   []wish
	curved   []uint32 // by term, see curvedIn
	weights  []int
	amiss    []int // indices in wanted
	holds    []bool
	cost     int
	looked   int           // assignments that were looked at
	work     int           // terms that were computed for it
	apart    int           // what taking numbers apart is worth of those: it is done once, and ends no search
	values   []uint256.Int // of variables
	kept     []uint256.Int // by term, where the search is: a trial computes others
	goals    []goal        // of a trial
	best     []goal        // of the trials of one step
	least    int           // what the best would cost
	fuel     int           // terms that the goals' search may still go through
	possible bool          // the conditions were not refuted
	seen     bool          // the jump itself went the other way in some trial
}

// room is memory that one search after the other uses.
type room struct {
	terms     []term
	kept      []uint256.Int
	same      []int32
	intervals []interval
	shapes    shapes
}

// goal is what a variable is to be.
type goal struct {
	variable int32
	value    uint256.Int
}

// newSearch collects the conditions up to a jump, but for those that the search cannot break. Nil when no variable moves the jump's own.
func (f *Formulas) newSearch(r Rand, at int) *satisfaction {
	q := &satisfaction{Formulas: f, rand: r}
	if !f.terms[f.decisions[at].condition].moves {
		return nil
	}
	room := &f.notes.search
	room.terms = append(room.terms[:0], f.terms...)
	q.terms = room.terms
	for i, d := range f.decisions[:at+1] {
		if f.terms[d.condition].moves {
			d.taken = d.taken != (i == at)
			q.wanted = append(q.wanted, q.read(d))
		}
	}
	q.need()
	if q.possible = q.simplify(); !q.possible {
		return q
	}
	q.need()
	q.weights = slices.Repeat([]int{1}, len(q.wanted))
	q.values = make([]uint256.Int, len(f.variables))
	for i := range q.terms {
		if t := &q.terms[i]; t.variable >= 0 {
			q.values[t.variable] = t.value
		}
	}
	q.enter()
	room.kept = slices.Grow(room.kept[:0], len(q.terms))[:len(q.terms)] // what is needed is written first
	q.holds, q.kept = make([]bool, len(q.wanted)), room.kept
	q.settle()
	return q
}

// need lists the terms that the conditions are computed of, in order.
func (q *satisfaction) need() {
	found := make([]int32, len(q.terms)) // by term, the condition that it was found for last, from 1
	q.needed, q.moved = q.needed[:0], 0
	for i := range q.wanted {
		c := &q.wanted[i]
		q.moved |= c.variables(q.terms)
		c.cone = q.coneOf(c.jump.condition, found, int32(i+1), c.cone[:0])
	}
	for i := range found {
		if found[i] > 0 {
			q.needed = append(q.needed, int32(i))
		}
	}
}

// coneOf lists the terms that move which a condition is computed of, in order.
func (q *satisfaction) coneOf(condition int32, found []int32, id int32, cone []int32) []int32 {
	for next := []int32{condition}; len(next) > 0; {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		t := &q.terms[i]
		if !t.moves || found[i] == id {
			continue
		}
		found[i], cone = id, append(cone, i)
		if t.variable < 0 {
			next = append(next, t.args[:]...)
		}
	}
	slices.Sort(cone)
	return cone
}

// trialWork: so many terms that are computed count as one trial, whose number is what a
// search costs. Arbitrary: calls of bench/mazes have two or three times as many.
const trialWork = 50

// trials is what the search has cost.
func (q *satisfaction) trials() int { return 1 + (q.work+q.apart)/trialWork }

// settle computes all terms, and what is amiss.
func (q *satisfaction) settle() {
	q.compute(^uint32(0))
	q.amiss = q.amiss[:0]
	for i := range q.wanted {
		if q.holds[i] = q.wanted[i].satisfied(q.terms); !q.holds[i] {
			q.amiss = append(q.amiss, i)
		}
	}
	q.cost = q.weigh(0)
	for _, i := range q.needed {
		q.kept[i] = q.terms[i].value
	}
}

// compute computes the terms that depend on some variables.
func (q *satisfaction) compute(changed uint32) {
	q.looked++
	for _, i := range q.needed {
		t := &q.terms[i]
		if t.of&changed == 0 {
			continue
		}
		q.work++
		if t.variable >= 0 {
			t.value = q.values[t.variable]
			continue
		}
		evaluate(t, q.terms, &t.value) // it was computed before
	}
	q.seen = q.seen || q.wanted[len(q.wanted)-1].satisfied(q.terms)
}

// weigh is what the conditions that are amiss weigh, after some variables have changed.
func (q *satisfaction) weigh(changed uint32) int {
	cost := 0
	for i := range q.wanted {
		c := &q.wanted[i]
		holds := q.holds[i]
		if q.terms[c.jump.condition].of&changed != 0 {
			holds = c.satisfied(q.terms)
		}
		if !holds {
			cost += q.weights[i]
		}
	}
	return cost
}

// consider tries the goals, and again with what repairs equalities that they break, if that is no worse than the
// best of the step so far.
func (q *satisfaction) consider() {
	if len(q.goals) == 0 {
		return
	}
	q.exchange()
	changed := q.changed()
	q.compute(changed)
	cost := q.weigh(changed)
	q.propose(cost)
	if cost >= q.cost && q.repair() {
		changed = q.changed()
		q.propose(q.weigh(changed))
	}
	q.exchange()
	q.restore(changed)
}

// propose remembers the goals, which are exchanged at the moment, if nothing so far costs less.
func (q *satisfaction) propose(cost int) {
	if len(q.best) > 0 && cost >= q.least {
		return
	}
	q.best, q.least = q.best[:0], cost
	for _, g := range q.goals {
		q.best = append(q.best, goal{g.variable, q.values[g.variable]})
	}
}

// changed are the variables of the goals.
func (q *satisfaction) changed() (all uint32) {
	for i := range q.goals {
		all |= 1 << q.goals[i].variable
	}
	return all
}

// restore sets the terms of some variables to what they are where the search is.
func (q *satisfaction) restore(changed uint32) {
	for _, i := range q.needed {
		if q.terms[i].of&changed != 0 {
			q.terms[i].value = q.kept[i]
		}
	}
}

// exchange sets variables to the goals, and the goals to what they were.
func (q *satisfaction) exchange() {
	for i := range q.goals {
		g := &q.goals[i]
		g.value, q.values[g.variable] = q.values[g.variable], g.value
	}
}

// restart gives some variables other values.
func (q *satisfaction) restart() {
	for i := range q.values {
		if q.moved>>i&1 != 0 && oneIn(q.rand, 2) {
			if x, ok := q.draw(int32(i)); ok {
				q.values[i] = x
			}
		}
	}
	for i := range q.weights {
		q.weights[i] = 1
	}
	q.settle()
}

// draw is a random value of a variable: small ones are as frequent as others.
func (q *satisfaction) draw(variable int32) (uint256.Int, bool) {
	v, box := &q.variables[variable], &q.box[variable]
	if v.least.Sign() < 0 {
		x := randomWord(q.rand, max(v.most.BitLen(), 1))
		if oneIn(q.rand, 2) {
			x.Neg(&x)
		}
		return x, q.fits(variable, &x)
	}
	var width uint256.Int
	width.Sub(&box.hi, &box.lo)
	x := randomWord(q.rand, max(width.BitLen(), 1))
	if x.Gt(&width) {
		x.Sub(&x, &width) // it is less than twice as large
	}
	x.Add(&x, &box.lo)
	return x, q.fits(variable, &x)
}

// enter moves variables into the box.
func (q *satisfaction) enter() {
	for i := range q.values {
		x := q.values[i]
		if q.moved>>i&1 == 0 || q.box[i].has(&x) {
			continue
		}
		if x = q.box[i].lo; q.values[i].Gt(&q.box[i].hi) {
			x = q.box[i].hi
		}
		if q.fits(int32(i), &x) {
			q.values[i] = x
		}
	}
}

func (q *satisfaction) fits(variable int32, x *uint256.Int) bool {
	return q.box[variable].has(x) && q.space.Fits(q.sequence, q.variables[variable].Word, x)
}

// mend makes a condition as wanted, in the way that leaves least amiss of some. Where
// each makes things worse, what is amiss weighs more from now on.
func (q *satisfaction) mend(at int) {
	q.best = q.best[:0]
	c := &q.wanted[at]
	for range trialsPerStep {
		q.goals, q.fuel = q.goals[:0], maxBackward
		q.ints.release()
		if q.root(at) {
			q.consider()
			continue
		}
		switch q.rand.IntN(6) {
		case 0:
			if q.together(at) {
				q.consider()
			}
		case 1:
			q.pairs(at)
		case 2, 3:
			q.crossings(at)
		default:
			if q.truth(c.jump.condition, c.jump.taken) {
				q.consider()
			}
		}
	}
	if len(q.best) == 0 || q.least >= q.cost {
		for _, i := range q.amiss {
			q.weights[i]++
			q.cost++
		}
		if len(q.best) == 0 || !oneIn(q.rand, wander) {
			return
		}
	}
	q.move()
}

// move goes to the best that a step has found.
func (q *satisfaction) move() {
	q.goals = append(q.goals[:0], q.best...)
	q.exchange()
	q.settle()
}

// result is the sequence with the values.
func (q *satisfaction) result() Sequence {
	seq := q.sequence
	for i := range q.values {
		if q.moved>>i&1 == 0 {
			continue
		}
		var ok bool
		if seq, ok = q.space.With(seq, q.variables[i].Word, &q.values[i]); !ok {
			return nil // none was set that does not fit
		}
	}
	return seq
}
