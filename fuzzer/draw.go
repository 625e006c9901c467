package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// drawn are attacks that are made of what campaigns have seen calls do, at random, where all that is worth trying in order has been tried: what
// takes several calls of several accounts, some time and the right number is many steps away from what comes first.
type drawn struct {
	counts    func(input.Callable) bool // attacks on it are looked at; nil: none are
	counting  []input.Callable          // that have deeds, and count
	paying    []input.Callable          // that have deeds, and were seen to pay
	functions []input.Callable          // that have deeds
	deeds     map[input.Callable][]deed
	short     []shortfall            // after which a contract could not pay
	alone     bool                   // no target is left: what remains of the campaign is for this
	next      int                    // the number of calls after which one is drawn
	newest    int                    // the run in which a function was seen to have an effect that it did not have before
	senders   map[input.Callable]int // the only sender for whom a function was seen to have an effect; −1: there are several
	amounts   amounts
}

// Shares of calls that are of attacks that are drawn: one in so many while targets are left, when none is, and when nothing new was seen for long. Where the change only alters
// contracts, none are drawn while targets are left. Arbitrary: what looks for targets is not to be held up, and when all are reached, the mutants of seeds have broken what they
// easily break.
const (
	drawShare      = 40
	drawShareAlone = 20
	drawShareStale = 8
)

// namingShare: one attack of so many that are drawn and not of a shortfall names someone else. Arbitrary.
const namingShare = 4

// manyDeeds are drawn at most until one needs others and names an account. Arbitrary.
const manyDeeds = 6

// stale is for how many executions functions have shown no further effects, so that looking for more is worth less. Arbitrary: some seconds.
const stale = 20_000

// deed is how a function was seen to have an effect: what its call needs, and the call.
type deed struct {
	sequence input.Sequence
	gifts    []input.Call // of the tokens that it takes
	effect   effect
}

// Bounds of deeds. Arbitrary: a few for each function, of few calls.
const (
	maxDeeds     = 6
	maxDeedCalls = 6
)

// watchDeed keeps what led to an effect of a call.
func (a *attacks) watchDeed(seq input.Sequence, exec *evm.Execution) {
	last, call := lastOf(seq), len(seq)-1
	d := &a.drawn
	if d.counts == nil || exec.Calls[call].Outcome != evm.Success || last.Function.View || last.Function.Test || last.Function.Kind == input.Constructor {
		return
	}
	if a.space.IsToken(a.space.Instances[last.Instance].Address) && !d.counts(last) { // it is given and taken besides
		return
	}
	pays := paysOut(exec, call)
	e := effectOf(exec)
	d.amounts.watch(a.space, seq, exec)
	if e.changed == 0 && !pays {
		return
	}
	if only, known := d.senders[last]; !known {
		d.senders[last] = seq[call].Sender
	} else if only != seq[call].Sender {
		d.senders[last] = -1
	}
	calls := a.neededFor(exec, func(int) bool { return false })
	if len(calls) > maxDeedCalls || !maybeDeed(seq, calls) {
		return
	}
	if pays && !slices.Contains(d.paying, last) {
		d.paying = append(d.paying, last)
	}
	d.keep(a, last, deed{seq.Only(calls), a.giftsFor(exec), e})
}

// maybeDeed reports whether anyone may make some calls of a sequence, as far as their functions tell.
func maybeDeed(seq input.Sequence, calls []int) bool {
	return !slices.ContainsFunc(calls, func(i int) bool { return seq[i].Function.Test || seq[i].Function.Kind == input.Constructor })
}

// keep keeps a function's deed: in the place of one with the same effect if it is shorter, in half of the cases if it is as long, and the more seldom the longer it is; else
// where there is room, or in the place of any.
func (d *drawn) keep(a *attacks, of input.Callable, one deed) {
	deeds := d.deeds[of]
	if len(deeds) == 0 {
		d.functions = append(d.functions, of)
		if d.counts(of) {
			d.counting = append(d.counting, of)
		}
	}
	switch at := slices.IndexFunc(deeds, func(other deed) bool { return other.effect == one.effect }); {
	case at >= 0:
		if more := len(one.sequence) - len(deeds[at].sequence); more < 0 || a.rand.IntN(2<<(2*min(more, 8))) == 0 {
			deeds[at] = one
		}
	case len(deeds) < maxDeeds:
		d.deeds[of], d.newest = append(deeds, one), a.runs
	default:
		deeds[a.rand.IntN(maxDeeds)] = one
	}
}

