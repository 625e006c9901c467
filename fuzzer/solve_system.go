package fuzzer

import (
	"math/big"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// movable reports whether a number among the input words moves the operands of a branch
// apart: from the base, or, where they are products of zeros, from some other values.
// What the compiler checks of an argument's bits compares it with itself, whatever it is, and
// what is stored for an address no number changes.
func (p *pathfinder) movable(system *input.System, target int) bool {
	b := &p.last[target]
	side := sideOf(b)
	moved, known := p.moved[side]
	moved = moved || system.Moves(target)
	for n := 0; n < shakes && !moved && !known; n++ {
		there := p.shake(n)
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
		p.yields(side)
	} else {
		p.moved[side] = false
	}
	return moved
}

// shake is one of the base's runs with random words in the last call; nil when the task is
// over.
func (p *pathfinder) shake(n int) *point {
	for n >= len(p.shaken) {
		there := p.redraw(p.base.sequence)
		if there == nil {
			return nil
		}
		p.shaken = append(p.shaken, there)
	}
	return p.shaken[n]
}

// yields notes that numbers move the operands of a branch.
func (p *pathfinder) yields(side branchSide) {
	if !p.moved[side] {
		p.moved[side] = true
		p.b.yields = append(p.b.yields, side)
	}
}

// moves reports whether a number moves the operands of a branch of another run apart.
func (p *pathfinder) moves(there *point, target int) bool {
	base, shaken := p.base, p.shaken
	defer func() {
		p.rebase(base)
		p.shaken = shaken
	}()
	p.rebase(there)
	system := p.look(target)
	return system != nil && system.Moves(target)
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

// nearer reports whether a branch is less than a distance from its other side.
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
