package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestLeadStack: the best lead of the run found last comes first, what the runs take is
// bounded, and is let go with the last of its leads.
func TestLeadStack(t *testing.T) {
	var s leadStack
	of := func(size int, steps ...int) (found []lead) {
		from := &point{branches: make([]input.Branch, size/104)}
		for _, n := range steps {
			found = append(found, lead{from: from, steps: n})
		}
		return found
	}
	s.push(nil)
	s.push([]lead{{steps: 5}})
	s.push(of(maxLeadSize/2, 3, 4))
	s.push(of(maxLeadSize/4, 1, 2))
	s.push(of(maxLeadSize/2, 8, 9)) // no room
	for want := 1; want <= 5; want++ {
		if next, ok := s.pop(); !ok || next.steps != want {
			t.Fatalf("lead %d, %v, want %d", next.steps, ok, want)
		}
		if want == 2 {
			s.push(of(maxLeadSize/4, 6))
			if next, _ := s.pop(); next.steps != 6 {
				t.Error("no room where there is")
			}
		}
	}
	if _, ok := s.pop(); ok || s.size != 0 {
		t.Errorf("an empty stack holds %d bytes", s.size)
	}
	s.push(of(2*maxLeadSize, 7))
	if next, ok := s.pop(); !ok || next.steps != 7 {
		t.Error("a run that is too large by itself leads nowhere")
	}
}
