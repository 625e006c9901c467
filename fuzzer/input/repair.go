package input

// maxRepairs bounds the equalities that are repaired in one trial. Arbitrary.
const maxRepairs = 6

// repair makes equalities hold again that the goals of a trial have broken, each by a variable that no goal is of: so a change of
// one variable goes through chains of equalities. The goals are exchanged, and stay so, with those that are added.
// It reports whether any was.
func (q *satisfaction) repair() bool {
	added := false
	for range maxRepairs {
		at := q.broken()
		if at < 0 {
			break
		}
		if !q.repairOne(&q.wanted[at]) {
			break
		}
		added = true
	}
	return added
}

// broken is an equality that held, and does not after the trial's changes; −1 where there is none.
func (q *satisfaction) broken() int {
	for i := range q.wanted {
		if c := &q.wanted[i]; q.holds[i] && c.equates() && !c.satisfied(q.terms) {
			return i
		}
	}
	return -1
}

// repairOne solves an equality for one more variable.
func (q *satisfaction) repairOne(c *wish) bool {
	for others := c.variables(q.terms) &^ q.changed(); others != 0; {
		v := q.among(others)
		others &^= 1 << v
		x := q.number(v)
		gap := q.gapOf(c)
		slope := q.gapAt(c, setting{v, q.ints.plus(x, one)})
		if slope.Sub(slope, gap); slope.Sign() == 0 {
			continue
		}
		step, rest := q.ints.over(q.ints.negated(gap), slope)
		if rest.Sign() != 0 {
			if step = q.rootModulo(gap, slope, 256); step == nil {
				continue
			}
		}
		n := q.wrapped(&q.variables[v], step.Add(step, x))
		was := q.values[v]
		if !q.aim(v, n) {
			continue
		}
		g := &q.goals[len(q.goals)-1]
		q.values[v], g.value = g.value, was
		q.compute(1 << v)
		if c.satisfied(q.terms) {
			return true
		}
		// It was no line: as it was.
		q.values[v] = was
		q.goals = q.goals[:len(q.goals)-1]
		q.compute(1 << v)
	}
	return false
}
