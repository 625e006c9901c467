package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// burn is a task in which a function's calls cost so much.
func burn(f *input.Function, calls, work uint64) *batch {
	b := &batch{work: calls * work, costs: []functionCost{{f, cost{calls: calls, work: calls * work}}}}
	if work >= heavyWork {
		b.heavy = []functionCost{{f, cost{calls: calls, work: calls * work}}}
	}
	return b
}

// What burns is quarantined for longer and longer, until it shows something new; it is
// never dropped, and what is cheap is never avoided.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	r := newRation()
	space := &input.Space{}
	burner, cheap := &input.Function{Name: "burn"}, &input.Function{Name: "pay"}
	earlier := uint64(0)
	for term := range maxTerms + 2 {
		r.merge(burn(burner, 64, 2*patienceWork/64))
		r.avoid(space)
		if !r.avoided[burner] || r.avoided[cheap] {
			t.Fatalf("term %d: avoided %v", term, r.avoided)
		}
		from := r.work
		for r.avoided[burner] {
			r.merge(burn(cheap, 1000, 2000))
			r.avoid(space)
			if r.avoided[cheap] {
				t.Fatal("a cheap function is avoided")
			}
		}
		now := r.work - from
		if now < earlier/2 || term > 1 && term <= maxTerms && now < earlier {
			t.Errorf("term %d is %d after %d", term, now, earlier)
		}
		earlier = now
	}
	r.merge(burn(burner, 64, patienceWork/64))
	r.showedNew(input.Sequence{{Function: burner}})
	r.merge(burn(burner, 1, patienceWork/64))
	for range 100 {
		r.merge(burn(cheap, 1000, 2000))
	}
	r.avoid(space)
	if a := r.account(burner); a.terms != 0 && r.avoided[burner] && !r.exhausted() {
		t.Errorf("it showed something new: %+v", a)
	}
}

// However many functions burn, and whatever they show, half of the work is for others.
func TestHeavyShare(t *testing.T) {
	t.Parallel()
	r := newRation()
	var burners []*input.Function
	space := &input.Space{}
	for range 20 {
		burners = append(burners, &input.Function{Name: "burn"})
		space.Callables = append(space.Callables, input.Callable{Function: burners[len(burners)-1]})
	}
	cheap, never := &input.Function{Name: "pay"}, &input.Function{Name: "never"}
	space.Callables = append(space.Callables, input.Callable{Function: cheap}, input.Callable{Function: never})
	r.merge(burn(cheap, 1, 2000))
	for i := range 20_000 {
		f := burners[i%len(burners)]
		if r.avoided[f] {
			r.merge(burn(cheap, 100, 2000))
		} else {
			r.showedNew(input.Sequence{{Function: f}})
			r.merge(burn(f, 1, 4_000_000))
		}
		r.avoid(space)
		if r.exhausted() != r.avoided[never] || r.avoided[cheap] {
			t.Fatalf("exhausted %v, avoided: one that was never called %v, a cheap one %v", r.exhausted(), r.avoided[never], r.avoided[cheap])
		}
	}
	if share := float64(r.burnt) / float64(r.work); share < 0.4 || share > 0.6 {
		t.Errorf("they got %.2f of the work", share)
	}
}

// A function that was cheap a million times is found to burn soon after it begins to.
func TestRecentCost(t *testing.T) {
	t.Parallel()
	r := newRation()
	f := &input.Function{Name: "later"}
	for range 1000 {
		r.merge(burn(f, 1000, 1000))
	}
	for range 2 * recentCalls {
		r.merge(burn(f, 1, 4_000_000))
	}
	if mean := r.account(f).recent.mean(); mean < burningWork {
		t.Errorf("its calls are thought to cost %d", mean)
	}
}
