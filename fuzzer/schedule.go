package fuzzer

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Energy is how many inputs are made from a seed before the next is picked.
type Energy int

// maxEnergy is the bound K of the power schedules (lookahead paper §4.2, Def. 6).
const maxEnergy = 1024

// maxPerLID bounds the entries of one LID outside the paper's configurations:
// loops that depend on the input make paths without end, all alike to what lies
// ahead.
const maxPerLID = 64

// Schedule decides which seed is fuzzed next and with how much energy.
type Schedule struct {
	Name string
	Doc  string // one line

	calls  callModel // what it asks of the lookahead analysis
	perLID int       // bound of entries, 0: none
	// directed: branches that may lead to a target come before others.
	directed bool
	// choose picks one of the entries of a non-empty suite and says how much energy
	// it gets, at least 1.
	choose func(*Suite, input.Rand) (*Seed, Energy, source)
}

// source is where a pick comes from.
type source uint8

const (
	fromSuite    source = iota // any entry
	fromFrontier               // the closest to a branch side that nothing has taken
	fromLeading                // an entry whose prefix leads on to a target
	fromChanging               // one that changes state
	fromOpening                // one that may come to change it as nothing has
	fromSolving                // one to solve from, see Campaign.solvingTask
	sources
)

// pick chooses what is fuzzed next. Half of all executions go to the inputs that
// came closest to a branch side nothing has taken yet, with
// exponential energy; the others are the schedule's. The half is arbitrary: it
// keeps both alive whatever their sizes. It is one of executions, not of picks: a
// schedule that gives most entries little energy would have no say.
func (sc *Schedule) pick(s *Suite, r input.Rand, without Techniques) (*Seed, Energy, source) {
	chosen := s.spent[fromSuite] + s.spent[fromLeading] + s.spent[fromChanging] + s.spent[fromOpening]
	if !without.Frontier && s.spent[fromFrontier] < chosen {
		if seeds := nearest(s, r); len(seeds) > 0 {
			seed := seeds[r.IntN(len(seeds))]
			if sc.directed {
				seed = freshest(seeds, seed)
			}
			return seed, exponential(seed), fromFrontier
		}
	}
	return sc.choose(s, r)
}

// freshest is one of the least selected seeds, the given one if it is. An input
// that has just come closer gets its turns before those that did not in thousands
// of mutants: some sides nothing ever takes.
func freshest(seeds []*Seed, given *Seed) *Seed {
	for _, s := range seeds {
		if s.Selected < given.Selected {
			given = s
		}
	}
	return given
}

// aheadShare: of the picks from the frontier of a schedule that knows what lies
// ahead, all but one in so many go to branches that may lead to a target. The
// others matter too: what they guard may change the state that a target needs.
// Arbitrary.
const aheadShare = 4

// nearest lists the closest inputs to pick from. With a schedule that is not
// directed, none has a target ahead.
func nearest(s *Suite, r input.Rand) []*Seed {
	ahead, others := s.closest[1], s.closest[0]
	if len(ahead) == 0 || len(others) > 0 && r.IntN(aheadShare) == 0 {
		return others
	}
	return ahead
}

// prelude picks an entry whose last call changes state, to be put in front of
// others; nil while there is none. A directed schedule picks a change first, then
// one of the entries that make it.
func (sc *Schedule) prelude(s *Suite, r input.Rand) *Seed {
	if len(s.changing) == 0 {
		return nil
	}
	if groups := s.lids.of[changing]; sc.directed && len(groups) > 0 {
		g := groups[r.IntN(len(groups))]
		return g.seeds[r.IntN(len(g.seeds))]
	}
	return s.changing[r.IntN(len(s.changing))]
}

// The schedules; the letters are the configurations of lookahead
// §6.3.
var (
	Lookahead = &Schedule{"lookahead", "a LID uniformly, then one of its entries; rare ones get exponential energy", observedCalls, maxPerLID, true, pickByLID}
	PaperB    = &Schedule{"paper-b", "B: entries uniformly; rare ones, by the paper's <, get exponential energy", conservativeCalls, 0, false, pickRare}
	Cutoff    = &Schedule{"cutoff", "A: entries uniformly, AFLFast's cut-off exponential energy; no lookahead", noAnalysis, 0, false, pickCutoff}
	Paths     = &Schedule{"paths", "C: B with a lookahead that always answers \"may reach\"", anythingAhead, 0, false, pickRare}
	LIDs      = &Schedule{"lids", "D: A's formula over LIDs", conservativeCalls, 0, false, pickCutoffLIDs}
)

