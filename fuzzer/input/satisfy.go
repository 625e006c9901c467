package input

import (
	"math/bits"

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
	freshStart = 150
	// maxBackward bounds the terms that one way to mend a condition goes through.
	maxBackward = 512
	// hopeless: a search ends when the jump went the old way with so many assignments. Most
	// checks for overflow never fail, since the types of what they compute are too narrow.
	hopeless = 256
)

// Satisfy looks for values of the call's numbers with which it goes the same way up to the
// conditional jump at a pc, and takes its other side, in so many trials at most: by local search that mends one condition at a
// time, as WalkSAT does (Selman, Kautz and Cohen, AAAI 1994), with the words that an
// operand's formula asks for, computed from its result back to a variable (Niemetz, Preiner and Biere,
// "Propagation based local search for bit-precise reasoning", 2017). It is exact about
// everything but words read from storage, which count as they were. The sequence is nil when it
// found none. trials says what the search cost, in assignments that it looked at; with can, some of
// them took the other side at least.
func (f *Formulas) Satisfy(r Rand, pc uint32, taken bool, most int) (seq Sequence, trials int, can bool) {
	q := f.newSearch(r, pc, taken)
	if q == nil {
		return nil, 0, false
	}
	for step := 0; q.trials() < most && (q.seen || q.looked < hopeless); step++ {
		if len(q.amiss) == 0 {
			return q.result(), q.trials(), true
		}
		if step%freshStart == freshStart-1 {
			q.restart()
			continue
		}
		q.mend(q.amiss[r.IntN(len(q.amiss))])
	}
	return nil, q.trials(), q.seen
}

// satisfaction is one search.
type satisfaction struct {
	*Formulas
	rand    Rand
	terms   []term // with the values of where the search is
	needed  []int32
	wanted  []decision
	equal   []equality // of several variables, among what is wanted
	curved  []uint32   // by term, see curvedIn
	weights []int
	amiss   []int // indices in wanted
	cost    int
	looked  int           // assignments that were looked at
	work    int           // terms that were computed for it
	values  []uint256.Int // of variables
	kept    []uint256.Int // of needed, where the search is: a trial computes others
	goals   []goal        // of a trial
	fuel    int           // terms that the goals' search may still go through
	seen    bool          // the jump itself went the other way in some trial
}

// goal is what a variable is to be.
type goal struct {
	variable int32
	value    uint256.Int
}

// newSearch collects the conditions up to a jump, those apart that no variable
// moves. Nil when no variable moves the jump's own.
func (f *Formulas) newSearch(r Rand, pc uint32, taken bool) *satisfaction {
	q := &satisfaction{Formulas: f, rand: r}
	at := -1
	for i, d := range f.decisions {
		if d.pc == pc && d.taken != taken {
			at = i
			break
		}
	}
	if at < 0 || !f.terms[f.decisions[at].condition].moves {
		return nil
	}
	for i, d := range f.decisions[:at+1] {
		if f.terms[d.condition].moves {
			d.taken = d.taken != (i == at)
			q.wanted = append(q.wanted, d)
			q.weights = append(q.weights, 1)
		}
	}
	q.terms = append(q.terms, f.terms...)
	q.need()
	q.values = make([]uint256.Int, len(f.variables))
	for i := range q.terms {
		if t := &q.terms[i]; t.variable >= 0 {
			q.values[t.variable] = t.value
		}
	}
	q.settle()
	for _, d := range q.wanted {
		if e, ok := q.equalityOf(d); ok && bits.OnesCount32(q.depends(e)) > 1 {
			q.equal = append(q.equal, e)
		}
	}
	return q
}

// need lists the terms that the conditions are computed of, in order.
func (q *satisfaction) need() {
	needed := make([]bool, len(q.terms))
	for _, d := range q.wanted {
		needed[d.condition] = true
	}
	for i := len(q.terms) - 1; i > 0; i-- {
		if t := &q.terms[i]; needed[i] && t.moves && t.variable < 0 {
			for _, a := range t.args {
				needed[a] = true
			}
		}
	}
	for i := range q.terms {
		if needed[i] && q.terms[i].moves {
			q.needed = append(q.needed, int32(i))
		}
	}
}

// trialWork: so many terms that are computed count as one trial, whose number is what a
// search costs. Arbitrary: calls of bench/mazes have two or three times as many.
const trialWork = 50

// trials is what the search has cost.
func (q *satisfaction) trials() int { return 1 + q.work/trialWork }

// settle computes all terms, and what is amiss.
func (q *satisfaction) settle() {
	q.compute()
	q.amiss, q.kept = q.amiss[:0], q.kept[:0]
	for i, d := range q.wanted {
		if q.terms[d.condition].value.IsZero() == d.taken {
			q.amiss = append(q.amiss, i)
		}
	}
	q.cost = q.weigh()
	for _, i := range q.needed {
		q.kept = append(q.kept, q.terms[i].value)
	}
}

func (q *satisfaction) compute() {
	q.looked++
	q.work += len(q.needed)
	for _, i := range q.needed {
		t := &q.terms[i]
		if t.variable >= 0 {
			t.value = q.values[t.variable]
			continue
		}
		evaluate(t, q.terms, &t.value) // it was computed before
	}
	d := q.wanted[len(q.wanted)-1]
	q.seen = q.seen || q.terms[d.condition].value.IsZero() != d.taken
}

// weigh is what the conditions that are amiss weigh.
func (q *satisfaction) weigh() int {
	cost := 0
	for i, d := range q.wanted {
		if q.terms[d.condition].value.IsZero() == d.taken {
			cost += q.weights[i]
		}
	}
	return cost
}

// try is what is amiss with other values, which are taken back.
func (q *satisfaction) try() int {
	q.exchange()
	q.compute()
	cost := q.weigh()
	q.exchange()
	q.restore()
	return cost
}

// restore sets all terms to what they are where the search is.
func (q *satisfaction) restore() {
	for n, i := range q.needed {
		q.terms[i].value = q.kept[n]
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
		if oneIn(q.rand, 2) {
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
	v := &q.variables[variable]
	x := randomWord(q.rand, max(v.most.BitLen(), 1))
	if v.least.Sign() < 0 && oneIn(q.rand, 2) {
		x.Neg(&x)
	}
	return x, q.fits(variable, &x)
}

func (q *satisfaction) fits(variable int32, x *uint256.Int) bool {
	return q.space.Fits(q.sequence, q.variables[variable].Word, x)
}

// mend makes a condition as wanted, in the way that leaves least amiss of some. Where
// each makes things worse, what is amiss weighs more from now on.
func (q *satisfaction) mend(at int) {
	d := q.wanted[at]
	var best []goal
	bestCost := 0
	for range trialsPerStep {
		q.goals, q.fuel = q.goals[:0], maxBackward
		if q.root(at) || oneIn(q.rand, 3) && q.together(at) || q.truth(d.condition, d.taken) {
			if cost := q.try(); best == nil || cost < bestCost {
				best, bestCost = append(best[:0], q.goals...), cost
			}
		}
	}
	if best == nil || bestCost >= q.cost {
		for _, i := range q.amiss {
			q.weights[i]++
			q.cost++
		}
		if best == nil || !oneIn(q.rand, wander) {
			return
		}
	}
	q.goals = best
	q.exchange()
	q.settle()
}

// result is the sequence with the values.
func (q *satisfaction) result() Sequence {
	seq := q.sequence
	for i := range q.values {
		var ok bool
		if seq, ok = q.space.With(seq, q.variables[i].Word, &q.values[i]); !ok {
			return nil // none was set that does not fit
		}
	}
	return seq
}
