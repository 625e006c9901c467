package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file has parties: walks in which accounts of all kinds take part, those that are known to be the only ones who may do something among them. They look for a call of code that did not change which
// a contract cannot pay, after calls that ran a target. Whether that is the change's fault is for who compares with the base to find out.

// Bounds of walks in which all take part. Arbitrary.
const (
	partyShare      = 6  // one walk in so many is one
	partySize       = 3  // accounts take part, and those who alone may do something
	maxPartyCalls   = 20 // until they want to be paid, with what comes before
	maxLeavingCalls = 12 // from then on
	maxPartyVain    = 16 // calls that fail in a row, before and after
	manyTurns       = 12 // are looked at until one has not been tried enough
	maxVainly       = 3  // calls of one function are enough behind one that succeeded
	untoldShare     = 3  // one call in so many is made without what others are believed to tell
	onlyShare       = 4  // one call in so many of a function that only one account was seen to have an effect with is made by others
)

// gather makes the next walk one in which all take part, if one is due, and returns who does: some ordinary accounts and an attacker.
func (a *attacks) gather() (people []int) {
	w := &a.drawn.walks
	if w.leave, w.party = false, !a.audit && a.rand.IntN(partyShare) == 0; !w.party {
		return nil
	}
	for range partySize - 1 {
		people = append(people, a.mutator.Ordinary(a.rand))
	}
	return append(people, a.mutator.Attacker(a.rand, true))
}

// invite has accounts take part in a walk that began as an attack, if it is such a walk.
func (w *walks) invite(people []int) {
	if w.party {
		w.People, w.From = people, 0
	}
}

// turn is the next call of a walk in which all take part: the first one of what a function needs that none has made yet, or else of the function. What runs a target is more likely until that has been run, and
// what pays afterwards.
func (a *attacks) turn() input.Call {
	d := &a.drawn
	functions := d.functions
	switch w := &d.walks; {
	case w.leave && len(d.paying) > 0:
		functions = d.paying
	case !w.altered && len(d.altering) > 0 && a.rand.IntN(2) == 0:
		functions = d.altering
	}
	call := d.due(d.of(a, functions).sequence)
	for i := 1; i < manyTurns && (d.walks.times(call.Function) > a.rand.IntN(partySize*maxSame+1) || d.walks.vainly(call.Function) > a.rand.IntN(maxVainly)); i++ {
		call = d.due(d.of(a, functions).sequence)
	}
	tells := d.producers.tells
	if a.rand.IntN(untoldShare) == 0 {
		tells = func(*input.Call, int, *input.Said) bool { return false }
	}
	return a.mutator.Step(a.rand, &d.walks.Walk, call, a.member(input.Callable{Instance: call.Instance, Function: call.Function}), d.amounts.has, tells)
}

// partyEnds reports whether a party is over. Where it is and a target has run, it goes on once: from then on all want to be paid.
func (w *walks) partyEnds(s *input.Space) bool {
	most := maxPartyCalls
	if w.leave {
		most += maxLeavingCalls
	}
	over := w.failed > maxPartyVain || s.Length(w.Calls) >= most
	if over && w.altered && !w.leave {
		w.leave, w.failed, w.vain = true, 0, w.vain[:0]
		return false
	}
	return over
}

// wholeRun is what a run costs of a walk's share.
const wholeRun = 3

// cost is what the run costs that is made now. Walks in which all take part are long. Of their calls all but the last were run just before, and a run is cheap; but not in a campaign that may
// only make so many calls.
func (w *walks) cost() int {
	switch {
	case !w.party:
		return wholeRun
	case w.counted:
		return len(w.trying)
	}
	return 1
}

// due is the first call of a deed whose function the walk has not called yet, or else its last one.
func (d *drawn) due(deed input.Sequence) *input.Call {
	if at := slices.IndexFunc(deed, func(c input.Call) bool { return d.walks.times(c.Function) == 0 }); at >= 0 {
		return &deed[at]
	}
	return &deed[len(deed)-1]
}

// times is how often the attack of a walk calls a function.
func (w *walks) times(f *input.Function) (n int) {
	for i := w.From; i < len(w.Calls); i++ {
		if w.Calls[i].Function == f {
			n++
		}
	}
	return n
}

// vainly is how often a function has failed behind the last call that succeeded.
func (w *walks) vainly(f *input.Function) (n int) {
	for _, failed := range w.vain {
		if failed == f {
			n++
		}
	}
	return n
}

// member is who makes a call of a function.
func (a *attacks) member(of input.Callable) int {
	w := &a.drawn.walks
	if only, known := a.drawn.senders[of]; known && only >= 0 && !a.space.IsContract(a.space.Senders[only].Address) && a.rand.IntN(onlyShare) != 0 {
		return only
	}
	return w.People[a.rand.IntN(len(w.People))]
}

// isUnpaid reports whether the last call of an execution, which runs no target, fails since a contract cannot pay, after one that runs a target.
func (a *attacks) isUnpaid(exec *evm.Execution) bool {
	last := len(exec.Calls) - 1
	if exec.Calls[last].Outcome == evm.Success || !a.fallsShort(exec) || a.drawn.callRunsTarget(exec, last) {
		return false
	}
	for i := range last {
		if exec.Calls[i].Outcome == evm.Success && a.drawn.callRunsTarget(exec, i) {
			return true
		}
	}
	return false
}

// callRunsTarget reports whether a call of an execution runs a target.
func (d *drawn) callRunsTarget(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	return d.runsTarget(exec.Frames[frames[0]:frames[1]])
}

// addUnpaid keeps a sequence whose last call a contract could not pay: the shortest one of each function.
func addUnpaid(all []input.Sequence, seq input.Sequence) []input.Sequence {
	at := slices.IndexFunc(all, func(known input.Sequence) bool { return lastOf(known) == lastOf(seq) })
	switch {
	case at < 0:
		return append(all, seq.Clone())
	case len(seq) < len(all[at]):
		all[at] = seq.Clone()
	}
	return all
}
