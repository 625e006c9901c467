package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

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
	d.producers.learn(seq, exec)
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
	if d.counts(last) && !slices.Contains(d.altering, last) && d.runsTarget(exec.Frames[exec.Calls[call].Frames[0]:]) {
		d.altering = append(d.altering, last)
	}
	d.keep(a, last, deed{seq.Only(calls), a.giftsFor(exec), e})
}

// runsTarget reports whether some frames run a target.
func (d *drawn) runsTarget(frames []evm.Frame) bool {
	for i := range frames {
		if frames[i].Program != nil && d.isTarget(&frames[i]) {
			return true
		}
	}
	return false
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

// of is a deed of one of some functions, which are all as likely.
func (d *drawn) of(a *attacks, functions []input.Callable) deed {
	deeds := d.deeds[functions[a.rand.IntN(len(functions))]]
	return deeds[a.rand.IntN(len(deeds))]
}
