package fuzzer

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Energy is the number of inputs that are made from a seed before the next one is picked.
type Energy int

// maxEnergy is the bound K of the power schedules (lookahead paper §4.2, Def. 6).
const maxEnergy = 1024

// maxPerLID bounds the entries of one LID outside the paper's configurations: loops that
// depend on the input make any number of paths, all with the same targets ahead.
const maxPerLID = 64

// Schedule decides which seed is fuzzed next and with how much energy.
type Schedule struct {
	Name string
	Doc  string // one line

	calls  callModel // what it asks of the lookahead analysis
	perLID int       // bound of entries, 0: none
	// directed: branches that may lead to a target come before others.
	directed bool
	// choose picks one of the entries of a non-empty suite.
	choose func(*Suite, input.Rand) (*Seed, source)
	// energy is that of an entry that choose picked, at least 1.
	energy func(*Suite, *Seed, source) Energy
}

// source is where a pick comes from.
type source uint8

const (
	fromSuite      source = iota // any entry
	fromFrontier                 // the closest to an untaken branch side
	fromLeading                  // an entry whose prefix leads on to a target
	fromChanging                 // one that changes state
	fromOpening                  // one that may lead to a first change of state, see changes
	fromSolving                  // one to solve from, see Campaign.solvingTask
	fromPlan                     // see Campaign.planningTask
	fromUnfollowed               // see Campaign.followingTask
	sources
)

// pick chooses the seed that is fuzzed next. Half of all executions go to the inputs that
// came closest to an untaken branch side; the schedule chooses the others. The half is
// arbitrary: it keeps both alive whatever their sizes. It is half of the executions, not
// of the picks: a schedule that gives most entries little energy would have no say. Nor of
// the work: what takes long, such as checking signatures, is often what is close.
func (sc *Schedule) pick(s *Suite, r input.Rand, without Techniques) (*Seed, source) {
	chosen := s.spent[fromSuite] + s.spent[fromLeading] + s.spent[fromChanging] + s.spent[fromOpening]
	if !without.Frontier && s.spent[fromFrontier] < chosen {
		if seeds := nearest(s, r); len(seeds) > 0 {
			seed := seeds[r.IntN(len(seeds))]
			if sc.directed {
				seed = freshest(seeds, seed)
			}
			return seed, fromFrontier
		}
	}
	return sc.choose(s, r)
}

// assignEnergy is the energy of a seed that pick chose: exponential on the frontier,
// elsewhere the schedule's.
func (sc *Schedule) assignEnergy(s *Suite, seed *Seed, from source) Energy {
	if from == fromFrontier {
		return exponential(seed)
	}
	return sc.energy(s, seed, from)
}

// freshest is one of the least selected seeds, the given one if it is among them. An
// input that has just come closer gets its turns before those that did not in thousands
// of mutants: some sides are never taken.
func freshest(seeds []*Seed, given *Seed) *Seed {
	for _, s := range seeds {
		if s.Selected < given.Selected {
			given = s
		}
	}
	return given
}

// aheadShare: of the picks from the frontier of a directed schedule, all but one in so
// many go to branches that may lead to a target. The others matter too: the code that they
// guard may make the state that a target needs. Arbitrary.
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

// prelude picks an entry whose last call changes state, to be put before others; nil
// while there is none. A directed schedule picks a group of changing entries first, then
// one of the group.
func (sc *Schedule) prelude(s *Suite, r input.Rand) *Seed {
	if s.changing.len() == 0 {
		return nil
	}
	if groups := s.lids.of[changing]; sc.directed && len(groups) > 0 {
		apart := r.IntN(apartShare) == 0
		return pickGroup(groups, r, apart).seeds.pick(r, apart)
	}
	return s.changing.pick(r, r.IntN(apartShare) == 0)
}

// The schedules; the letters are the configurations of lookahead
// §6.3.
var (
	Lookahead = &Schedule{"lookahead", "a LID uniformly, then one of its entries; rare ones get exponential energy", observedCalls, maxPerLID, true, pickByLID, energyOfRare}
	PaperB    = &Schedule{"paper-b", "B: entries uniformly; rare ones, by the paper's <, get exponential energy", conservativeCalls, 0, false, pickUniformly, energyOfStrictlyRare}
	Cutoff    = &Schedule{"cutoff", "A: entries uniformly, AFLFast's cut-off exponential energy; no lookahead", noAnalysis, 0, false, pickCutoff, energyOfAll}
	Paths     = &Schedule{"paths", "C: B with a lookahead that always answers \"may reach\"", anythingAhead, 0, false, pickUniformly, energyOfStrictlyRare}
	LIDs      = &Schedule{"lids", "D: A's formula over LIDs", conservativeCalls, 0, false, pickCutoffLIDs, energyOfAll}
)