// afterTargets is what the default schedule becomes when there is no target to steer to:
// A's, but what has just come closer to an untaken side keeps its turn.
var afterTargets = &Schedule{Name: "after-targets", Doc: "no target is left", directed: true, choose: pickCutoff}

// Schedules lists all schedules, the default first.
func Schedules() []*Schedule { return []*Schedule{Lookahead, PaperB, Cutoff, Paths, LIDs} }

// ScheduleNamed finds a schedule by its name.
func ScheduleNamed(name string) (*Schedule, error) {
	var names []string
	for _, s := range Schedules() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("unknown schedule %q: want one of %s", name, strings.Join(names, ", "))
}

// pickCutoff is configuration A: entries uniformly, with AFLFast's cut-off
// exponential energy (CCS'16 §4.3): nothing for a seed whose path has been
// exercised more often than the mean over all paths, else min(2^selected, K).
func pickCutoff(s *Suite, r input.Rand) (*Seed, Energy, source) {
	seed := pickBelow(s, r, func(seed *Seed) bool { return s.fuzz(seed.PID)*uint64(s.paths()) <= s.total })
	return seed, exponential(seed), fromSuite
}

// pickCutoffLIDs is configuration D: the same over LIDs.
func pickCutoffLIDs(s *Suite, r input.Rand) (*Seed, Energy, source) {
	var total uint64
	for _, g := range s.lids.of[live] {
		total += g.fuzz
	}
	n := uint64(len(s.lids.of[live]))
	seed := pickBelow(s, r, func(seed *Seed) bool { return seed.lid == nil || seed.lid.fuzz*n <= total })
	return seed, exponential(seed), fromSuite
}

// pickBelow picks entries uniformly until one is below the mean. The least
// exercised is never above it, so trying every seed once would end; picking with
// replacement ends soon too, and the bound is twice the expected number of tries
// if only one seed is below.
func pickBelow(s *Suite, r input.Rand, below func(*Seed) bool) *Seed {
	var seed *Seed
	for range 2*len(s.Seeds) + 1 {
		seed = s.Seeds[r.IntN(len(s.Seeds))]
		if below(seed) {
			break
		}
	}
	return seed
}

// pickRare is configuration B: entries uniformly, much energy for rare ones
// (lookahead §4.2).
func pickRare(s *Suite, r input.Rand) (*Seed, Energy, source) {
	seed := s.Seeds[r.IntN(len(s.Seeds))]
	if seed.lid == nil || s.lids.rare(seed.lid, live, true) {
		return seed, exponential(seed), fromSuite
	}
	return seed, 1, fromSuite
}

// shares are the parts of the executions that the default schedule chooses: half
// toward targets, a quarter each for what changes the state that a later call
// meets, and for what may come to change it as nothing has yet. Arbitrary.
var shares = [sources]uint64{fromLeading: 2, fromChanging: 1, fromOpening: 1}

// pickByLID is the default: LIDs uniformly, however many paths share one, and
// the paper's < read as ≤, without which nothing is rare whenever the least count
// is a power of two. LIDs whose prefix leads on toward a target come
// first, others get turns for what they do to the state, and rarity is among
// their own. The rest has none: no mutant of theirs is nearer to a target than
// any input, and mutation calls their functions anyway.
func pickByLID(s *Suite, r input.Rand) (*Seed, Energy, source) {
	l := &s.lids
	from := s.turn(func(k source) bool { return len(l.of[k]) > 0 })
	if from == fromSuite {
		return pickCutoff(s, r)
	}
	g := l.of[from][r.IntN(len(l.of[from]))]
	seed := g.seeds[r.IntN(len(g.seeds))]
	if l.rare(g, from, false) {
		return seed, exponential(seed), from
	}
	return seed, 1, from
}

// turn is the source that got the least of its share; fromSuite when there is
// none. One that is empty does not save up.
func (s *Suite) turn(has func(source) bool) source {
	next := fromSuite
	for k, share := range shares {
		k := source(k)
		if share > 0 && has(k) && (next == fromSuite || s.spent[k]*shares[next] < s.spent[next]*share) {
			next = k
		}
	}
	for k, share := range shares {
		if k := source(k); next != fromSuite && share > 0 && !has(k) {
			s.spent[k] = max(s.spent[k], s.spent[next]*share/shares[next])
		}
	}
	return next
}

// exponential is min(2^selected, K).
func exponential(seed *Seed) Energy {
	if seed.Selected >= 10 { // 2^10 = maxEnergy
		return maxEnergy
	}
	return 1 << seed.Selected
}
