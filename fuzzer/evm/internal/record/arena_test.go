package record

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestArenaLists: lists that grow by turns, as those of frames do that call each
// other, keep what is in them, whatever is cut, and whatever is taken back to a mark.
func TestArenaLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	a := Arena[int]{unit: 64, least: 4}
	type list struct{ got, want []int }
	type checkpoint struct {
		at     arenaMark
		closed int
	}
	var open, closed []list // innermost last
	var marks []checkpoint
	next := 0
	for range 200_000 {
		switch n := len(open); {
		case n > 0 && r.IntN(8) > 0:
			l := &open[n-1]
			if len(l.got) == cap(l.got) {
				l.got = a.extend(l.got)
			}
			next++
			l.got, l.want = append(l.got, next), append(l.want, next)
		case n > 0 && r.IntN(2) == 0:
			l := open[n-1]
			l.got = a.cut(l.got)
			if cap(l.got) > len(l.got) {
				t.Fatal("a list that was cut has room")
			}
			open, closed = open[:n-1], append(closed, l)
		case n == 0 && r.IntN(8) == 0:
			marks = append(marks, checkpoint{a.at, len(closed)})
		case n == 0 && len(marks) > 0 && r.IntN(16) == 0:
			to := r.IntN(len(marks))
			a.at = marks[to].at
			closed, marks = closed[:marks[to].closed], marks[:to]
		case n == 0 && (a.overgrown() || r.IntN(200) == 0):
			a.at = arenaMark{}
			a.shrink()
			closed, marks = nil, nil
			if a.overgrown() {
				t.Fatalf("%d chunks are kept", len(a.chunks))
			}
		case n < 12:
			open = append(open, list{})
		}
		if len(open) > 0 || next%64 > 0 {
			continue
		}
		for i, l := range closed {
			if !slices.Equal(l.got, l.want) {
				t.Fatalf("list %d of %d holds %v, want %v", i, len(closed), l.got, l.want)
			}
		}
	}
	if next < 100_000 {
		t.Fatalf("only %d elements", next)
	}
}

// TestArenaTight: a list that nothing interrupts is never copied, and leaves no room
// behind.
func TestArenaTight(t *testing.T) {
	a := Arena[int]{unit: 1 << 10, least: 8}
	var lists [4][]int
	for i := range lists {
		for n := range 100 {
			if len(lists[i]) == cap(lists[i]) {
				lists[i] = a.extend(lists[i])
			}
			lists[i] = append(lists[i], n)
		}
		lists[i] = a.cut(lists[i])
	}
	if a.at != (arenaMark{used: 400}) || len(a.chunks) != 1 {
		t.Errorf("four lists of 100 take up to %v", a.at)
	}
}
