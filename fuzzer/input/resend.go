package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Bounds of Resent. Arbitrary: most functions that take a signature have one or two numbers and accounts.
const (
	maxResent   = 96
	maxPrepared = 8 // functions that are called before
)

// Resent lists what a sequence becomes whose last call has a signature by a sender: another one sends it, with a number and
// an account that may make it matter, after the signer has paid in. Signatures that do not fit any more are made again
// by [Space.Sign].
func (s *Space) Resent(seq Sequence, signer common.Address) (all []Sequence) {
	last := len(seq) - 1
	by := s.senderAt(signer)
	others := slices.DeleteFunc(slices.Clone(s.ordinary), func(i int) bool { return i == by })
	if by < 0 || len(others) == 0 {
		return nil
	}
	call := seq[last]
	call.Script = nil
	if call.Sender == by {
		call.Sender = others[0]
	}
	calls := []Call{call}
	vary := func(i int, word uint256.Int) {
		for _, c := range calls {
			c.Args = slices.Clone(c.Args)
			c.Args[i].Word = word
			calls = append(calls, c)
		}
	}
	const bitsOfAmount = 64 // v has fewer
	for i := range call.Args {
		switch t, word := &call.Function.Inputs[i], &call.Args[i].Word; {
		case len(calls) > maxResent/2:
		case t.Kind == Address && *word == addressWord(signer):
			vary(i, addressWord(s.Senders[others[len(others)-1]].Address))
		case t.Kind == Uint && t.Bits >= bitsOfAmount && word.IsZero():
			vary(i, *uint256.NewInt(1))
		}
	}
	befores := []Sequence{nil}
	for _, c := range s.changing {
		if c.Instance == call.Instance && c.Function != call.Function && s.mayAttack(c) && len(befores) <= maxPrepared {
			before := s.own(c, &Stake, by)
			before.Sender = by
			befores = append(befores, Sequence{before})
		}
	}
	for _, before := range befores {
		for i := range calls {
			if len(all) < maxResent && last+len(before) < MaxCalls {
				all = append(all, slices.Concat(seq[:last], before, Sequence{calls[i]}))
			}
		}
	}
	return all
}

// maxUsed bounds what Used lists, and maxNamed the accounts of a call that are told apart. Arbitrary: a transfer names two.
const (
	maxUsed  = 64
	maxNamed = 2
)

// Used lists what goes on from a sequence whose last call has a signature and names a sender besides the signer: that one calls another
// function, for one, with each account in it one of the two. So what the signature allowed is used.
func (s *Space) Used(seq Sequence, signer common.Address) (all []Sequence) {
	call := &seq[len(seq)-1]
	user := -1
	for i := range call.Args {
		if call.Function.Inputs[i].Kind == Address && user < 0 && call.Args[i].Address() != signer {
			user = s.senderAt(call.Args[i].Address())
		}
	}
	if user < 0 || len(seq) >= MaxCalls {
		return nil
	}
	for _, c := range s.changing {
		if c.Instance != call.Instance || c.Function == call.Function || !s.mayAttack(c) {
			continue
		}
		use := s.own(c, uint256.NewInt(1), user)
		use.Sender = user
		uses := []Call{use}
		for i, named := 0, 0; i < len(use.Args) && named < maxNamed; i++ {
			if c.Function.Inputs[i].Kind != Address {
				continue
			}
			named++
			for _, use := range uses {
				use.Args = slices.Clone(use.Args)
				use.Args[i].Word = addressWord(signer)
				uses = append(uses, use)
			}
		}
		for i := range uses {
			if len(all) < maxUsed {
				all = append(all, append(seq.Clone(), uses[i]))
			}
		}
	}
	return all
}

// Again is a sequence with one of its calls once more behind it, by the attacker's contract.
func (s *Space) Again(seq Sequence, call int) (Sequence, bool) {
	if s.contract < 0 || len(seq) >= MaxCalls || seq[call].Function.Kind == Constructor {
		return nil, false
	}
	again := seq[call]
	again.Sender, again.Script, again.TimeAdvance, again.BlockAdvance = s.contract, nil, 0, 0
	return append(seq.Clone(), again), true
}
