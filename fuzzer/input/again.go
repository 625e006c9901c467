package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// This file has the attacker's contract do what others do, and then what paid it at last again.

// maxOrdinal is the largest number that may say which of several things one is. Arbitrary: sequences are shorter.
const maxOrdinal = 16

// Repeated lists attacks in which the attacker's contract makes the calls of a sequence, and the last one so many times more. Before that as many
// ordinary senders make all calls but the last: what they then own is there to be taken, and what the attacker's contract begins may have the number
// behind theirs. Where not all senders of the sequence are ordinary, attacks before which the others make their own calls are listed as well. With
// gifts, the attacker's contract is given one of them, and the contract that is called last may take it. What pays ether pays the stake in further
// ones. Nil where a call is a test's or a constructor, or there are too many calls.
func (s *Space) Repeated(seq Sequence, times int, gifts []Call) (all []Sequence) {
	if s.contract < 0 || slices.ContainsFunc(seq, func(c Call) bool { return c.Function.Test || c.Function.Kind == Constructor }) {
		return nil
	}
	all = s.repeated(nil, seq, times, gifts)
	var first, rest Sequence
	for i := range seq {
		if seq[i].Sender == s.contract || slices.Contains(s.ordinary, seq[i].Sender) {
			rest = append(rest, seq[i])
		} else {
			first = append(first, seq[i])
		}
	}
	if n := len(rest); len(first) > 0 && n > 0 && rest[n-1].Equal(&seq[len(seq)-1]) && !s.HelpsContract(first) {
		all = append(all, s.repeated(first, rest, times, gifts)...)
	}
	for _, attack := range slices.Clip(all) {
		if paying := s.payingStake(attack); !paying.Equal(attack) {
			all = append(all, paying)
		}
	}
	return all
}

