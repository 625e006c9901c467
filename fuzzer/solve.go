package fuzzer

import (
	"cmp"
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of solving. Arbitrary.
const (
	// maxSolved is how many branches one task gets through, one after the other.
	maxSolved = 64
	// maxTargets is how many branches of one run are solved for, the last ones.
	maxTargets = 8
	// maxRebases is how often solving continues from a run that only came nearer.
	maxRebases = 6
	// maxDiverged is how many runs that diverged from the path are continued from.
	maxDiverged = 3
	// waysPerVariable bounds the runs that measure the effect of a call's words, for each.
	waysPerVariable = 3
	// maxRandomized is the number of random inputs after which nothing is taken to move a
	// branch's operands. Random words are zero so often that a product of two was zero in
	// all of 8 draws of one test.
	maxRandomized = 24
	// retraceInterval: of the tries of a side whose formulas are known, one in so many
	// retraces the path in runs, which costs more and solves less.
	retraceInterval = 4
	// leadUpInterval: in one try of so many, calls before it are to help first.
	leadUpInterval = 2
	// retraceRuns is how many runs a task may spend on retracing.
	retraceRuns = 256
)

// solve solves for the branches that a task's seed passes, or for the one that the task
// names.
func (w *worker) solve(ctx context.Context, t task, b *batch) {
	for _, known := range t.writers {
		w.solving.writers.add(known)
	}
	if p := w.retryStranded(ctx, b); p != nil {
		p.onward()
	}
	if !w.affords(t.sequence, b) {
		return
	}
	exec, ok := w.run(ctx, t.sequence, b)
	if !ok {
		return
	}
	p := w.newPathfinder(ctx, b)
	p.rebase(p.point(t.sequence, exec))
	p.read(p.base, exec)
	if t.side == nil {
		p.callAsWanted()
	}
	switch {
	case p.ended:
	case t.side != nil:
		p.retrySide(*t.side)
	case !t.seed.Changes || w.without.Sequences || w.callEachAfter(ctx, t.sequence, b):
		p.onward()
	}
}

// onward gets through one branch after the other, with helpers where nothing else does.
func (p *pathfinder) onward() {
	for range maxSolved {
		p.solveOnward()
		if p.ended || !p.leadUp(p.undecided()) {
			return
		}
	}
}

// undecided lists the branches with an untaken side, whether numbers of the call move them or not.
func (p *pathfinder) undecided() []int { return p.untaken(func(branchSide) bool { return true }) }

// untaken lists branches with an untaken side that is wanted: first those with a target ahead, and of either the last first: code after it is the least
// explored.
func (p *pathfinder) untaken(wanted func(branchSide) bool) []int {
	var ahead, others []int
	for _, i := range p.latest() {
		switch b := &p.last[i]; {
		case len(ahead) == maxTargets:
			return ahead
		case !p.tracker.isOpen(b) || !wanted(p.tracker.sideOf(b)):
		case p.tracker.isAhead(b):
			ahead = append(ahead, i)
		default:
			others = append(others, i)
		}
	}
	all := append(ahead, others...)
	return all[:min(len(all), maxTargets)]
}

// latest lists the branches of the base's last call, the last first. Those of called frames come between those of their callers, where formulas
// tell so; what these do not know of is taken for the last.
func (p *pathfinder) latest() []int {
	all := make([]int, len(p.last))
	for i := range all {
		all[i] = len(all) - 1 - i
	}
	if f := p.base.formulas; f != nil && len(p.last) > 0 && p.last[len(p.last)-1].Frame > 0 {
		times := f.Times(p.last)
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(times[b], times[a]) })
	}
	return all
}

// solveOnward gets through one branch after the other until none is solved.
func (p *pathfinder) solveOnward() {
	for range maxSolved {
		if !p.advance() {
			return
		}
	}
}

// targets lists the branches with an untaken side that numbers of the call may move.
func (p *pathfinder) targets() []int {
	return p.untaken(func(side branchSide) bool {
		moved, known := p.moved[side]
		return moved || !known
	})
}

// advance solves for the branches of the base until a run gets through one. That is the
// next base.
func (p *pathfinder) advance() bool {
	targets := p.targets()
	if p.solveByFormulas(targets) {
		return true
	}
	targets = slices.DeleteFunc(targets, func(target int) bool { return p.searched(target) })
	if p.ended || len(targets) == 0 {
		return false
	}
	system := p.buildSystem(targets[0])
	if system == nil {
		return false
	}
	for _, target := range targets {
		if b := &p.last[target]; !p.tracker.isOpen(b) || !p.movable(system, target) {
			continue // decided on the way
		}
		p.diverged = p.diverged[:0]
		if next := p.through(system, target); next != nil {
			p.rebase(next)
			return true
		}
		if p.fromDiverged(p.last[:target+1]) {
			return true
		}
		if p.ended {
			return false
		}
	}
	return false
}

// fromDiverged continues from runs that left the path: where operands are products, the
// effect of a word depends on the others, and is different there.
func (p *pathfinder) fromDiverged(way []input.Branch) bool {
	base := p.base
	for _, there := range slices.Clone(p.diverged) { // more are added meanwhile
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

// retrySide retraces the base's path to a branch side from other values: the base's own
// may not allow any way on. It ends when the task has used up its runs, or one got
// through.
func (p *pathfinder) retrySide(side branchSide) {
	at := slices.IndexFunc(p.last, func(b input.Branch) bool { return p.tracker.sideOf(&b) == side })
	if at < 0 {
		return
	}
	from, way := p.base.sequence, p.last[:at+1]
	tries, before := p.b.task.tries, p.b.trials
	if tries%leadUpInterval == leadUpInterval-1 && p.leadUp([]int{at}) {
		p.onward()
		return
	}
	if p.ended {
		return
	}
	if next := p.satisfy(at, firstTrials<<min(tries, doublings)); next != nil {
		p.rebase(next)
		p.solveOnward()
		return
	}
	if p.refuted[side] {
		p.b.refuted = append(p.b.refuted, side)
		return
	}
	if p.ended || p.b.trials > before && tries%retraceInterval != 0 {
		return
	}
	for before := p.b.executions; p.b.executions-before < retraceRuns && p.redraws(); {
		there := p.redraw(from)
		if there == nil {
			return
		}
		p.rebase(there)
		if p.retrace(way) {
			p.solveOnward()
			return
		}
		if p.ended {
			return
		}
	}
}

// retrace gets through the branches where the base leaves a path, one after the other, up
// to the other side of the path's last. It reports whether that was taken.
func (p *pathfinder) retrace(way []input.Branch) bool {
	goal := &way[len(way)-1]
	for range maxSolved {
		if !p.tracker.isOpen(goal) {
			return true
		}
		_, target := input.TurnOff(way, p.last)
		if target < 0 {
			return false
		}
		system := p.buildSystem(target)
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
