package fuzzer

import (
	"slices"
	"testing"

	"github.com/holiman/uint256"
)

// suiteOf makes a suite with one seed per count, its path exercised so often.
func suiteOf(counts ...int) *Suite {
	s := newSuite()
	for i, n := range counts {
		pid := pidOf(byte(i))
		for range n {
			s.count(pid)
		}
		s.add(&Seed{PID: pid}, 0)
	}
	return s
}

func TestSuiteCounts(t *testing.T) {
	s := suiteOf(3, 1, 2)
	for i, want := range []uint64{3, 1, 2, 0} {
		if got := s.fuzz(pidOf(byte(i))); got != want {
			t.Errorf("fuzz(%d) = %d, want %d", i, got, want)
		}
	}
	if s.paths() != 3 || s.total != 6 || len(s.Seeds) != 3 {
		t.Errorf("%d paths, %d executions, %d seeds", s.paths(), s.total, len(s.Seeds))
	}
}

func TestSuiteAdmitsOneSeedPerPath(t *testing.T) {
	s := suiteOf(1)
	s.add(&Seed{PID: pidOf(0), Changes: true}, 0)
	if len(s.Seeds) != 1 || s.changing.len() != 0 {
		t.Errorf("a second seed for the same path: %d seeds, %d of them changing", len(s.Seeds), s.changing.len())
	}
	changing := &Seed{PID: pidOf(9), Changes: true}
	s.add(changing, 0) // before its path is counted
	s.count(pidOf(9))
	if !slices.Contains(s.Seeds, changing) || !slices.Equal(s.changing.plain, []*Seed{changing}) {
		t.Error("a seed that changes state is not kept among those that do")
	}
	again := &Seed{PID: pidOf(8), Changes: true}
	s.add(again, 0)
	if !slices.Contains(s.Seeds, again) || slices.Contains(s.changing.plain, again) {
		t.Error("a seed that leaves the same state as another is put before others")
	}
	s.add(&Seed{PID: pidOf(7), Changes: true, state: 1}, 0)
	if s.changing.len() != 2 {
		t.Error("a seed that leaves another state is not put before others")
	}
	if s.fuzz(pidOf(9)) != 1 {
		t.Error("adding a seed counts nothing, running it does")
	}
}

func TestSuiteIsBounded(t *testing.T) {
	s := newSuite()
	for i := range maxSeeds + 10 {
		pid := pidOf(byte(i))
		pid[1], pid[2] = byte(i>>8), byte(i>>16)
		s.count(pid)
		s.add(&Seed{PID: pid}, 0)
	}
	if len(s.Seeds) != maxSeeds || s.paths() != maxSeeds+10 {
		t.Errorf("%d seeds and %d paths, want %d and %d: paths beyond the bound are counted, not kept", len(s.Seeds), s.paths(), maxSeeds, maxSeeds+10)
	}
	s = newSuite()
	for i := range byte(5) {
		s.count(pidOf(i))
		s.add(&Seed{PID: pidOf(i), size: maxSuiteSize / 4}, 0)
	}
	if len(s.Seeds) != 4 || s.paths() != 5 {
		t.Errorf("%d seeds of a quarter of what there is room for, and %d paths", len(s.Seeds), s.paths())
	}
}

func TestFrontierKeepsTheClosest(t *testing.T) {
	s := newSuite()
	left, right := frontierSide{branchSide: branchSide{code: 1, pc: 7}}, frontierSide{branchSide: branchSide{code: 1, pc: 7, taken: true}}
	a, b, c := &Seed{}, &Seed{}, &Seed{}
	distance := func(n uint64) uint256.Int { return *uint256.NewInt(n) }
	expect := func(step string, want ...*Seed) {
		t.Helper()
		if !slices.Equal(s.closest[0], want) {
			t.Errorf("%s: %d seeds are closest, want %d others", step, len(s.closest[0]), len(want))
		}
	}
	s.closer(left, distance(10), a)
	s.closer(right, distance(10), a)
	expect("one seed for two sides", a)
	s.closer(left, distance(10), b)
	expect("as close is not closer", a)
	s.closer(left, distance(9), b)
	expect("closer to one side", a, b)
	s.closer(frontierSide{left.branchSide, true}, distance(20), c)
	expect("close from a place with a target ahead", a, b)
	if !slices.Equal(s.closest[1], []*Seed{c}) {
		t.Error("the closest with a target ahead is not kept apart")
	}
	s.closer(right, distance(3), c)
	expect("the old one is closest to nothing now", b, c)
	s.covered(left.branchSide)
	expect("a side was taken", c)
	s.covered(left.branchSide)
	s.covered(branchSide{code: 2})
	expect("sides that are not in the frontier", c)
	s.covered(right.branchSide)
	expect("nothing is open")
	if len(s.frontier) != 0 || len(s.closest[1]) != 0 || a.closest != b.closest || c.closest != a.closest {
		t.Errorf("%d entries, counts %d %d %d", len(s.frontier), a.closest, b.closest, c.closest)
	}
}