// afterTargets replaces the default schedule when there is no target to steer to: A's,
// but inputs that have just come closer to an untaken side still go first.
var afterTargets = &Schedule{Name: "after-targets", Doc: "no target is left", directed: true, choose: pickCutoff, energy: energyOfAll}

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
// exercised more often than the mean over all paths of its [pool]'s part, else min(2^selected, K).
func pickCutoff(s *Suite, r input.Rand) (*Seed, source) {
	return pickBelow(s, r, s.isBelowMean), fromSuite
}

// pickCutoffLIDs is configuration D: the same over LIDs.
func pickCutoffLIDs(s *Suite, r input.Rand) (*Seed, source) {
	var total uint64
	for _, g := range s.lids.of[live] {
		total += g.fuzz
	}
	n := uint64(len(s.lids.of[live]))
	return pickBelow(s, r, func(seed *Seed) bool { return seed.lid == nil || seed.lid.fuzz*n <= total }), fromSuite
}

// pickBelow picks entries uniformly until one is below the mean. The least
// exercised is never above it, so trying every seed once would end; picking with
// replacement ends soon too, and the bound is twice the expected number of tries
// if only one seed is below.
func pickBelow(s *Suite, r input.Rand, below func(*Seed) bool) *Seed {
	var seed *Seed
	apart := s.turnOfApart()
	for range 2*len(s.Seeds) + 1 {
		seed = s.pool.pick(r, apart)
		if below(seed) {
			break
		}
	}
	return seed
}

// pickUniformly is configuration B: entries uniformly.
func pickUniformly(s *Suite, r input.Rand) (*Seed, source) {
	return s.pool.pick(r, s.turnOfApart()), fromSuite
}

// shares are the parts of the work that the default schedule chooses: half
// toward targets, a quarter each for entries that change the state that later calls
// meet, and for those that may lead to a first change. Arbitrary.
var shares = [sources]uint64{fromLeading: 2, fromChanging: 1, fromOpening: 1}

// pickByLID is the default: LIDs uniformly, however many paths share one. Half of the
// work goes to LIDs whose prefix leads on toward a target, the others to LIDs that
// matter for their effect on the state. The remaining LIDs are never picked: no mutant of
// theirs is nearer to a target than any input, and mutation calls their functions anyway.
func pickByLID(s *Suite, r input.Rand) (*Seed, source) {
	l := &s.lids
	from := s.turn(func(k source) bool { return len(l.of[k]) > 0 })
	if from == fromSuite {
		return pickCutoff(s, r)
	}
	apart := s.turnOfApart()
	return pickGroup(l.of[from], r, apart).seeds.pick(r, apart), from
}

// turn is the source that got the least of its share; fromSuite when there is none. A
// source without entries saves nothing for later.
func (s *Suite) turn(has func(source) bool) source {
	next := fromSuite
	for k, share := range shares {
		k := source(k)
		if share > 0 && has(k) && (next == fromSuite || s.worked[k]*shares[next] < s.worked[next]*share) {
			next = k
		}
	}
	for k, share := range shares {
		if k := source(k); next != fromSuite && share > 0 && !has(k) {
			s.worked[k] = max(s.worked[k], s.worked[next]*share/shares[next])
		}
	}
	return next
}

// energyOfAll gives every entry exponential energy.
func energyOfAll(_ *Suite, seed *Seed, _ source) Energy { return exponential(seed) }

// energyOfStrictlyRare gives exponential energy to rare entries, by the paper's <, and
// little to others (lookahead §4.2).
func energyOfStrictlyRare(s *Suite, seed *Seed, _ source) Energy {
	if seed.lid == nil || s.lids.rare(seed.lid, live, true) {
		return exponential(seed)
	}
	return 1
}

// energyOfRare reads the paper's < as ≤: otherwise nothing is rare whenever the least
// count is a power of two. LIDs are compared with those of the same source.
func energyOfRare(s *Suite, seed *Seed, from source) Energy {
	if from == fromSuite || s.lids.rare(seed.lid, from, false) {
		return exponential(seed)
	}
	return 1
}

// exponential is min(2^selected, K).
func exponential(seed *Seed) Energy {
	if seed.Selected >= 10 { // 2^10 = maxEnergy
		return maxEnergy
	}
	return 1 << seed.Selected
}
