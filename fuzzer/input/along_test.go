package input

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAlong: each branch of the way is found in the run as if all of the run were searched, from behind the last one found.
func TestAlong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	branches := func() (list []Branch) {
		for call := range 2 {
			for frame := range 3 {
				for range r.IntN(6) {
					b := Branch{Call: call, Frame: 3*call + frame, Code: 1}
					b.PC, b.Op = uint32(r.IntN(4)), opEq
					if list = append(list, b); r.IntN(8) == 0 {
						return list
					}
				}
			}
		}
		return list
	}
	found := 0
	for range 2000 {
		way, run := branches(), branches()
		var want, got [][2]int
		last := map[int]int{} // where the search of a frame goes on
		for i := range way {
			for n := range run {
				if j := (last[way[i].Frame] + n) % len(run); run[j].sameJump(&way[i]) {
					want = append(want, [2]int{i, j})
					last[way[i].Frame] = j + 1
					break
				}
			}
		}
		Along(way, run, func(i, j int) bool { got = append(got, [2]int{i, j}); return true })
		if !slices.Equal(got, want) {
			t.Fatalf("%v in %v: %v, want %v", way, run, got, want)
		}
		if found += len(got); len(got) > 1 {
			calls := 0
			if Along(way, run, func(int, int) bool { calls++; return calls < 2 }); calls != 2 {
				t.Fatalf("%d calls after it was to end", calls)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d were found", found)
	}
}
