package unified

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// lcsLength is the textbook dynamic program, as a reference.
func lcsLength(a, b []int) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// checkRuns returns the number of tokens the runs leave unchanged; -1 if they
// are no edit script from a to b.
func checkRuns(a, b []int, runs []tokenRun) int {
	x, y := 0, 0
	for i, r := range runs {
		if r.aTo < r.aFrom || r.bTo < r.bFrom || r.aTo == r.aFrom && r.bTo == r.bFrom || r.aFrom < x || r.bFrom < y ||
			i > 0 && r.aFrom == x || !slices.Equal(a[x:r.aFrom], b[y:r.bFrom]) {
			return -1
		}
		x, y = r.aTo, r.bTo
	}
	if !slices.Equal(a[x:], b[y:]) {
		return -1
	}
	kept := len(a)
	for _, r := range runs {
		kept -= r.aTo - r.aFrom
	}
	return kept
}

func TestDiffTokensIsShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	score := func(i int) int { return i % 3 }
	for range 3000 {
		a, b := make([]int, r.IntN(20)), make([]int, r.IntN(20))
		for i := range a {
			a[i] = r.IntN(4)
		}
		for i := range b {
			b[i] = r.IntN(4)
		}
		runs := diffTokens(a, b)
		if got, want := checkRuns(a, b, runs), lcsLength(a, b); got != want {
			t.Fatalf("%v → %v: %v keeps %d tokens, want %d", a, b, runs, got, want)
		}
		slideRuns(runs, a, b, score, score)
		if got, want := checkRuns(a, b, runs), lcsLength(a, b); got != want {
			t.Fatalf("%v → %v: slid to %v, which keeps %d tokens, want %d", a, b, runs, got, want)
		}
	}
}

// TestDiffTokensBounded: sequences without anything in common cost no more than
// the bound allows.
func TestDiffTokensBounded(t *testing.T) {
	a, b := make([]int, 200_000), make([]int, 200_000)
	for i := range a {
		a[i], b[i] = 2*i+2, 2*i+3
	}
	a[0], b[0], a[len(a)-1], b[len(b)-1] = 0, 0, 1, 1
	want := []tokenRun{{1, len(a) - 1, 1, len(b) - 1}}
	if got := diffTokens(a, b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
