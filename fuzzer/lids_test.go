package fuzzer

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRarityCutoff: the power of two 2^i with 2^(i−1) < least ≤ 2^i (lookahead
// §4.2, Definition 5).
func TestRarityCutoff(t *testing.T) {
	for least, want := range map[uint64]uint64{0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 16, 1 << 40: 1 << 40, 1<<40 + 1: 1 << 41} {
		if got := cutoff(least); got != want {
			t.Errorf("cutoff(%d) = %d, want %d", least, got, want)
		}
	}
}

// result makes a lookahead result with split points at blocks.
func result(id byte, blocks ...bytecode.BlockID) *lookaheadResult {
	r := &lookaheadResult{Result: lookahead.Result{ID: lookahead.ID{id}}}
	for _, b := range blocks {
		r.SplitPoints = append(r.SplitPoints, lookahead.SplitPoint{Code: 1, Block: b})
	}
	return r
}

// TestRare: by the LID's own count, or by a split point's, with the paper's < and
// with ≤.
func TestRare(t *testing.T) {
	for _, test := range []struct {
		name     string
		counts   [3]uint64 // of the LIDs 0, with split points 0 and 1; 1, with 0 and 2; 2, with 0
		rare     [3]bool
		strictly [3]bool
	}{
		// Least LID 4, cut-off 4; split points 0: 24, 1: 4, 2: 10, least 4, cut-off 4.
		{"a power of two", [3]uint64{4, 10, 10}, [3]bool{true, false, false}, [3]bool{}},
		// Least LID 5, cut-off 8; split points 27, 5, 7: cut-off 8.
		{"no power of two", [3]uint64{5, 7, 15}, [3]bool{true, true, false}, [3]bool{true, true, false}},
		// Least LID 1, cut-off 1; split points 102, 100, 1.
		{"once", [3]uint64{100, 1, 1}, [3]bool{false, true, true}, [3]bool{}},
		// Least LID 3, cut-off 4; split points 0: 43, 1: 20, 2: 20, least 20, cut-off 32.
		{"rare by a split point", [3]uint64{20, 20, 3}, [3]bool{true, true, true}, [3]bool{true, true, true}},
	} {
		s := newSuite()
		results := []*lookaheadResult{result(0, 0, 1), result(1, 0, 2), result(2, 0)}
		var seeds []*Seed
		for i, r := range results {
			pid := pidOf(byte(i))
			for range test.counts[i] {
				s.count(pid)
			}
			s.fileUnderLID(pid, r)
			seeds = append(seeds, &Seed{PID: pid})
			s.add(seeds[i], 0)
		}
		for i, seed := range seeds {
			if got := s.lids.rare(seed.lid, live, false); got != test.rare[i] {
				t.Errorf("%s: LID %d is rare: %v", test.name, i, got)
			}
			if got := s.lids.rare(seed.lid, live, true); got != test.strictly[i] {
				t.Errorf("%s: LID %d is rare in the paper's words: %v", test.name, i, got)
			}
		}
	}
}

// TestLIDsModel: fuzz(λ) and fuzz(p) are the sums over the paths filed under a
// LID, and a LID without any is not kept, whatever is counted, learned and filed anew, and in whatever order.
func TestLIDsModel(t *testing.T) {
	r := testRand(11)
	s := newSuite()
	counts := map[bytecode.PathID]uint64{}
	filed := map[bytecode.PathID]*lookaheadResult{}
	entries := map[bytecode.PathID]*Seed{}
	results := []*lookaheadResult{result(0), result(1, 0), result(2, 0, 1), result(3, 0, 1, 2), result(4, 2, 5)}
	results[1].leads, results[2].leads, results[4].opens = true, true, true
	for step := range 4000 {
		pid := pidOf(byte(r.IntN(20)))
		some := results[r.IntN(len(results))]
		switch r.IntN(4) {
		case 0:
			if known := counts[pid] > 0 || entries[pid] != nil; known && filed[pid] == nil {
				filed[pid] = some
			}
			s.fileUnderLID(pid, some)
		case 1:
			if entries[pid] == nil {
				seed := &Seed{PID: pid}
				s.add(seed, 0)
				entries[pid] = seed
			}
		case 2:
			if e := entries[pid]; e != nil && e.lid != nil {
				filed[pid] = some
				s.relabel(e, some, step)
			}
		default:
			counts[pid]++
			s.count(pid)
		}
		checkLIDs(t, s, counts, filed)
	}
}

func checkLIDs(t *testing.T, s *Suite, counts map[bytecode.PathID]uint64, filed map[bytecode.PathID]*lookaheadResult) {
	t.Helper()
	lids := map[lookahead.ID]uint64{}
	points := map[lookahead.SplitPoint]uint64{}
	for pid, r := range filed {
		lids[r.ID] += counts[pid]
		for _, p := range r.SplitPoints {
			points[p] += counts[pid]
		}
	}
	for id, g := range s.lids.byID {
		if g.fuzz != lids[id] {
			t.Fatalf("fuzz(λ%d) = %d, want %d", id[0], g.fuzz, lids[id])
		}
	}
	if len(s.lids.byID) != len(lids) {
		t.Fatalf("%d LIDs are kept, %d have paths", len(s.lids.byID), len(lids))
	}
	for p, n := range s.lids.number {
		if s.lids.fuzz[n] != points[p] {
			t.Fatalf("fuzz(p%d) = %d, want %d", p.Block, s.lids.fuzz[n], points[p])
		}
		users := 0
		for _, g := range s.lids.of[live] {
			for own := range g.numbers {
				if own == n {
					users++
				}
			}
		}
		if users != s.lids.users[live][n] {
			t.Fatalf("split point %d is held by %d live LIDs, want %d", p.Block, s.lids.users[live][n], users)
		}
	}
	for _, g := range s.lids.of[live] {
		if g.seeds.len() == 0 {
			t.Fatal("a LID without entries is live")
		}
	}
	for _, kind := range []source{live, leading} {
		counts, held := []uint64{}, []uint64{}
		for _, g := range s.lids.of[kind] {
			counts = append(counts, g.fuzz)
			for p := range g.numbers {
				held = append(held, s.lids.fuzz[p])
			}
		}
		if len(counts) > 0 && s.lids.leastOf(kind) != slices.Min(counts) {
			t.Fatalf("the least count of kind %d is %d, want %d", kind, s.lids.leastOf(kind), slices.Min(counts))
		}
		if least, known := s.lids.leastPointOf(kind); known != (len(held) > 0) || known && least != slices.Min(held) {
			t.Fatalf("the least count of split points of kind %d is %d, %t", kind, least, known)
		}
	}
}

// TestPerLIDBound: beyond it, paths of a LID are counted, not kept.
func TestPerLIDBound(t *testing.T) {
	s := newSuite()
	r := result(1, 0)
	for i := range byte(5) {
		s.count(pidOf(i))
		s.fileUnderLID(pidOf(i), r)
		s.add(&Seed{PID: pidOf(i)}, 3)
	}
	if len(s.Seeds) != 3 || s.lids.byID[r.ID].fuzz != 5 {
		t.Errorf("%d entries, %d executions", len(s.Seeds), s.lids.byID[r.ID].fuzz)
	}
}

// TestPickByLID: LIDs uniformly, however many entries share one; the kinds of
// LIDs get their shares of the executions.
func TestPickByLID(t *testing.T) {
	s := newSuite()
	for i := range byte(6) {
		lid := min(i, 3) // LIDs 0, 1 and 2 with one entry, LID 3 with three
		r := result(lid, bytecode.BlockID(lid))
		r.leads = lid == 0 || lid == 3 // 2 leads nowhere
		s.count(pidOf(i))
		s.fileUnderLID(pidOf(i), r)
		s.add(&Seed{PID: pidOf(i), Selected: 4, Changes: lid == 1}, 0)
	}
	for _, test := range []struct {
		name              string
		leading, changing uint64 // executions spent
		ints              []int
		want              int
		energy            Energy
		from              source
	}{
		{"a rare one", 10, 5, []int{0, 0}, 0, 16, fromLeading},
		{"the third entry of one that is not", 9, 5, []int{1, 2}, 5, 1, fromLeading},
		{"one that changes state", 10, 4, []int{0, 0}, 1, 16, fromChanging},
	} {
		s.worked = [sources]uint64{fromLeading: test.leading, fromChanging: test.changing}
		seed, from := Lookahead.pick(s, &scripted{t: t, ints: test.ints}, Techniques{Frontier: true})
		energy := Lookahead.assignEnergy(s, seed, from)
		if seed != s.Seeds[test.want] || energy != test.energy || from != test.from {
			t.Errorf("%s: seed %d with energy %d from %d", test.name, slices.Index(s.Seeds, seed), energy, from)
		}
		if s.worked[fromOpening] < min(test.leading/2, test.changing) {
			t.Errorf("%s: nothing opens, and it saves up", test.name)
		}
	}
}

// TestEveryEntryHasALID: under a schedule that asks the analysis, a campaign
// files every path it keeps.
func TestEveryEntryHasALID(t *testing.T) {
	p := open(t, "planted/statuses.sol")
	for _, schedule := range []*Schedule{Lookahead, PaperB, Paths, LIDs} {
		config := p.config(1, 3000)
		config.Schedule = schedule
		c := &Campaign{Config: config}
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(c.suite.lids.of[live]) < 2 {
			t.Errorf("%s: %d LIDs", schedule.Name, len(c.suite.lids.of[live]))
		}
		for _, seed := range c.suite.Seeds {
			if seed.lid == nil {
				t.Fatalf("%s: one of %d entries has no LID", schedule.Name, len(c.suite.Seeds))
			}
		}
	}
}
