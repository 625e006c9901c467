package fuzzer

import (
	"math/bits"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
)

// lidGroup is what the suite knows of one lookahead identifier.
type lidGroup struct {
	seeds   []*Seed
	fuzz    uint64 // fuzz(λ): executions of the paths filed under it
	changes bool   // those of its paths that are entries change state
	leads   bool   // see outlook
	opens   bool   // likewise
	points  []int  // numbers of the split points along the prefix
}

// lids counts executions by lookahead identifier and by split point. Only
// fuzz(pid) is a count of its own; these are sums over the paths filed under a
// LID, kept up to date (design §6, "Counts").
type lids struct {
	byID     map[lookahead.ID]*lidGroup
	changing []*lidGroup // of live, those that change state
	live     []*lidGroup // those with seeds, in order of first entry
	number   map[lookahead.SplitPoint]int
	fuzz     []uint64    // fuzz(p), by number
	users    []int       // live groups whose prefix holds p, by number
	leading  []*lidGroup // of live, those that lead to a target
	opening  []*lidGroup // likewise, those that lead to a change of state
	toTarget []int       // leading groups whose prefix holds p, by number
}

func newLIDs() lids {
	return lids{byID: map[lookahead.ID]*lidGroup{}, number: map[lookahead.SplitPoint]int{}}
}

// group finds or makes the group of a result.
func (l *lids) group(r *outlook) *lidGroup {
	if g := l.byID[r.ID]; g != nil {
		return g
	}
	g := &lidGroup{leads: r.leads, opens: r.opens}
	for _, p := range r.SplitPoints {
		n, known := l.number[p]
		if !known {
			n = len(l.fuzz)
			l.number[p] = n
			l.fuzz = append(l.fuzz, 0)
			l.users = append(l.users, 0)
			l.toTarget = append(l.toTarget, 0)
		}
		g.points = append(g.points, n)
	}
	l.byID[r.ID] = g
	return g
}

// count adds executions to a group and its split points.
func (l *lids) count(g *lidGroup, n uint64) {
	g.fuzz += n
	for _, p := range g.points {
		l.fuzz[p] += n
	}
}

// uncount takes executions back.
func (l *lids) uncount(g *lidGroup, n uint64) {
	g.fuzz -= n
	for _, p := range g.points {
		l.fuzz[p] -= n
	}
}

// enter makes a seed an entry of a group.
func (l *lids) enter(seed *Seed, g *lidGroup) {
	if len(g.seeds) == 0 {
		l.live = append(l.live, g)
		for _, p := range g.points {
			l.users[p]++
			if g.leads {
				l.toTarget[p]++
			}
		}
		if g.leads {
			l.leading = append(l.leading, g)
		}
		if g.opens {
			l.opening = append(l.opening, g)
		}
	}
	g.seeds = append(g.seeds, seed)
	if seed.Changes && !g.changes {
		g.changes = true
		l.changing = append(l.changing, g)
	}
	seed.lid = g
}

// leave takes a seed out of its group.
func (l *lids) leave(seed *Seed) {
	g := seed.lid
	if g == nil {
		return
	}
	seed.lid = nil
	g.seeds = slices.DeleteFunc(g.seeds, func(s *Seed) bool { return s == seed })
	if len(g.seeds) > 0 {
		return
	}
	isG := func(other *lidGroup) bool { return other == g }
	l.live, l.leading = slices.DeleteFunc(l.live, isG), slices.DeleteFunc(l.leading, isG)
	l.opening = slices.DeleteFunc(l.opening, isG)
	l.changing, g.changes = slices.DeleteFunc(l.changing, isG), false
	for _, p := range g.points {
		l.users[p]--
		if g.leads {
			l.toTarget[p]--
		}
	}
}

// cutoff is the dynamic rarity cut-off of lookahead §4.2, Definitions 5 and 6:
// the power of two 2^i with 2^(i−1) < least ≤ 2^i.
func cutoff(least uint64) uint64 {
	if least <= 1 {
		return 1
	}
	return 1 << bits.Len64(least-1)
}

// rare tells whether a group's LID or a split point along its prefix is rare:
// exercised at most as often as the cut-off says, or less often in the paper's
// own words (strict).
func (l *lids) rare(g *lidGroup, strict bool) bool { return l.rareAmong(g, l.live, l.users, strict) }

// rareAmong is rare among some of the live groups, by the split points that they
// use.
func (l *lids) rareAmong(g *lidGroup, groups []*lidGroup, users []int, strict bool) bool {
	least := g.fuzz
	for _, other := range groups {
		least = min(least, other.fuzz)
	}
	isRare := func(count, cutoff uint64) bool { return count < cutoff || count == cutoff && !strict }
	if isRare(g.fuzz, cutoff(least)) {
		return true
	}
	first := true
	for p, n := range users {
		if n > 0 && (first || l.fuzz[p] < least) {
			first, least = false, l.fuzz[p]
		}
	}
	at := cutoff(least)
	return !first && slices.ContainsFunc(g.points, func(p int) bool { return isRare(l.fuzz[p], at) })
}