// repeated are those of [Space.Repeated] behind some calls.
func (s *Space) repeated(first, seq Sequence, times int, gifts []Call) (all []Sequence) {
	own := s.by(s.contract, seq)
	own[len(own)-1].Args = s.toOutsider(&own[len(own)-1])
	last := own[len(own)-1]
	for _, next := range []uint64{0, 1} {
		for _, attack := range append(s.asAll(own), own) {
			before := slices.Clone(first)
			for i := range times {
				before = append(before, withOrdinals(s.by(s.ordinary[i%len(s.ordinary)], attack[:len(attack)-1]), next*uint64(i))...)
			}
			attack = withOrdinals(attack, next*uint64(times))
			attack = again(attack, times)
			if len(gifts) == 0 {
				all = append(all, slices.Concat(before, attack))
			}
			for i := range gifts {
				if lets, ok := s.Lets(s.contract, &gifts[i], s.Instances[last.Instance].Address); ok {
					all = append(all, slices.Concat(before, Sequence{gifts[i], lets}, attack))
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(seq Sequence) bool { return len(seq) > MaxCalls })
}

// again is a sequence with its last call made so many times more at once, and paying nothing.
func again(seq Sequence, times int) Sequence {
	c := seq[len(seq)-1]
	c.TimeAdvance, c.BlockAdvance, c.Value = 0, 0, uint256.Int{}
	return append(slices.Clip(seq), slices.Repeat(Sequence{c}, times)...)
}

// due is when what was begun is over, as a rule, in seconds: most of a year. Arbitrary.
const due = 300 * 24 * 60 * 60

// maxWhole bounds the numbers that may be all of what was begun. Arbitrary.
const maxWhole = 4

// asAll lists sequences whose last call has a number of the calls before in the place of one of its own, after a long time: all that was begun. Where that is
// next to nothing, it is the stake in both.
func (s *Space) asAll(seq Sequence) (all []Sequence) {
	last := len(seq) - 1
	numbers := numbersOf(seq[:last])
	for j := range seq[last].Args {
		t := &seq[last].Function.Inputs[j]
		if t.Kind != Uint || saysWhich(&seq[last], j) {
			continue
		}
		for _, number := range numbers {
			amount := number.of(seq)
			out := seq.Clone()
			if number.arg >= 0 && amount.LtUint64(leastStake) {
				amount = Stake
				out[number.call].Args = slices.Clone(out[number.call].Args)
				out[number.call].Args[number.arg].Word = amount
			}
			if t.Fits(&amount) {
				out[last].Args = slices.Clone(out[last].Args)
				out[last].Args[j].Word = amount
				out[last].TimeAdvance = min(due, s.maxTime)
				all = append(all, out)
			}
		}
	}
	return all
}

// numeral is where a number is in a sequence: the call's argument, or what it pays (−1).
type numeral struct{ call, arg int }

func (n numeral) of(seq Sequence) uint256.Int {
	if n.arg < 0 {
		return seq[n.call].Value
	}
	return seq[n.call].Args[n.arg].Word
}

// numbersOf are the first numbers of a sequence that are not zero.
func numbersOf(seq Sequence) (numbers []numeral) {
	add := func(n numeral) {
		if w := n.of(seq); !w.IsZero() && len(numbers) < maxWhole {
			numbers = append(numbers, n)
		}
	}
	for i := range seq {
		add(numeral{i, -1})
		for j := range seq[i].Args {
			if t := &seq[i].Function.Inputs[j]; t.Kind == Uint && t.Fits(&Stake) {
				add(numeral{i, j})
			}
		}
	}
	return numbers
}

// firstNumber is the first argument of a call that is a number without a sign; −1: there is none.
func firstNumber(c *Call) int {
	return slices.IndexFunc(c.Function.Inputs, func(t Type) bool { return t.Kind == Uint })
}

// saysWhich reports whether an argument of a call is the first of several numbers, which says which of several things it is about.
func saysWhich(c *Call, arg int) bool {
	return arg == firstNumber(c) && slices.ContainsFunc(c.Function.Inputs[arg+1:], func(t Type) bool { return t.Kind == Uint })
}

// toOutsider are a call's arguments with the outsider in the place of accounts that are neither contracts of the World nor the attacker's contract.
func (s *Space) toOutsider(call *Call) []Value {
	args := call.Args
	outsider := s.Outsider()
	if outsider < 0 {
		return args
	}
	abi.EachAddress(call.Args, call.Function.Inputs, func(a common.Address) {
		if a != s.Senders[s.contract].Address && !slices.ContainsFunc(s.Instances, func(in Instance) bool { return in.Address == a }) {
			args = abi.ReplaceAddress(args, call.Function.Inputs, a, s.Senders[outsider].Address)
		}
	})
	return args
}

// by is a sequence with one sender in the place of all, wherever these send or are named.
func (s *Space) by(sender int, seq Sequence) Sequence {
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		for _, other := range seq.Senders() {
			c.Args = abi.ReplaceAddress(c.Args, c.Function.Inputs, s.Senders[other].Address, s.Senders[sender].Address)
		}
		c.Sender, c.Script = sender, nil
	}
	return out
}

// Swapped is a sequence with two senders in each other's place, wherever they send or are named.
func (s *Space) Swapped(seq Sequence, a, b int) Sequence {
	out := seq.Clone()
	from, to := s.Senders[a].Address, s.Senders[b].Address
	for i := range out {
		c := &out[i]
		switch c.Sender {
		case a:
			c.Sender = b
		case b:
			c.Sender = a
		}
		c.Args = abi.MapAddresses(c.Args, c.Function.Inputs, func(address common.Address) common.Address {
			switch address {
			case from:
				return to
			case to:
				return from
			}
			return address
		})
	}
	return out
}

// withOrdinals is a sequence with so much more in the place of small numbers that come first in their call, in all calls but the first.
func withOrdinals(seq Sequence, more uint64) Sequence {
	if more == 0 {
		return seq
	}
	out := seq.Clone()
	for i := 1; i < len(out); i++ {
		if j := firstNumber(&out[i]); j >= 0 && !out[i].Args[j].Word.GtUint64(maxOrdinal) {
			out[i].Args = slices.Clone(out[i].Args)
			out[i].Args[j].Word.AddUint64(&out[i].Args[j].Word, more)
		}
	}
	return out
}

// payingStake is a sequence in which calls that pay ether pay the stake.
func (s *Space) payingStake(seq Sequence) Sequence {
	out := seq.Clone()
	for i := range out {
		if !out[i].Value.IsZero() && !Stake.Gt(&s.maxValue) {
			out[i].Value = Stake
		}
	}
	return out
}