// TestFrontierModel compares the frontier with one that searches everything.
func TestFrontierModel(t *testing.T) {
	r := testRand(5)
	s := newSuite()
	type entry struct {
		seed     *Seed
		distance uint64
	}
	model := map[frontierSide]entry{}
	seeds := make([]*Seed, 8)
	for i := range seeds {
		seeds[i] = &Seed{}
	}
	for range 5000 {
		side := frontierSide{branchSide{pc: uint32(r.IntN(6)), taken: r.IntN(2) == 0}, r.IntN(2) == 0}
		if r.IntN(8) == 0 {
			s.covered(side.branchSide)
			delete(model, frontierSide{side.branchSide, true})
			delete(model, frontierSide{side.branchSide, false})
		} else {
			e := entry{seeds[r.IntN(len(seeds))], r.Uint64N(100)}
			s.closer(side, *uint256.NewInt(e.distance), e.seed)
			if old, ok := model[side]; !ok || e.distance < old.distance {
				model[side] = e
			}
		}
		var want [2]map[*Seed]int
		for list := range want {
			want[list] = map[*Seed]int{}
		}
		for side, e := range model {
			want[side.list()][e.seed]++
		}
		for list := range want {
			if len(want[list]) != len(s.closest[list]) {
				t.Fatalf("%d seeds are closest, want %d", len(s.closest[list]), len(want[list]))
			}
			for _, seed := range s.closest[list] {
				if seed.closest[list] != want[list][seed] {
					t.Fatalf("a seed holds %d sides, want %d", seed.closest[list], want[list][seed])
				}
			}
		}
	}
}

func TestEnergyDoubles(t *testing.T) {
	for selected, want := range map[int]Energy{0: 1, 1: 2, 5: 32, 9: 512, 10: 1024, 11: 1024, 1 << 30: 1024} {
		if got := exponential(&Seed{Selected: selected}); got != want {
			t.Errorf("selected %d times: energy %d, want %d", selected, got, want)
		}
	}
}

// TestCutoff: AFLFast's cut-off. Counts 8, 1, 3: the mean is 4, so the first path
// is above it and skipped, the third is not.
func TestCutoff(t *testing.T) {
	for _, test := range []struct {
		name   string
		counts []int
		picks  []int
		want   int // index of the seed
	}{
		{"below the mean", []int{8, 1, 3}, []int{2}, 2},
		{"above the mean is skipped", []int{8, 1, 3}, []int{0, 0, 1}, 1},
		{"the mean itself is not above it", []int{4, 4, 4}, []int{1}, 1},
		{"alone", []int{7}, []int{0}, 0},
		{"bad luck ends", []int{8, 1, 3}, []int{0, 0, 0, 0, 0, 0, 0}, 0},
	} {
		s := suiteOf(test.counts...)
		r := &scripted{t: t, ints: test.picks}
		s.Seeds[test.want].Selected = 3
		seed, from := Cutoff.pick(s, r, Techniques{})
		if energy := Cutoff.assignEnergy(s, seed, from); seed != s.Seeds[test.want] || energy != 8 {
			t.Errorf("%s: seed %d with energy %d", test.name, slices.Index(s.Seeds, seed), energy)
		}
		if len(r.ints) != 0 {
			t.Errorf("%s: %d random numbers are left", test.name, len(r.ints))
		}
	}
}

// TestCutoffCountsAllPaths: the mean is over paths, also those that no seed
// stands for.
func TestCutoffCountsAllPaths(t *testing.T) {
	s := suiteOf(5, 2)
	for range 20 {
		s.count(pidOf(77)) // 27 executions, 3 paths: the mean is 9
	}
	if seed, _ := Cutoff.pick(s, &scripted{t: t, ints: []int{0}}, Techniques{}); seed != s.Seeds[0] {
		t.Error("5 executions are skipped where the mean is 9")
	}
}

