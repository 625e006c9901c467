package unified

// tokenRun is one difference between two token sequences: a[aFrom:aTo] was
// replaced by b[bFrom:bTo]. One of the two may be empty.
type tokenRun struct {
	aFrom, aTo, bFrom, bTo int
}

// maxTokenEdits bounds the edit distance up to which two token sequences are
// aligned. Myers' algorithm takes (len(a)+len(b))·D steps and here D²/2 words of
// 4 bytes: 2 MB at this bound. Sequences further apart have little in common, so
// everything between their common ends counts as changed.
const maxTokenEdits = 1000

// diffTokens aligns two sequences of token ids by a shortest edit script and
// returns its runs in order, never adjacent.
func diffTokens(a, b []int) []tokenRun {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	var runs []tokenRun
	switch {
	case len(a) == 0 && len(b) == 0:
	case len(a) == 0 || len(b) == 0:
		runs = []tokenRun{{0, len(a), 0, len(b)}}
	default:
		runs = myers(a, b)
	}
	for i := range runs {
		r := &runs[i]
		r.aFrom, r.aTo, r.bFrom, r.bTo = r.aFrom+head, r.aTo+head, r.bFrom+head, r.bTo+head
	}
	return runs
}

// myers is the greedy algorithm of E. Myers, "An O(ND) Difference Algorithm and
// Its Variations" (1986), §4. frontier[d] holds the furthest x on the diagonals
// -d, -d+2, …, d after d edits.
func myers(a, b []int) []tokenRun {
	frontier := [][]int32{}
	for d := 0; d <= maxTokenEdits; d++ {
		row := make([]int32, d+1)
		for i := range row {
			k := 2*i - d
			x := furthest(frontier, d, i)
			y := x - k
			for x < len(a) && y < len(b) && x >= 0 && y >= 0 && a[x] == b[y] {
				x, y = x+1, y+1
			}
			row[i] = int32(x)
			if x >= len(a) && y >= len(b) {
				return backtrack(append(frontier, row), len(a), len(b))
			}
		}
		frontier = append(frontier, row)
	}
	return []tokenRun{{0, len(a), 0, len(b)}}
}

// furthest returns the x from which the d-th edit on diagonal index i starts its
// snake: one deletion from the diagonal below or one insertion from that above.
func furthest(frontier [][]int32, d, i int) int {
	if d == 0 {
		return 0
	}
	prev := frontier[d-1] // diagonal k-1 is prev[i-1], k+1 is prev[i]
	if i == 0 || i < d && prev[i-1] < prev[i] {
		return int(prev[i])
	}
	return int(prev[i-1]) + 1
}

// backtrack follows the frontiers back from the end and joins single edits into
// runs.
func backtrack(frontier [][]int32, n, m int) []tokenRun {
	var reversed []tokenRun
	x, y := n, m
	for d := len(frontier) - 1; d > 0; d-- {
		i := (x - y + d) / 2
		start := furthest(frontier, d, i)
		px, py := start, start-(x-y) // where the snake after this edit begins
		step := tokenRun{px - 1, px, py, py}
		if prev := frontier[d-1]; i == 0 || i < d && prev[i-1] < prev[i] {
			step = tokenRun{px, px, py - 1, py}
		}
		if k := len(reversed); k > 0 && reversed[k-1].aFrom == step.aTo && reversed[k-1].bFrom == step.bTo {
			reversed[k-1].aFrom, reversed[k-1].bFrom = step.aFrom, step.bFrom
		} else {
			reversed = append(reversed, step)
		}
		x, y = step.aFrom, step.bFrom
	}
	runs := make([]tokenRun, 0, len(reversed))
	for i := len(reversed) - 1; i >= 0; i-- {
		runs = append(runs, reversed[i])
	}
	return runs
}

// slideRuns moves pure insertions and deletions to where a reader would put
// them. "f(); g();" → "f(); h(); g();" has three shortest scripts; the run that
// begins and ends between statements is wanted, not ") ; h (". score rates a
// boundary in front of the token with the given index, for either side.
func slideRuns(runs []tokenRun, a, b []int, aScore, bScore func(int) int) {
	for i := range runs {
		r := &runs[i]
		before, after := r.bFrom, len(b)-r.bTo // unchanged tokens on either side
		if i > 0 {
			before = r.bFrom - runs[i-1].bTo - 1 // runs must not become adjacent
		}
		if i+1 < len(runs) {
			after = runs[i+1].bFrom - r.bTo - 1
		}
		var shift int
		switch {
		case r.aFrom == r.aTo:
			shift = bestShift(b, r.bFrom, r.bTo, before, after, bScore)
		case r.bFrom == r.bTo:
			shift = bestShift(a, r.aFrom, r.aTo, before, after, aScore)
		}
		r.aFrom, r.aTo, r.bFrom, r.bTo = r.aFrom+shift, r.aTo+shift, r.bFrom+shift, r.bTo+shift
	}
}

// maxSlide bounds how far a run is slid, so that long runs of equal tokens stay
// linear. Arbitrary: longer than any statement a run could line up with.
const maxSlide = 256

// bestShift returns by how much to shift s[from:to] within the unchanged tokens
// around it so that its ends score highest; the last position wins a tie, as in
// git's own slider.
func bestShift(s []int, from, to, before, after int, score func(int) int) int {
	low, high := 0, 0
	for -low < min(before, maxSlide) && s[from+low-1] == s[to+low-1] {
		low--
	}
	for high < min(after, maxSlide) && s[from+high] == s[to+high] {
		high++
	}
	best, bestScore := 0, -1
	for shift := low; shift <= high; shift++ {
		if sc := score(from+shift) + score(to+shift); sc >= bestScore {
			best, bestScore = shift, sc
		}
	}
	return best
}
