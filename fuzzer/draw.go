package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// drawn are attacks that are made of what campaigns have seen calls do, at random, where all that is worth trying in order has been tried: what
// takes several calls of several accounts, some time and the right number is no step away from what comes first.
type drawn struct {
	counts    func(input.Callable) bool // attacks on it are looked at; nil: none are
	functions []*input.Function         // that have deeds
	deeds     map[*input.Function][]deed
}

// deed is how a function was seen to have an effect: what its call needs, and the call.
type deed struct {
	sequence input.Sequence
	gifts    []input.Call // of the tokens that it takes
}

// Bounds of deeds. Arbitrary: a few for each function, of few calls.
const (
	maxDeeds     = 6
	maxDeedCalls = 6
	drawTries    = 16 // to find deeds that are looked at together
)

// watchDeed keeps what led to an effect of a call.
func (a *attacks) watchDeed(seq input.Sequence, exec *evm.Execution) {
	last := lastOf(seq)
	if a.drawn.counts == nil || exec.Calls[len(seq)-1].Outcome != evm.Success || last.Function.View {
		return
	}
	if e := effectOf(exec); e.changed == 0 && !e.paid {
		return
	}
	calls := a.neededFor(exec)
	if len(calls) > maxDeedCalls {
		return
	}
	d := deed{gifts: a.giftsFor(exec)}
	var time, blocks uint64 // of what is left out
	next := 0
	for i := range seq {
		time, blocks = time+seq[i].TimeAdvance, blocks+seq[i].BlockAdvance
		if next == len(calls) || i != calls[next] {
			continue
		}
		c := seq[i]
		if c.Function.Test || c.Function.Kind == input.Constructor {
			return
		}
		c.TimeAdvance, c.BlockAdvance = time, blocks
		d.sequence = append(d.sequence, c)
		time, blocks = 0, 0
		next++
	}
	d.sequence = d.sequence.Clone()
	deeds := a.drawn.deeds[last.Function]
	switch {
	case len(deeds) == 0:
		a.drawn.functions = append(a.drawn.functions, last.Function)
		fallthrough
	case len(deeds) < maxDeeds:
		if slices.ContainsFunc(deeds, func(other deed) bool { return other.sequence.Equal(d.sequence) }) {
			return
		}
		a.drawn.deeds[last.Function] = append(deeds, d)
	default:
		at := a.rand.IntN(maxDeeds)
		if len(d.sequence) <= len(deeds[at].sequence) || a.rand.IntN(maxDeeds) == 0 {
			deeds[at] = d
		}
	}
}

// neededFor lists the calls of an execution, in order, that write what the last one reads, or what others of them read: the last one itself comes last. What tokens keep does
// not count, unless the last call is of one: accounts have some from the beginning, and let them be taken.
func (a *attacks) neededFor(exec *evm.Execution) []int {
	read := map[place]bool{}
	var calls []int
	last := exec.Frames[exec.Calls[len(exec.Calls)-1].Frames[0]].Self
	counts := func(access *evm.StorageAccess) bool { return access.Address == last || !a.space.IsToken(access.Address) }
	for i := range slices.Backward(exec.Calls) {
		frames := exec.Frames[exec.Calls[i].Frames[0]:exec.Calls[i].Frames[1]]
		needed := len(calls) == 0 || exec.Calls[i].Outcome == evm.Success && slices.ContainsFunc(frames, func(f evm.Frame) bool {
			return slices.ContainsFunc(f.Storage, func(access evm.StorageAccess) bool { return access.Write && read[place{access.Address, access.Slot}] })
		})
		if !needed {
			continue
		}
		calls = append(calls, i)
		for j := range frames {
			for k := range frames[j].Storage {
				if access := &frames[j].Storage[k]; !access.Write && counts(access) {
					read[place{access.Address, access.Slot}] = true
				}
			}
		}
	}
	slices.Reverse(calls)
	return calls
}

// draw makes an attack of one or two deeds, in which something counts; false: there is none.
func (a *attacks) draw() (input.Sequence, bool) {
	d := &a.drawn
	if len(d.functions) == 0 {
		return nil, false
	}
	for range drawTries {
		first := d.deed(a)
		var second deed
		if a.rand.IntN(2) == 0 {
			second = d.deed(a)
		}
		if !slices.ContainsFunc(slices.Concat(first.sequence, second.sequence), func(c input.Call) bool { return d.counts(input.Callable{Instance: c.Instance, Function: c.Function}) }) {
			continue
		}
		if seq, ok := a.mutator.Staged(a.rand, first.sequence, second.sequence, first.gifts); ok {
			return seq, true
		}
	}
	return nil, false
}

// deed is one of a function's, which are all as likely.
func (d *drawn) deed(a *attacks) deed {
	deeds := d.deeds[d.functions[a.rand.IntN(len(d.functions))]]
	return deeds[a.rand.IntN(len(deeds))]
}