// TestFrontierGetsHalf: of the executions, not of the picks.
func TestFrontierGetsHalf(t *testing.T) {
	s := suiteOf(1, 1)
	near := &Seed{Selected: 4}
	s.closer(frontierSide{}, *uint256.NewInt(1), near)
	s.spent = [sources]uint64{fromSuite: 60, fromLeading: 40, fromFrontier: 99}
	if seed, from := Cutoff.pick(s, &scripted{t: t, ints: []int{0}}, Techniques{}); seed != near || from != fromFrontier || Cutoff.assignEnergy(s, seed, from) != 16 {
		t.Error("the closest input is not picked although less was spent on the frontier")
	}
	if seed, _ := Cutoff.pick(s, &scripted{t: t, ints: []int{1}}, Techniques{Frontier: true}); seed != s.Seeds[1] {
		t.Error("the frontier is left out, and picked from")
	}
	s.spent[fromFrontier] = 100
	if seed, from := Cutoff.pick(s, &scripted{t: t, ints: []int{1}}, Techniques{}); seed != s.Seeds[1] || from != fromSuite {
		t.Error("the suite is not picked from although as much was spent on the frontier")
	}
}

// TestAheadComesFirst: three of four picks from the frontier are of inputs with a
// target ahead, while there are others.
func TestAheadComesFirst(t *testing.T) {
	s := newSuite()
	ahead, other := &Seed{}, &Seed{}
	s.closer(frontierSide{branchSide{pc: 1}, true}, *uint256.NewInt(1), ahead)
	if got := nearest(s, &scripted{t: t}); !slices.Equal(got, []*Seed{ahead}) {
		t.Error("the only list is not picked")
	}
	s.closer(frontierSide{branchSide{pc: 2}, false}, *uint256.NewInt(1), other)
	if got := nearest(s, &scripted{t: t, ints: []int{1}}); !slices.Equal(got, []*Seed{ahead}) {
		t.Error("what has a target ahead does not come first")
	}
	if got := nearest(s, &scripted{t: t, ints: []int{0}}); !slices.Equal(got, []*Seed{other}) {
		t.Error("the others never get a turn")
	}
}

// TestDropBarriers: sides that functions have of their own are dropped, and with them what only they kept; others stay.
func TestDropBarriers(t *testing.T) {
	s := newSuite()
	shared, own := branchSide{pc: 1}, branchSide{pc: 1, barrier: true}
	both, only := &Seed{}, &Seed{}
	s.closer(frontierSide{shared, true}, *uint256.NewInt(1), both)
	s.closer(frontierSide{own, true}, *uint256.NewInt(1), both)
	s.closer(frontierSide{branchSide{pc: 2, barrier: true}, true}, *uint256.NewInt(1), only)
	s.dropBarriers()
	if s.nearestTo(shared) != both || s.nearestTo(own) != nil || !slices.Equal(s.closest[1], []*Seed{both}) {
		t.Errorf("%d sides and %d seeds are left", len(s.frontier), len(s.closest[1]))
	}
}

// TestRarePathsDoNotStarve simulates campaigns on paths of very different
// frequency: a mutant of any seed takes path i with weight 2^-i. Seeds above the
// mean rest, as the cut-off means it, the two or three most frequent ones for good.
// All others must be picked again and again.
func TestRarePathsDoNotStarve(t *testing.T) {
	const paths, picks = 12, 1000
	for seed := range uint64(5) {
		s := newSuite()
		for i := range byte(paths) {
			s.count(pidOf(i))
			s.add(&Seed{PID: pidOf(i)}, 0)
		}
		r := testRand(seed)
		picked := map[*Seed]int{}
		for range picks {
			chosen, from := Cutoff.pick(s, r, Techniques{})
			energy := Cutoff.assignEnergy(s, chosen, from)
			picked[chosen]++
			chosen.Selected++
			for range energy {
				i := byte(0)
				for i < paths-1 && r.IntN(2) == 0 {
					i++
				}
				s.count(pidOf(i))
			}
		}
		for i, e := range s.Seeds[4:] {
			if even := picks / paths; picked[e] < even {
				t.Errorf("campaign %d: seed %d was picked %d of %d times, less than its even share", seed, 4+i, picked[e], picks)
			}
		}
	}
}

func TestScheduleNamed(t *testing.T) {
	for _, want := range Schedules() {
		if s, err := ScheduleNamed(want.Name); err != nil || s != want || s.Doc == "" {
			t.Errorf("%s: %v, %v", want.Name, s, err)
		}
	}
	if _, err := ScheduleNamed("fast"); err == nil {
		t.Error("an unknown schedule is found")
	}
}