// neededFor lists the calls of an execution, in order, that write what the last one reads, or what others of them read, and those that are needed besides, as also says; the
// last one itself is the last of them. What tokens keep does not matter, unless the last call is of one: accounts have some from the beginning, and let them be taken.
func (a *attacks) neededFor(exec *evm.Execution, also func(call int) bool) []int {
	read := map[place]bool{}
	var calls []int
	last := exec.Frames[exec.Calls[len(exec.Calls)-1].Frames[0]].Self
	matters := func(access *evm.StorageAccess) bool {
		return access.Address == last || !a.space.IsToken(access.Address)
	}
	for i := range slices.Backward(exec.Calls) {
		frames := exec.Frames[exec.Calls[i].Frames[0]:exec.Calls[i].Frames[1]]
		needed := len(calls) == 0 || exec.Calls[i].Outcome == evm.Success && (also(i) || slices.ContainsFunc(frames, func(f evm.Frame) bool {
			return slices.ContainsFunc(f.Storage, func(access evm.StorageAccess) bool { return access.Write && read[place{access.Address, access.Slot}] })
		}))
		if !needed {
			continue
		}
		calls = append(calls, i)
		for j := range frames {
			for k := range frames[j].Storage {
				if access := &frames[j].Storage[k]; !access.Write && matters(access) {
					read[place{access.Address, access.Slot}] = true
				}
			}
		}
	}
	slices.Reverse(calls)
	return calls
}

// draw draws an attack, if it is time for one. Turns in which there was none are over.
func (a *attacks) draw() []input.Sequence {
	a.made = a.runs / attackShare
	d := &a.drawn
	if len(d.counting) == 0 || a.calls < d.next || !a.audit && !d.alone {
		return nil
	}
	seq, ok := a.stage()
	if !ok {
		d.next = a.calls + 1
		return nil
	}
	share := drawShare
	switch {
	case d.alone && a.runs-d.newest > stale:
		share = drawShareStale
	case d.alone:
		share = drawShareAlone
	}
	d.next = a.calls + share*len(seq)
	return []input.Sequence{seq}
}

// stage makes an attack of one or two deeds, one of which counts, or of what a contract could not pay; false: it is none.
func (a *attacks) stage() (input.Sequence, bool) {
	d := &a.drawn
	isOnly := func(c *input.Call) bool {
		only, known := d.senders[input.Callable{Instance: c.Instance, Function: c.Function}]
		return known && only >= 0
	}
	if n := len(d.short); n > 0 && a.rand.IntN(shortfallShare) == 0 {
		one := d.short[a.rand.IntN(n)]
		return a.mutator.StagedShort(a.rand, one.sequence, one.paysIn, one.gifts, isOnly, d.amounts.has)
	}
	if a.rand.IntN(namingShare) == 0 {
		return a.stageNaming(isOnly)
	}
	one := d.of(a, d.counting)
	deeds, gifts := []input.Sequence{one.sequence}, one.gifts
	switch a.rand.IntN(4) {
	case 0: // alone
	case 1:
		deeds = append(deeds, d.of(a, d.functions).sequence)
	case 2:
		if len(d.paying) > 0 {
			deeds = append(deeds, d.of(a, d.paying).sequence)
		}
	default:
		before := d.of(a, d.functions)
		deeds, gifts = []input.Sequence{before.sequence, one.sequence}, slices.Concat(before.gifts, gifts)
	}
	return a.mutator.Staged(a.rand, deeds, gifts, isOnly, d.amounts.has)
}

// stageNaming makes an attack of what another account does, and one or two calls of the attackers, the first of which counts and names that account. In half of the cases the
// account does what the first of these calls needs.
func (a *attacks) stageNaming(isOnly func(*input.Call) bool) (input.Sequence, bool) {
	d := &a.drawn
	one := d.of(a, d.counting).sequence
	for i := 1; i < manyDeeds && (len(one) == 1 || !one[len(one)-1].Names()); i++ {
		one = d.of(a, d.counting).sequence
	}
	deeds := []input.Sequence{one}
	last := len(one) - 1
	theirs, sender := one[:last], one[last].Sender
	if last == 0 || a.rand.IntN(2) == 0 {
		theirs = d.of(a, d.functions).sequence
		sender = theirs[len(theirs)-1].Sender
	}
	switch a.rand.IntN(3) {
	case 0: // alone
	case 1:
		deeds = append(deeds, d.of(a, d.functions).sequence)
	default:
		if len(d.paying) > 0 {
			deeds = append(deeds, d.of(a, d.paying).sequence)
		}
	}
	return a.mutator.StagedNaming(a.rand, theirs, sender, deeds, isOnly, d.amounts.has)
}

// of is a deed of one of some functions, which are all as likely.
func (d *drawn) of(a *attacks, functions []input.Callable) deed {
	deeds := d.deeds[functions[a.rand.IntN(len(functions))]]
	return deeds[a.rand.IntN(len(deeds))]
}
