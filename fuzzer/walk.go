package fuzzer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// walks are attacks that are made one call at a time: each call is run behind those that succeeded, and what comes next is chosen from there. An attack of five calls that is drawn as a whole
// fails where one of them does; one that is walked goes on from what four of them have done. Where a walk came to what none did before, others begin there.
type walks struct {
	input.Walk
	on      bool              // one is under way
	trying  input.Sequence    // what is run now; nil: nothing is
	begins  bool              // likewise: what others do before
	two     bool              // both attackers make calls
	counted bool              // the campaign may only make so many calls
	party   bool              // all take part, see gather
	leave   bool              // and now want to be paid
	altered bool              // what the change is about has run, by the attackers, or by any where all take part
	retries *input.Call       // to be made next: what failed, later, or now that tokens may be taken
	vain    []*input.Function // have failed behind the last call that succeeded
	mended  int               // so often was the call that is made next
	failed  int               // calls in vain behind the last one that succeeded
	made    int               // what it has cost, see cost

	ways map[wayOn]int // that walks have gone: which of those that are kept
	kept []keptWalk    // where others begin
}

// keptWalk is where walks begin.
type keptWalk struct {
	input.Walk
	altered bool // the attackers have run what the change is about
	begun   int  // walks that began there
}

// wayOn is how a walk went on: what its last call did, and behind which function.
type wayOn struct {
	behind, function *input.Function
	changed          slotKey
	paid             bool
}

// Bounds of walks. Arbitrary: what takes more calls is rare, and what fails with ten choices of calls and words mostly needs something else before.
const (
	maxWalked    = 8
	maxVain      = 10
	maxWalks     = 256 // where others begin
	maxTokens    = 3   // kinds that attackers are given
	mattersMore  = 3   // one step in so many is what the change is about, or once that has run, what pays
	anewShare    = 4   // one walk in so many begins with what others do
	choices      = 3   // of where the others begin: where fewer have begun
	alteredMore  = 4   // walks that begin where the attackers have run what the change is about, for each elsewhere
	anotherShare = 4   // one walk in so many is kept in the place of another one that went on in the same way: it may have gone there with other words
	waitsShare   = 3   // one call in so many that fails is made again later
	maxSame      = 2   // calls of one function are as good as others
)

// walk is the walk that is under way, with another call; false: there is none, or it is over.
func (a *attacks) walk() (input.Sequence, bool) {
	w := &a.drawn.walks
	if unbegun := w.begins && w.trying != nil; !w.on || unbegun || w.ends(a.space) { // what others do before was not executed
		w.on = false
		return nil, false
	}
	return a.step(), true
}

// ends reports whether a walk is long enough, or too many calls in a row have failed.
func (w *walks) ends(s *input.Space) bool {
	if w.party {
		return w.partyEnds(s)
	}
	return w.failed > maxVain || s.Length(w.Calls[w.From:]) >= maxWalked
}

// setOut begins a walk.
func (a *attacks) setOut() (input.Sequence, bool) {
	d := &a.drawn
	w := &d.walks
	w.failed, w.made, w.retries, w.two, w.begins, w.trying = 0, 0, nil, a.rand.IntN(2) == 0, false, nil
	w.vain = w.vain[:0]
	people := a.gather()
	if n := len(w.kept); n > 0 && a.rand.IntN(anewShare) != 0 {
		from := &w.kept[a.rand.IntN(n)]
		for range choices - 1 {
			if other := &w.kept[a.rand.IntN(n)]; other.tired() < from.tired() {
				from = other
			}
		}
		from.begun++
		w.Walk, w.altered, w.on = from.Walk, from.altered, true
		w.invite(people)
		return a.step(), true
	}
	var deeds []input.Sequence
	for range 1 + a.rand.IntN(3) {
		deed := d.of(a, d.functions).sequence
		if n := len(w.kept); n > 0 && len(deeds) == 0 && a.rand.IntN(2) == 0 { // what attackers have done, others do
			deed = a.mutator.WithoutGifts(&w.kept[a.rand.IntN(n)].Walk)
		}
		deeds = append(deeds, deed)
	}
	before, ok := a.mutator.Prepared(a.rand, deeds, a.gifts.each[:min(len(a.gifts.each), maxTokens)], d.amounts.has, d.producers.told)
	if !ok {
		return nil, false
	}
	w.Walk, w.altered, w.on, w.begins, w.trying = input.Walk{People: people}, false, true, true, before
	w.made += wholeRun
	return before, true
}

// step is the walk with another call.
func (a *attacks) step() input.Sequence {
	d := &a.drawn
	w := &d.walks
	var next input.Call
	if w.retries == nil {
		w.mended = 0
	}
	switch {
	case w.retries != nil:
		next, w.retries = *w.retries, nil
	case w.party:
		next = a.turn()
	default:
		functions := d.counting
		if a.rand.IntN(mattersMore) == 0 {
			if matter := d.matter(w.altered); len(matter) > 0 {
				functions = matter
			}
		}
		one := d.of(a, functions).sequence
		for i := 1; i < manyDeeds && w.times(one[len(one)-1].Function) > a.rand.IntN(maxSame+1); i++ {
			one = d.of(a, functions).sequence
		}
		next = a.mutator.Step(a.rand, &w.Walk, &one[len(one)-1], a.mutator.Attacker(a.rand, w.two), d.amounts.has, d.producers.tells)
	}
	w.trying = append(w.Calls[:len(w.Calls):len(w.Calls)], next)
	w.made += w.cost()
	return w.trying
}

