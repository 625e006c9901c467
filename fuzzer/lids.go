package fuzzer

import (
	"math/bits"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
)

// lidGroup is what the suite knows of one lookahead identifier.
type lidGroup struct {
	seeds  []*Seed
	fuzz   uint64 // fuzz(λ): executions of the paths filed under it
	points []int  // numbers of the split points along the prefix
}

// lids counts executions by lookahead identifier and by split point. Only
// fuzz(pid) is a count of its own; these are sums over the paths filed under a
// LID, kept up to date (design §6, "Counts").
type lids struct {
	byID   map[lookahead.ID]*lidGroup
	live   []*lidGroup // those with seeds, in order of first entry
	number map[lookahead.SplitPoint]int
	fuzz   []uint64 // fuzz(p), by number
	users  []int    // live groups whose prefix holds p, by number
}

func newLIDs() lids {
	return lids{byID: map[lookahead.ID]*lidGroup{}, number: map[lookahead.SplitPoint]int{}}
}

// group finds or makes the group of a result.
func (l *lids) group(r *lookahead.Result) *lidGroup {
	if g := l.byID[r.ID]; g != nil {
		return g
	}
	g := &lidGroup{}
	for _, p := range r.SplitPoints {
		n, known := l.number[p]
		if !known {
			n = len(l.fuzz)
			l.number[p] = n
			l.fuzz = append(l.fuzz, 0)
			l.users = append(l.users, 0)
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
		}
	}
	g.seeds = append(g.seeds, seed)
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
	if len(g.seeds) == 0 {
		l.live = slices.DeleteFunc(l.live, func(other *lidGroup) bool { return other == g })
		for _, p := range g.points {
			l.users[p]--
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
func (l *lids) rare(g *lidGroup, strict bool) bool {
	least := g.fuzz
	for _, other := range l.live {
		least = min(least, other.fuzz)
	}
	isRare := func(count, cutoff uint64) bool { return count < cutoff || count == cutoff && !strict }
	if isRare(g.fuzz, cutoff(least)) {
		return true
	}
	first := true
	for p, count := range l.fuzz {
		if l.users[p] > 0 && (first || count < least) {
			first, least = false, count
		}
	}
	at := cutoff(least)
	return slices.ContainsFunc(g.points, func(p int) bool { return isRare(l.fuzz[p], at) })
}
