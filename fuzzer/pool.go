package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// pool is seeds to pick from, those in which the attacker's contract follows a script apart from the others: what it
// may answer and call makes many more paths of a function than arguments do, and they would take nearly all picks.
type pool struct{ plain, scripted []*Seed }

// scriptedShare: while there are others, one pick in so many is of a seed with a script. Arbitrary.
const scriptedShare = 4

func (p *pool) len() int { return len(p.plain) + len(p.scripted) }

func (p *pool) add(s *Seed) {
	of := p.of(s)
	*of = append(*of, s)
}

func (p *pool) remove(s *Seed) {
	of := p.of(s)
	*of = slices.DeleteFunc(*of, func(other *Seed) bool { return other == s })
}

func (p *pool) of(s *Seed) *[]*Seed {
	if s.Scripted {
		return &p.scripted
	}
	return &p.plain
}

// pick is a seed of a pool that has some.
func (p *pool) pick(r input.Rand) *Seed {
	from := p.plain
	if len(from) == 0 || len(p.scripted) > 0 && r.IntN(scriptedShare) == 0 {
		from = p.scripted
	}
	return from[r.IntN(len(from))]
}

// pickGroup is one of some groups of seeds. One that has only seeds with a script is mostly drawn again, in vain where there are
// hardly any others.
func pickGroup(groups []*lidGroup, r input.Rand) *lidGroup {
	g := groups[r.IntN(len(groups))]
	for draws := 1; draws < scriptedShare && len(g.seeds.plain) == 0 && r.IntN(scriptedShare) > 0; draws++ {
		g = groups[r.IntN(len(groups))]
	}
	return g
}

// hasRoom reports whether a seed may be added, of at most so many; 0: there is no bound.
func (p *pool) hasRoom(s *Seed, most int) bool {
	return most == 0 || p.len() < most && (!s.Scripted || len(p.scripted) < max(1, most/scriptedShare))
}
