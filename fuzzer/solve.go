package fuzzer

import (
	"context"
	"slices"

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
	// shaken are runs from the base with random words in the last call, see pathfinder.shake.
	shaken []*point
	spare  []input.Branch // scratch: of a run that nobody keeps, see pathfinder.release

	formulas *input.Formulas // of the base; nil: not read, see pathfinder.satisfy
}

// solve solves for the branches that a task's seed comes to, or for the one that the
// task names.
func (w *worker) solve(ctx context.Context, t task, b *batch) {
	if !w.affords(t.sequence, b) {
		return
	}
	exec, ok := w.run(ctx, t.sequence, b)
	if !ok {
		return
	}
	p := &pathfinder{worker: w, ctx: ctx, b: b}
	p.rebase(p.point(t.sequence, exec))
	switch {
	case t.side != nil:
		p.anew(*t.side)
	case !t.seed.Changes || w.without.Sequences || w.goOn(ctx, t.sequence, b):
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

func (p *pathfinder) rebase(base *point) {
	p.base, p.last, p.formulas, p.shaken = base, base.branches, nil, nil
}

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
		if moved, known := p.moved[sideOf(b)]; !p.tracker.decided(b.Code, &b.Comparison) && (moved || !known) {
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
		if b := &p.last[target]; p.tracker.decided(b.Code, &b.Comparison) || !p.movable(system, target) {
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
// to the other side of the way's last. It reports whether that was taken.
func (p *pathfinder) retrace(way []input.Branch) bool {
	goal := &way[len(way)-1]
	for range maxSolved {
		if p.tracker.decided(goal.Code, &goal.Comparison) {
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