// matter are the functions that run what the change is about, or once that has run, those that pay.
func (d *drawn) matter(altered bool) []input.Callable {
	if altered {
		return d.paying
	}
	return d.altering
}

// tired is how many walks have begun there, of as many as should.
func (k *keptWalk) tired() int {
	if k.altered {
		return k.begun / alteredMore
	}
	return k.begun
}

// walked takes notice of what a walk's latest call did, and reports whether a contract could not pay it, see isUnpaid.
func (a *attacks) walked(seq input.Sequence, exec *evm.Execution) (unpaid bool) {
	w := &a.drawn.walks
	if w.trying == nil || len(seq) != len(w.trying) || &seq[0] != &w.trying[0] {
		return false
	}
	w.trying = nil
	last := len(seq) - 1
	switch {
	case w.begins:
		w.begins = false
		for i := range seq {
			if exec.Calls[i].Outcome == evm.Success {
				w.altered = w.altered || w.party && a.drawn.callRunsTarget(exec, i)
				w.Calls = append(w.Calls, seq[i])
			}
		}
		w.From, w.Said = len(w.Calls), said(seq, exec)
		if w.party {
			w.From = 0
		}
	case exec.Calls[last].Outcome == evm.Success:
		a.goesOn(seq, exec)
	case a.letTake(seq, exec):
	case w.altered && a.isUnpaid(exec):
		w.on = !w.party
		w.failed++
		return true
	case a.mends(seq, exec):
	default:
		w.failed++
		w.vain = append(w.vain, seq[last].Function)
		if again := seq[last]; again.TimeAdvance == 0 && a.rand.IntN(waitsShare) == 0 {
			again.TimeAdvance = a.mutator.Wait(a.rand)
			w.retries = &again
		}
	}
	return false
}

// goesOn notes that the walk's call succeeded.
func (a *attacks) goesOn(seq input.Sequence, exec *evm.Execution) {
	w := &a.drawn.walks
	last := len(seq) - 1
	e, paid := effectOf(exec), paysOut(exec, last)
	if e.changed == 0 && !paid {
		w.failed++
		return
	}
	w.Calls, w.failed, w.vain = seq, 0, w.vain[:0]
	w.altered = w.altered || slices.Contains(a.drawn.altering, lastOf(seq)) || w.party && a.drawn.callRunsTarget(exec, last)
	w.Said, w.Written = said(seq, exec), lastWritten(w.Written, exec)
	if w.party {
		return
	}
	way := wayOn{function: seq[last].Function, changed: e.changed, paid: paid}
	if last > w.From {
		way.behind = seq[last-1].Function
	}
	if seq[last].Function.Signature != input.LetsTake && w.times(way.function) <= maxSame {
		w.keep(way, a.rand.IntN(anotherShare) == 0)
	}
}

// keep keeps where a walk came to for others to begin there: one for each way to go on, the shortest, or any other.
func (w *walks) keep(way wayOn, any bool) {
	at, known := w.ways[way]
	switch one := (keptWalk{Walk: w.Walk, altered: w.altered}); {
	case known && (any || len(w.Calls) < len(w.kept[at].Calls)):
		w.kept[at] = one
	case !known && len(w.kept) < maxWalks:
		w.ways[way] = len(w.kept)
		w.kept = append(w.kept, one)
	}
}

// maxWritten numbers that were written last are worth trying. Arbitrary.
const maxWritten = 8

// lastWritten are numbers that calls have written, the latest at last, with those of an execution's last call: what is kept for an attacker may be what he can take out.
func lastWritten(before []uint256.Int, exec *evm.Execution) []uint256.Int {
	all := slices.Clone(before)
	for i := exec.Calls[len(exec.Calls)-1].Frames[0]; i < len(exec.Frames); i++ {
		for j := range exec.Frames[i].Storage {
			if access := &exec.Frames[i].Storage[j]; access.Write && !access.Value.IsZero() && !slices.Contains(all, access.Value) {
				all = append(all, access.Value)
			}
		}
	}
	return all[max(len(all)-maxWritten, 0):]
}

// letTake has an attacker let tokens be taken for want of which the walk's call failed, and make it again; false: that is not why, or he has done so already.
func (a *attacks) letTake(seq input.Sequence, exec *evm.Execution) bool {
	w := &a.drawn.walks
	last := len(seq) - 1
	who := seq[last].Sender
	token, spender, ok := lacks(exec, last, a.space.Senders[who].Address)
	at := a.giftOf(token)
	if !ok || spender == (common.Address{}) || at < 0 {
		return false
	}
	lets, ok := a.space.Lets(who, &a.gifts.each[at], spender)
	if !ok || slices.ContainsFunc(seq[w.From:], func(c input.Call) bool { return c.Equal(&lets) }) {
		return false
	}
	again := seq[last]
	w.Calls, w.retries = append(seq[:last:last], lets), &again
	return true
}
