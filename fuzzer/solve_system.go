package fuzzer

import (
	"math/big"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// movable reports whether a number among the input words changes the difference of a
// branch's operands: from the base, or, where they are products of zeros, from some other
// values. The compiler's check of an argument's bits compares it with itself, whatever
// its value, and no number changes what is stored for an address.
func (p *pathfinder) movable(system *input.System, target int) bool {
	b := &p.last[target]
	side := p.tracker.sideOf(b)
	moved, known := p.moved[side]
	moved = moved || system.Moves(target)
	for n := 0; n < maxRandomized && !moved && !known && p.redraws(); n++ {
		there := p.randomizedRun(n)
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
	}
	if moved {
		p.noteMovable(side)
	} else {
		p.moved[side] = false
	}
	return moved
}

// randomizedRun is the n-th run of the base with random words in the last call; nil when
// the task is over.
func (p *pathfinder) randomizedRun(n int) *point {
	for n >= len(p.randomized) {
		there := p.redraw(p.base.sequence)
		if there == nil {
			return nil
		}
		p.randomized = append(p.randomized, there)
	}
	return p.randomized[n]
}

// moves reports whether a number changes the operands' difference at a branch of another
// run.
func (p *pathfinder) moves(there *point, target int) bool {
	base, randomized := p.base, p.randomized
	defer func() {
		p.rebase(base)
		p.randomized = randomized
	}()
	p.rebase(there)
	system := p.buildSystem(target)
	return system != nil && system.Moves(target)
}

// buildSystem makes the runs that show the effect of the variables on the branches up to
// a target. Nil when the call has no variables, or the task is over.
func (p *pathfinder) buildSystem(target int) *input.System {
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

// through searches for a run that follows the base's path up to a branch, and takes its
// other side. Nil when there is none, or the task is over.
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
		if system = p.buildSystem(target); system == nil {
			return nil
		}
	}
	return nil
}

// nearest runs what a system proposes until a run gets through the target; otherwise it
// is the run that comes nearest, if nearer than the base. Nil when there is none.
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
		case i >= 0 && i < target && len(p.diverged) < maxDiverged:
			p.diverged = append(p.diverged, there)
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

// nearer reports whether a branch is less than a distance from its other side.
func nearer(b *input.Branch, distance *uint256.Int) bool {
	d := b.Distance()
	return d.Lt(distance)
}

// proposed are values to try. For an equality that no step along one way solves, pairs of
// variables come first: their product may.
func (p *pathfinder) proposed(system *input.System, target int) [][]*big.Int {
	if !system.Hard(target) {
		return p.reach(system, target)
	}
	for _, pair := range system.Pairs(target) {
		if !p.probe(system, pair) {
			return nil
		}
	}
	return append(system.Factor(p.rand, target), p.reach(system, target)...)
}

// reach is [input.System.Reach]; what it takes counts.
func (p *pathfinder) reach(system *input.System, target int) [][]*big.Int {
	values, trials := system.Reach(p.rand, target)
	p.b.trials += uint64(trials)
	return values
}
