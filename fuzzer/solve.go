package fuzzer

import (
	"context"
	"math/big"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of solving. Arbitrary.
const (
	// maxSolved is how many branches one task gets through, one after the other.
	maxSolved = 64
	// maxTargets is how many branches of one run are solved for, the last ones.
	maxTargets = 8
	// maxRebases is how often a solution that only came nearer is gone on from.
	maxRebases = 6
	// maxAstray is how many runs that turned off are gone on from.
	maxAstray = 3
	// waysPerVariable bounds the runs that tell what the words of a call do, for each.
	waysPerVariable = 3
	// shakes is how many random inputs tell that nothing moves a branch's operands. Random
	// words are zero so often that a product of two was in all of 8 draws of one test.
	shakes = 24
	// retraceInterval: of the tries of a side that formulas tell of, one in so many goes
	// its way again in runs, which costs more and solves for less.
	retraceInterval = 4
	// retraceRuns is how many runs a task may spend on going a way again.
	retraceRuns = 256
)

// pathfinder gets through branches one after the other, by what the words of the last
// call do to all of them at once (see input.System): secant steps look at one branch and
// one word, and undo what was reached before.
type pathfinder struct {
	*worker
	ctx context.Context
	b   *batch

	base  *point
	last  []input.Branch // of the base's last call
	ended bool           // the task is over
	// astray are runs that were to get through a branch, and turned off before it.
	astray []*point
	spare  []input.Branch // scratch: of a run that nobody keeps, see pathfinder.release

	formulas *input.Formulas // of the base; nil: not read, see pathfinder.satisfy
}

// solve solves for the branches that a task's seed comes to, or for the one that the
// task names.
func (w *worker) solve(ctx context.Context, t task, b *batch) {
	if !w.affords(t.seed.Sequence, b) {
		return
	}
	exec, ok := w.run(ctx, t.seed.Sequence, b)
	if !ok {
		return
	}
	p := &pathfinder{worker: w, ctx: ctx, b: b}
	p.rebase(p.point(t.seed.Sequence, exec))
	switch {
	case t.side != nil:
		p.anew(*t.side)
	case !t.seed.Changes || w.without.Sequences || w.goOn(ctx, t.seed.Sequence, b):
		p.onward()
	}
}

// goOn calls each function behind a sequence. It answers false when the task is over.
func (w *worker) goOn(ctx context.Context, seq input.Sequence, b *batch) bool {
	for _, next := range w.mutator.Continue(w.rand, seq) {
		if _, _, ok := w.try(ctx, next, b); !ok {
			return false
		}
	}
	return true
}

func (p *pathfinder) rebase(base *point) { p.base, p.last, p.formulas = base, base.branches, nil }

// point copies what solving needs of a run.
func (p *pathfinder) point(seq input.Sequence, exec *evm.Execution) *point {
	there := &point{sequence: seq, branches: input.AppendBranches(p.spare, exec)}
	p.spare = nil
	return there
}

// release gives back what was copied of a run: most are looked at once.
func (p *pathfinder) release(there *point) { p.spare = there.branches[:0] }

// sideOf is the other side of a branch.
func sideOf(b *input.Branch) branchSide { return branchSide{b.Code, b.PC, !b.Taken} }

// onward goes from branch to branch until none gives way.
func (p *pathfinder) onward() {
	for range maxSolved {
		if !p.advance() {
			return
		}
	}
}

// targets lists the branches with a side that nothing has taken, the last first: behind
// it is what nothing has seen.
func (p *pathfinder) targets() []int {
	var targets []int
	for i := len(p.last) - 1; i >= 0 && len(targets) < maxTargets; i-- {
		b := &p.last[i]
		if moved, known := p.moved[sideOf(b)]; !p.tracker.decided(b.Code, b.PC) && (moved || !known) {
			targets = append(targets, i)
		}
	}
	return targets
}

// advance solves for the branches of the base until a run gets through one. That is the
// next base.
func (p *pathfinder) advance() bool {
	targets := p.targets()
	if len(targets) == 0 {
		return false
	}
	if p.reckon(targets) {
		return true
	}
	if p.ended {
		return false
	}
	system := p.look(targets[0])
	if system == nil {
		return false
	}
	for _, target := range targets {
		if b := &p.last[target]; p.tracker.decided(b.Code, b.PC) || !p.movable(system, target) {
			continue // decided by the way
		}
		p.astray = p.astray[:0]
		if next := p.through(system, target); next != nil {
			p.rebase(next)
			return true
		}
		if p.fromAstray(p.last[:target+1]) {
			return true
		}
		if p.ended {
			return false
		}
	}
	return false
}

const (
	// trialsPerExecution: a search in formulas has so many trials in the time of one
	// execution. Measured: a trial takes some 0.5 µs, an execution of one call of an ERC-20 4 to 10.
	trialsPerExecution = 16
	// firstTrials is how many trials a search has at first; each time that a branch side
	// resists it is given twice as many, up to so many times. Arbitrary.
	firstTrials = 4000
	// maxResisted: what so many searches on the way did not solve waits for its turn.
	maxResisted = 3
	doublings   = 5
)

// reckon solves for the branches of the base by formulas. It tells whether a run that got
// through one came to others: that is the next base.
func (p *pathfinder) reckon(targets []int) bool {
	for _, target := range targets {
		b := &p.last[target]
		side := sideOf(b)
		if p.tracker.decided(b.Code, b.PC) || p.resisted[side] >= maxResisted {
			continue
		}
		next := p.satisfy(target, firstTrials)
		if p.ended {
			return false
		}
		if next == nil {
			p.resisted[side]++
			continue
		}
		if slices.ContainsFunc(next.branches, func(b input.Branch) bool { return !p.tracker.decided(b.Code, b.PC) && !p.comesTo(&b) }) {
			p.rebase(next)
			return true
		}
	}
	return false
}

// comesTo tells whether the base comes to a jump.
func (p *pathfinder) comesTo(b *input.Branch) bool {
	return slices.ContainsFunc(p.last, func(own input.Branch) bool { return own.Code == b.Code && own.PC == b.PC })
}

// satisfy looks for a way through a branch in what the base's instructions compute, without
// running them. Nil when there is none, or the run of what was found does something else.
func (p *pathfinder) satisfy(target, most int) *point {
	b := p.last[target]
	if b.Frame != 0 {
		return nil
	}
	if p.formulas == nil {
		exec, ok := p.run(p.ctx, p.base.sequence, p.b)
		if !ok {
			p.ended = true
			return nil
		}
		if p.formulas, ok = p.space.Formulas(p.base.sequence, p.encoded, exec); !ok {
			return nil
		}
	}
	seq, trials, can := p.formulas.Satisfy(p.rand, b.PC, !b.Taken, most)
	p.b.trials += uint64(trials)
	if can {
		p.yields(sideOf(&b))
	} else if trials > 0 && !p.moved[sideOf(&b)] {
		p.moved[sideOf(&b)] = false // what an argument's type leaves of a word is the word, say
	}
	if seq == nil {
		return nil
	}
	exec, _, ok := p.try(p.ctx, seq, p.b)
	if !ok {
		p.ended = true
		return nil
	}
	if b.Taken = !b.Taken; !p.tracker.took(b.Code, &b.Comparison) {
		return nil
	}
	return p.point(seq, exec)
}

// movable tells whether a number among the input words moves the operands of a branch
// apart: from the base, or, where they are products of zeros, from some other values.
// What the compiler checks of an argument's bits compares it with itself, whatever it is, and
// what is stored for an address no number changes.
func (p *pathfinder) movable(system *input.System, target int) bool {
	b := &p.last[target]
	side := sideOf(b)
	moved, known := p.moved[side]
	moved = moved || system.Moves(target)
	for n := 0; n < shakes && !moved && !known; n++ {
		there := p.redraw(p.base.sequence)
		if there == nil {
			return false
		}
		last := there.branches
		_, j := input.TurnOff(p.last[:target+1], last)
		if j >= 0 && last[j].PC == b.PC && last[j].Difference() != b.Difference() {
			moved = p.moves(there, j)
		}
		if p.ended {
			return false
		}
		p.release(there)
	}
	if moved {
		p.yields(side)
	} else {
		p.moved[side] = false
	}
	return moved
}

// yields notes that numbers move the operands of a branch.
func (p *pathfinder) yields(side branchSide) {
	if !p.moved[side] {
		p.moved[side] = true
		p.b.yields = append(p.b.yields, side)
	}
}

// moves tells whether a number moves the operands of a branch of another run apart.
func (p *pathfinder) moves(there *point, target int) bool {
	base := p.base
	defer p.rebase(base)
	p.rebase(there)
	system := p.look(target)
	return system != nil && system.Moves(target)
}

// redraw runs a sequence with other words in its last call; nil when the task is over.
func (p *pathfinder) redraw(seq input.Sequence) *point {
	seq = p.mutator.Redraw(p.rand, seq)
	exec, _, ok := p.try(p.ctx, seq, p.b)
	if !ok {
		p.ended = true
		return nil
	}
	return p.point(seq, exec)
}

// fromAstray goes on from runs that turned off: where operands are products, what one
// word does depends on the others, and is another thing there.
func (p *pathfinder) fromAstray(way []input.Branch) bool {
	base := p.base
	for _, there := range slices.Clone(p.astray) { // more are added meanwhile
		p.rebase(there)
		if p.retrace(way) {
			return true
		}
		if p.ended {
			break
		}
	}
	p.rebase(base)
	return false
}

// anew goes the base's way to a branch side again, from other values: those that it came
// with may leave no way on. It ends when as many runs are used up as a task may take, or
// one has got through.
func (p *pathfinder) anew(side branchSide) {
	at := slices.IndexFunc(p.last, func(b input.Branch) bool { return sideOf(&b) == side })
	if at < 0 {
		return
	}
	from, way := p.base.sequence, p.last[:at+1]
	tries, before := p.b.task.tries, p.b.trials
	if next := p.satisfy(at, firstTrials<<min(tries, doublings)); next != nil {
		p.rebase(next)
		p.onward()
		return
	}
	if p.ended || p.b.trials > before && tries%retraceInterval != 0 {
		return
	}
	for before := p.b.executions; p.b.executions-before < retraceRuns; {
		there := p.redraw(from)
		if there == nil {
			return
		}
		p.rebase(there)
		if p.retrace(way) {
			p.onward()
			return
		}
		if p.ended {
			return
		}
	}
}

// retrace gets through the branches where the base leaves a way, one after the other, and
// to the other side of the way's last. It tells whether that was taken.
func (p *pathfinder) retrace(way []input.Branch) bool {
	goal := &way[len(way)-1]
	for range maxSolved {
		if p.tracker.decided(goal.Code, goal.PC) {
			return true
		}
		_, target := input.TurnOff(way, p.last)
		if target < 0 {
			return false
		}
		system := p.look(target)
		if system == nil {
			return false
		}
		next := p.through(system, target)
		if next == nil {
			return false
		}
		p.rebase(next)
	}
	return false
}

// look runs what tells what the variables do, as far as to a target. Nil when the call
// has none, or the task is over.
func (p *pathfinder) look(target int) *input.System {
	variables := p.space.Variables(p.base.sequence, len(p.base.sequence)-1)
	if len(variables) == 0 {
		return nil
	}
	system := input.NewSystem(variables, p.last)
	for _, unit := range system.Units() {
		if !p.probe(system, unit) {
			return nil
		}
	}
	for range waysPerVariable * len(variables) {
		detour := system.Detour(target)
		if detour == nil {
			break
		}
		if !p.probe(system, detour) {
			return nil
		}
	}
	return system
}

// probe runs a way of a system. False when the task is over.
func (p *pathfinder) probe(system *input.System, way *input.Way) bool {
	values, fits := system.After(way)
	if !fits {
		return true
	}
	there, ok := p.set(system, values)
	if there != nil {
		system.Learn(way, there.branches)
		p.release(there)
	}
	return ok
}

// set runs the base with other values; nil when they do not fit. False when the task is
// over.
func (p *pathfinder) set(system *input.System, values []*big.Int) (*point, bool) {
	seq, fits := p.space.WithValues(p.base.sequence, system.Variables, values)
	if !fits {
		return nil, true
	}
	exec, _, ok := p.try(p.ctx, seq, p.b)
	if !ok {
		p.ended = true
		return nil, false
	}
	return p.point(seq, exec), true
}

// through looks for a run that takes the same turns as the base's before a branch, and
// the other one there. Nil when there is none, or the task is over.
func (p *pathfinder) through(system *input.System, target int) *point {
	base := p.base
	defer func() { p.rebase(base) }()
	for range maxRebases {
		there, through := p.nearest(system, target)
		if there == nil || through {
			return there
		}
		if _, target = input.TurnOff(p.last[:target+1], there.branches); target < 0 {
			return nil
		}
		p.rebase(there)
		if system = p.look(target); system == nil {
			return nil
		}
	}
	return nil
}

// nearest runs what a system proposes, until a run gets through the target; else it is
// the one that comes nearer than the base, and nearest. Nil when there is none.
func (p *pathfinder) nearest(system *input.System, target int) (nearest *point, through bool) {
	distance := p.last[target].Distance()
	for _, values := range p.proposed(system, target) {
		there, ok := p.set(system, values)
		if !ok {
			return nil, false
		}
		if there == nil {
			continue
		}
		last := there.branches
		switch i, j := input.TurnOff(p.last[:target+1], last); {
		case i >= 0 && i < target && len(p.astray) < maxAstray:
			p.astray = append(p.astray, there)
		case i == target && last[j].Taken != p.last[target].Taken:
			return there, true
		case i == target && nearer(&last[j], &distance):
			nearest, distance = there, last[j].Distance()
		default:
			p.release(there)
		}
	}
	return nearest, false
}

// nearer tells whether a branch is less than a distance from its other side.
func nearer(b *input.Branch, distance *uint256.Int) bool {
	d := b.Distance()
	return d.Lt(distance)
}

// proposed are values to try. For an equality that no step along one way leads to, pairs of
// variables are looked at first: their product may.
func (p *pathfinder) proposed(system *input.System, target int) [][]*big.Int {
	if !system.Hard(target) {
		return system.Reach(p.rand, target)
	}
	for _, pair := range system.Pairs(target) {
		if !p.probe(system, pair) {
			return nil
		}
	}
	return append(system.Factor(p.rand, target), system.Reach(p.rand, target)...)
}
