package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// pool is seeds to pick from, those that [isApart] tells apart from the others: they would take nearly all picks.
type pool struct{ plain, apart []*Seed }

// While there are others, one in executionsPerApart executions is of a task with a seed that is kept apart, and one in apartShare
// prefixes and places of a bounded pool is theirs. Arbitrary: with twice as many executions, the vault example's assert broke no earlier in
// 30 campaigns.
const (
	executionsPerApart = 8
	apartShare         = 4
)

// isApart reports whether the attacker's contract follows a script in some call, or a constructor gets arguments: what that contract
// may answer and call, and what a contract may begin with, makes many more paths of a function than its arguments do.
func isApart(seq input.Sequence) bool {
	return slices.ContainsFunc(seq, func(call input.Call) bool {
		return call.Script != nil || call.Function.Kind == input.Constructor && len(call.Args) > 0
	})
}

func (p *pool) len() int { return len(p.plain) + len(p.apart) }

func (p *pool) add(s *Seed) {
	of := p.of(s)
	*of = append(*of, s)
}

func (p *pool) remove(s *Seed) {
	of := p.of(s)
	*of = slices.DeleteFunc(*of, func(other *Seed) bool { return other == s })
}

func (p *pool) of(s *Seed) *[]*Seed {
	if s.Apart {
		return &p.apart
	}
	return &p.plain
}

// pick is a seed of a pool that has some: one that is kept apart where the pool has no other, or if it is their turn.
func (p *pool) pick(r input.Rand, apart bool) *Seed {
	from := p.plain
	if len(from) == 0 || apart && len(p.apart) > 0 {
		from = p.apart
	}
	return from[r.IntN(len(from))]
}

// pickGroup is one of some groups of seeds. One that has only seeds that are kept apart is mostly drawn again where it is not their
// turn, in vain where there are hardly any others.
func pickGroup(groups []*lidGroup, r input.Rand, apart bool) *lidGroup {
	g := groups[r.IntN(len(groups))]
	for draws := 1; draws < apartShare && len(g.seeds.plain) == 0 && !apart; draws++ {
		g = groups[r.IntN(len(groups))]
	}
	return g
}

// turnOfApart reports whether seeds that are kept apart have had less than their share of the executions that schedules chose. It is of
// executions, as in [Schedule.pick]: few seeds are picked often, and so get much energy each.
func (s *Suite) turnOfApart() bool {
	return s.apart.spent*executionsPerApart < s.apart.all
}

// hasRoom reports whether a seed may be added, of at most so many; 0: there is no bound.
func (p *pool) hasRoom(s *Seed, most int) bool {
	return most == 0 || p.len() < most && (!s.Apart || len(p.apart) < max(1, most/apartShare))
}
