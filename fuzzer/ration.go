package fuzzer

import (
	"cmp"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// ration divides a campaign's work among the functions that it calls. Calls are chosen by
// their number, and one of a function that runs until its gas is used up takes as long as a
// thousand others: a contract with an endless loop would get nearly all of the time. Where no
// call is heavy, the ration changes nothing.
//
//   - Heavy functions, as many as there are, get half of the work between them.
//   - A function that burns without showing anything new is quarantined: for as much work of
//     the campaign's as it had wasted, then twice as much, and so on.
//   - Energy counts work, see [Campaign.assignEnergy].
//   - Where the heavy functions' half is used up, a function that was never called is called
//     with little gas first, see [runner.sound].
//
// Work is counted in instructions ([evm.CallResult.Work]) and never in time, so that a
// campaign stays a function of its seed.
type ration struct {
	accounts map[*input.Function]*account
	heavy    []*account // in the order in which they became so
	work     uint64     // of all calls, and overheadWork for each execution
	lastWork uint64     // of all executions, see batch
	burnt    uint64     // of heavy calls
	calls    uint64     // heavy ones
	failed   uint64     // of these, those that failed
	// avoided are the functions that no task calls now, but those whose seed does. It is
	// replaced and never changed: workers read it.
	avoided  map[*input.Function]bool
	fruitful map[*input.Function]bool // that showed something new since the last merge
}

// account is what a function has cost.
type account struct {
	function *input.Function
	recent   cost   // of the latest calls, see recentCalls
	heavy    cost   // of heavy calls, since the campaign began
	calls    uint64 // all of them
	wasted   uint64 // since it last showed something new, or was last quarantined
	terms    int    // in quarantine, since it last showed something new
	until    uint64 // ration.work, when quarantine ends
	listed   bool   // in ration.heavy
}

// cost is that of some calls.
type cost struct {
	calls, work uint64
	failed      uint64 // of heavy calls, those that failed
}

func (c *cost) add(d cost) {
	c.calls += d.calls
	c.work += d.work
	c.failed += d.failed
}

func (c *cost) mean() uint64 { return c.work / max(1, c.calls) }

const (
	// heavyWork is the work from which on a call is heavy: about 0.2 ms, 50 times that of
	// most calls. Loops of 2,000 iterations take less, and so do Merkle proofs, swaps and
	// checks of three signatures. Arbitrary.
	heavyWork = 1 << 17
	// burningWork is the work from which on a function is quarantined where it shows
	// nothing new: about 1.5 ms. What runs until 16 million gas are used up takes two to
	// forty times as much. Arbitrary.
	burningWork = 1 << 20
	// overheadWork is what an execution takes in addition to the machine's work: mutation,
	// paths, comparisons (measured: 2 to 4 µs).
	overheadWork = 2048
	// heavyShare: heavy calls get one part in so many of the work, beyond heavyGrant, which
	// is a quarter of a second's and lets each function of most projects be called. Arbitrary.
	heavyShare = 2
	heavyGrant = 1 << 27
	// patienceWork is what a burning function may use before it is quarantined without
	// anything new: about 0.1 s. A term in quarantine is twice as long as the one before, at
	// most 1<<maxTerms times as long as the first: what is in a burning function gets its
	// turn all the same. Arbitrary.
	patienceWork = 1 << 26
	maxTerms     = 6
	// recentCalls is about the number of calls that say what a function costs: one that
	// was cheap a million times may burn from now on. Arbitrary.
	recentCalls = 256
	// maxTaskHeavy bounds the work of heavy calls in one task: about 0.1 s. Arbitrary.
	maxTaskHeavy = 1 << 26
)

func newRation() ration {
	return ration{accounts: map[*input.Function]*account{}, fruitful: map[*input.Function]bool{}}
}

// meter is what a worker's task has cost by function.
type meter struct {
	of      map[*input.Function]*cost
	touched []*input.Function // in order
}

// count adds the calls that an execution has run.
func (m *meter) count(seq input.Sequence, exec *evm.Execution, b *batch) {
	b.work += overheadWork
	b.lastWork += overheadWork + exec.Calls[len(exec.Calls)-1].Work()
	for i := exec.Reused(); i < len(exec.Calls); i++ {
		work := exec.Calls[i].Work()
		b.work += work
		m.add(seq[i].Function, cost{calls: 1, work: work})
		if work >= heavyWork {
			b.countHeavy(seq[i].Function, cost{1, work, failed(exec, i)})
		}
	}
}

// add adds calls of a function.
func (m *meter) add(f *input.Function, more cost) {
	c := m.of[f]
	if m.of == nil {
		m.of = map[*input.Function]*cost{}
	}
	if c == nil {
		c = new(cost)
		m.of[f] = c
	}
	if c.calls == 0 {
		m.touched = append(m.touched, f)
	}
	c.add(more)
}

// functionCost is a function's part.
type functionCost struct {
	function *input.Function
	cost
}

// take returns the costs since its last call.
func (m *meter) take() []functionCost {
	costs := make([]functionCost, len(m.touched))
	for i, f := range m.touched {
		costs[i] = functionCost{f, *m.of[f]}
		*m.of[f] = cost{}
	}
	m.touched = m.touched[:0]
	return costs
}

// countHeavy adds a heavy call. Few tasks have any.
func (b *batch) countHeavy(f *input.Function, c cost) {
	b.heavyWork += c.work
	for i := range b.heavy {
		if b.heavy[i].function == f {
			b.heavy[i].add(c)
			return
		}
	}
	b.heavy = append(b.heavy, functionCost{f, c})
}

// showedNew notes that calls showed something new.
func (r *ration) showedNew(seq input.Sequence) {
	for i := range seq {
		r.fruitful[seq[i].Function] = true
	}
}

// merge adds what a task has cost.
func (r *ration) merge(b *batch) {
	defer clear(r.fruitful)
	r.work += b.work
	for i := range b.costs {
		a := r.account(b.costs[i].function)
		a.recent.add(b.costs[i].cost)
		a.calls += b.costs[i].calls
		for a.recent.calls > recentCalls {
			a.recent.calls /= 2
			a.recent.work /= 2
		}
		if a.recent.mean() >= burningWork {
			a.wasted += b.costs[i].work
		}
	}
	for i := range b.heavy {
		r.burnt += b.heavy[i].work
		r.calls += b.heavy[i].calls
		r.failed += b.heavy[i].failed
		a := r.account(b.heavy[i].function)
		a.heavy.add(b.heavy[i].cost)
		if !a.listed {
			a.listed = true
			r.heavy = append(r.heavy, a)
		}
	}
	if len(r.heavy) == 0 {
		return
	}
	for _, a := range r.heavy {
		r.sentence(a)
	}
}

func (r *ration) account(f *input.Function) *account {
	a := r.accounts[f]
	if a == nil {
		a = &account{function: f}
		r.accounts[f] = a
	}
	return a
}

// sentence quarantines a function that has burnt for long without showing anything new.
func (r *ration) sentence(a *account) {
	if r.fruitful[a.function] {
		a.wasted, a.terms = 0, 0
		return
	}
	if a.wasted < patienceWork {
		return
	}
	a.until = r.work + a.wasted<<a.terms
	a.terms = min(a.terms+1, maxTerms)
	a.wasted = 0
}

// exhausted reports whether heavy calls have used up their share.
func (r *ration) exhausted() bool { return r.burnt > heavyGrant+r.work/heavyShare }

// avoid says which of the Space's functions are not called for now.
func (r *ration) avoid(space *input.Space) {
	if len(r.heavy) == 0 {
		return
	}
	exhausted := r.exhausted()
	avoided := map[*input.Function]bool{}
	for _, a := range r.heavy {
		if r.work < a.until || exhausted && a.recent.mean() >= heavyWork {
			avoided[a.function] = true
		}
	}
	if exhausted {
		for _, c := range space.Callables {
			if r.accounts[c.Function] == nil {
				avoided[c.Function] = true
			}
		}
	}
	r.avoided = avoided
}

// avoids reports whether a sequence calls a function that is not called for now.
func (t *task) avoids(seq input.Sequence) bool {
	return len(t.avoided) > 0 && slices.ContainsFunc(seq, func(c input.Call) bool { return t.avoided[c.Function] })
}

// Burner is a function with heavy calls.
type Burner struct {
	Contract, Function string
	Calls              uint64  // heavy ones
	Share              float64 // of the campaign's work
	// Ended is the number of all calls but the heavy ones that failed: of those that showed
	// what the function does.
	Ended uint64
}

// burners lists the functions with heavy calls, the most expensive first.
func (r *ration) burners() []Burner {
	byCost := slices.Clone(r.heavy)
	slices.SortStableFunc(byCost, func(a, b *account) int { return cmp.Compare(b.heavy.work, a.heavy.work) })
	var all []Burner
	for _, a := range byCost {
		b := Burner{Function: a.function.Name, Calls: a.heavy.calls, Share: float64(a.heavy.work) / float64(max(1, r.work)), Ended: a.calls - min(a.calls, a.heavy.failed)}
		if a.function.Contract != nil {
			b.Contract = a.function.Contract.QualifiedName()
		}
		all = append(all, b)
	}
	return all
}
