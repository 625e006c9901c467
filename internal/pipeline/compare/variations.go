package compare

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Mutation seldom makes a call in which the sender names itself, or moves what it has just got: it is one of many
// accounts, and no branch tells that such a call is near. So calls that execute changed code are made in these ways,
// too, after others that change what is stored.

// What is made at most. Arbitrary: some tenths of a second.
const (
	maxVaried        = 16 // calls that execute changed code, one of each function
	maxBefore        = 8  // calls before one, likewise
	maxVariationRuns = 4000
	maxVariations    = 64 // that differ
)

// suiteCalls are inputs of a suite by what their last call does.
type suiteCalls struct {
	entering []input.Sequence // executes changed code
	failing  []input.Sequence // fails in code that did not change, since what changed came before, one of each function
	changing []input.Sequence // succeeds and changes what is stored, one of each function
}

// note sorts an input in.
func (c *suiteCalls) note(seq input.Sequence, exec *evm.Execution, enters, fails bool) {
	if enters {
		c.entering = append(c.entering, seq)
	}
	if fails {
		c.failing = addShortest(c.failing, seq)
	}
	last := len(seq) - 1
	if len(c.changing) < maxBefore && len(seq) <= maxStateCalls && len(exec.Calls) == len(seq) && exec.Calls[last].Outcome == evm.Success && stores(exec, last) {
		c.changing = addShortest(c.changing, seq)
	}
}

// stores reports whether a call writes to storage.
func stores(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write })
	})
}

// addShortest adds a sequence unless another one as short ends with a call of the same function.
func addShortest(list []input.Sequence, seq input.Sequence) []input.Sequence {
	of := callableOf(&seq[len(seq)-1])
	for i, known := range list {
		if callableOf(&known[len(known)-1]) == of {
			if len(seq) < len(known) {
				list[i] = seq
			}
			return list
		}
	}
	return append(list, seq)
}

// variations makes calls that execute changed code on both sides, hands them to see, and returns those that differ, one of
// each kind.
func (s *Sides) variations(calls *suiteCalls, on *pair, see func(*ran)) []input.Sequence {
	known := map[sightingKey]bool{}
	var differ []input.Sequence
	left := effort{maxVariationRuns, triedWork}
	for _, seq := range s.varied(calls) {
		r := on.try(seq, &left)
		if r == nil {
			continue
		}
		if r.first != nil && len(differ) < maxVariations {
			if key := sightingOf(seq, r.first); !known[key] {
				known[key] = true
				differ = append(differ, seq)
			}
		}
		see(r)
	}
	return differ
}

// varied lists variations, by who made the call in the suite and by the outsider, after what came before it there, and
// after calls that change what is stored.
func (s *Sides) varied(calls *suiteCalls) []input.Sequence {
	var last []input.Sequence
	for _, seq := range calls.entering {
		if seq[len(seq)-1].Function.Kind == input.Method {
			last = addShortest(last, seq)
		}
	}
	var list []input.Sequence
	for _, seq := range last[:min(len(last), maxVaried)] {
		n := len(seq) - 1
		for _, before := range append([]input.Sequence{seq[:n]}, calls.changing...) {
			before = withNumbers(s.Head.Space, before, variedAmount)
			for _, sender := range []int{seq[n].Sender, s.Head.Space.Outsider()} {
				if sender < 0 {
					continue
				}
				own := s.Head.Space.By(before, sender)
				for _, call := range s.bySelf(&seq[n], sender, own) {
					list = append(list, append(slices.Clip(own), call))
				}
			}
		}
	}
	return list
}

// variedAmount is what is put for zeros. Arbitrary: more than dust.
const variedAmount = 1000

// bySelf are a call by a sender that names itself, in the place of each account among its arguments, with the amounts
// of the calls before.
func (s *Sides) bySelf(call *input.Call, sender int, before input.Sequence) []input.Call {
	one := copyOf(call)
	one.Sender = sender
	all := []input.Call{one}
	self := new(uint256.Int).SetBytes20(s.Head.Space.Senders[sender].Address[:])
	for i := range one.Function.Inputs {
		if one.Function.Inputs[i].Kind == input.Address && len(all) <= maxExchanged {
			other := copyOf(&one)
			other.Args[i].Word.Set(self)
			all = append(all, other)
		}
	}
	for _, one := range slices.Clone(all) {
		all = append(all, withAmounts(&one, before)...)
	}
	return all
}
