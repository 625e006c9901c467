package fuzzer

import (
	"math/bits"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
)

// lidGroup is what the suite knows of one lookahead identifier.
type lidGroup struct {
	seeds   pool
	fuzz    uint64 // fuzz(λ): executions of the paths filed under it
	changes bool   // those of its paths that are entries change state
	leads   bool   // see lookaheadResult
	opens   bool   // likewise
	points  []pointRun
	id      lookahead.ID
	paths   int // filed under it
}

// pointRun is some split points along a prefix: so many with numbers one after the
// other. Prefixes are thousands of split points long and share most of them with
// others; those that one is the first to have get numbers in a row.
type pointRun struct{ first, end int32 }

// kinds of live LIDs: all of them, those that lead to a target, and so on; each by
// the source of picks that draws from it.
const (
	live     = fromSuite
	leading  = fromLeading
	changing = fromChanging
	opening  = fromOpening
)

// lids counts executions by lookahead identifier and by split point. Only
// fuzz(pid) is a count of its own; these are sums over the paths filed under a
// LID, kept up to date.
type lids struct {
	byID   map[lookahead.ID]*lidGroup
	of     [sources][]*lidGroup // those with seeds, by kind, in order of first entry
	number map[lookahead.SplitPoint]int32
	fuzz   []uint64 // fuzz(p), by number
	// users counts the groups of a kind whose prefix holds p, by number; of the
	// kinds live and leading alone.
	users [sources][]int

	leastLID   [sources]leastLID
	leastPoint [sources]leastPoint
}

// leastLID and leastPoint remember a least count. Counts rise, so it stays the
// least until its own holder's does; whatever else happens is taken into account
// when it does.
type leastLID struct {
	group *lidGroup // nil: to be looked for
	count uint64
}

type leastPoint struct {
	number int32
	count  uint64
	known  bool
}

func newLIDs() lids {
	return lids{byID: map[lookahead.ID]*lidGroup{}, number: map[lookahead.SplitPoint]int32{}}
}

// group finds or makes the group of a result.
func (l *lids) group(r *lookaheadResult) *lidGroup {
	if g := l.byID[r.ID]; g != nil {
		return g
	}
	g := &lidGroup{id: r.ID, leads: r.leads, opens: r.opens}
	for _, p := range r.SplitPoints {
		n, known := l.number[p]
		if !known {
			n = int32(len(l.fuzz)) // fewer than the code of all programs has bytes
			l.number[p] = n
			l.fuzz = append(l.fuzz, 0)
			l.users[live] = append(l.users[live], 0)
			l.users[leading] = append(l.users[leading], 0)
		}
		if last := len(g.points) - 1; last >= 0 && g.points[last].end == n {
			g.points[last].end++
		} else {
			g.points = append(g.points, pointRun{n, n + 1})
		}
	}
	g.points = slices.Clone(g.points) // without room for more
	l.byID[r.ID] = g
	return g
}

// file puts a path with so many executions under a group.
func (l *lids) file(g *lidGroup, n uint64) {
	g.paths++
	l.count(g, n)
}

// unfile takes such a path away; a group without any is forgotten.
func (l *lids) unfile(g *lidGroup, n uint64) {
	l.uncount(g, n)
	if g.paths--; g.paths == 0 {
		delete(l.byID, g.id)
	}
}

// numbers are those of the split points along the prefix.
func (g *lidGroup) numbers(yield func(int32) bool) {
	for _, run := range g.points {
		for p := run.first; p < run.end; p++ {
			if !yield(p) {
				return
			}
		}
	}
}

// count adds executions to a group and its split points.
func (l *lids) count(g *lidGroup, n uint64) {
	g.fuzz += n
	for p := range g.numbers {
		l.fuzz[p] += n
	}
}

// uncount takes executions back.
func (l *lids) uncount(g *lidGroup, n uint64) {
	g.fuzz -= n
	for p := range g.numbers {
		l.fuzz[p] -= n
	}
	l.leastLID, l.leastPoint = [sources]leastLID{}, [sources]leastPoint{}
}

// enter makes a seed an entry of a group.
func (l *lids) enter(seed *Seed, g *lidGroup) {
	if g.seeds.len() == 0 {
		l.join(g, live)
		if g.leads {
			l.join(g, leading)
		}
		if g.opens {
			l.join(g, opening)
		}
	}
	g.seeds.add(seed)
	if seed.Changes && !g.changes {
		g.changes = true
		l.join(g, changing)
	}
	seed.lid = g
}

// join puts a group among those of a kind.
func (l *lids) join(g *lidGroup, kind source) {
	l.of[kind] = append(l.of[kind], g)
	if least := &l.leastLID[kind]; least.group != nil && g.fuzz < least.count {
		*least = leastLID{g, g.fuzz}
	}
	if l.users[kind] == nil {
		return
	}
	for p := range g.numbers {
		l.users[kind][p]++
		if least := &l.leastPoint[kind]; least.known && l.fuzz[p] < least.count {
			*least = leastPoint{p, l.fuzz[p], true}
		}
	}
}

// leave takes a seed out of its group.
func (l *lids) leave(seed *Seed) {
	g := seed.lid
	if g == nil {
		return
	}
	seed.lid = nil
	g.seeds.remove(seed)
	if g.seeds.len() > 0 {
		return
	}
	for kind := range l.of {
		i := slices.Index(l.of[kind], g)
		if i < 0 {
			continue
		}
		l.of[kind] = slices.Delete(l.of[kind], i, i+1)
		l.leastLID[kind], l.leastPoint[kind] = leastLID{}, leastPoint{}
		if l.users[kind] != nil {
			for p := range g.numbers {
				l.users[kind][p]--
			}
		}
	}
	g.changes = false
}

// leastOf is the least count of the LIDs of a kind.
func (l *lids) leastOf(kind source) uint64 {
	least := &l.leastLID[kind]
	if least.group == nil || least.group.fuzz != least.count {
		*least = leastLID{}
		for _, g := range l.of[kind] {
			if least.group == nil || g.fuzz < least.count {
				*least = leastLID{g, g.fuzz}
			}
		}
	}
	return least.count
}

// leastPointOf is the least count of the split points that a kind's LIDs hold;
// false when they hold none.
func (l *lids) leastPointOf(kind source) (uint64, bool) {
	least := &l.leastPoint[kind]
	if !least.known || l.fuzz[least.number] != least.count {
		*least = leastPoint{}
		for p, n := range l.users[kind] {
			if n > 0 && (!least.known || l.fuzz[p] < least.count) {
				*least = leastPoint{int32(p), l.fuzz[p], true}
			}
		}
	}
	return least.count, least.known
}

// cutoff is the dynamic rarity cut-off of lookahead §4.2, Definitions 5 and 6:
// the power of two 2^i with 2^(i−1) < least ≤ 2^i.
func cutoff(least uint64) uint64 {
	if least <= 1 {
		return 1
	}
	return 1 << bits.Len64(least-1)
}

// rare reports whether a LID, or a split point along its prefix, is rare among those
// of a kind: exercised at most as often as the cut-off says, or less often in the
// paper's own words (strict). Of changes of state the LIDs alone count.
func (l *lids) rare(g *lidGroup, kind source, strict bool) bool {
	isRare := func(count, cutoff uint64) bool { return count < cutoff || count == cutoff && !strict }
	if isRare(g.fuzz, cutoff(l.leastOf(kind))) {
		return true
	}
	least, known := l.leastPointOf(kind)
	at := cutoff(least)
	if !known {
		return false
	}
	for p := range g.numbers {
		if isRare(l.fuzz[p], at) {
			return true
		}
	}
	return false
}
