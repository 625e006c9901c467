package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// This file has others pay before an attack: what they entrust to a contract, with tokens or ether, is what there is to be taken.

// maxEntrusted bounds what Entrusted lists. Arbitrary.
const maxEntrusted = 128

// Entrusted lists sequences before which others let an account take tokens of theirs, and call a function of it then, or send it some: what
// the account has, or may take, is there when the sequence begins.
func (s *Space) Entrusted(seq Sequence, account common.Address) []Sequence {
	return s.entrustedBy(s.ordinary, seq, account)
}

// maxByNamed bounds what EntrustedByNamed lists. Arbitrary: a bank has some ten functions.
const maxByNamed = 32

// EntrustedByNamed is [Space.Entrusted] by the first ordinary sender that the last call names, who may pay ether as well, or nothing; nil where it names none.
func (s *Space) EntrustedByNamed(seq Sequence, account common.Address) (all []Sequence) {
	last := &seq[len(seq)-1]
	named := -1
	abi.EachAddress(last.Args, last.Function.Inputs, func(a common.Address) {
		if i := slices.IndexFunc(s.ordinary, func(o int) bool { return s.Senders[o].Address == a }); i >= 0 && named < 0 {
			named = s.ordinary[i]
		}
	})
	if named < 0 || named == s.contract {
		return nil
	}
	for _, c := range s.functionsOf(account, last.Function) {
		for _, amount := range []*uint256.Int{&Stake, uint256.NewInt(1)} {
			call := s.own(c, amount, named)
			call.Sender = named
			if c.Function.Payable && !Stake.Gt(&s.maxValue) {
				call.Value = Stake
			}
			if len(seq) < MaxCalls && len(all) < maxEntrusted {
				all = append(all, slices.Concat(Sequence{call}, seq))
			}
		}
	}
	all = append(all, s.entrustedBy([]int{named}, seq, account)...)
	return all[:min(len(all), maxByNamed)]
}

func (s *Space) entrustedBy(senders []int, seq Sequence, account common.Address) (all []Sequence) {
	add := func(before ...Call) {
		if len(all) < maxEntrusted && len(before)+len(seq) <= MaxCalls {
			all = append(all, slices.Concat(before, seq))
		}
	}
	for _, token := range s.changing {
		allows := token.Function.Signature == LetsTake
		if s.Instances[token.Instance].Fresh || !allows && token.Function.Signature != GivesTokens {
			continue
		}
		for _, sender := range senders {
			for _, amount := range []*uint256.Int{&Stake, uint256.NewInt(1)} {
				trusts := s.own(token, amount, sender)
				trusts.Sender, trusts.Args[0].Word = sender, addressWord(account)
				add(trusts)
				if !allows {
					continue
				}
				for _, call := range s.paying(s.functionsOf(account, seq[len(seq)-1].Function), amount, sender, s.Instances[token.Instance].Address) {
					add(trusts, call)
				}
			}
		}
	}
	return all
}

// paying are calls of a sender by which he may pay so much of a token: all accounts are himself, or the first is the token.
func (s *Space) paying(functions []Callable, amount *uint256.Int, sender int, token common.Address) (calls []Call) {
	for _, c := range functions {
		call := s.own(c, amount, sender)
		call.Sender = sender
		calls = append(calls, call)
		if accounts := addressesAmong(c.Function.Inputs); len(accounts) > 0 {
			call.Args = slices.Clone(call.Args)
			call.Args[accounts[0]].Word = addressWord(token)
			calls = append(calls, call)
		}
	}
	return calls
}

// sentTimes: what others send is so many stakes, so that what is taken of it can be taken again. Arbitrary.
const sentTimes = 16

// Sent lists sequences before which an ordinary sender sends an account tokens.
func (s *Space) Sent(seq Sequence, account common.Address) (all []Sequence) {
	amount := new(uint256.Int).Mul(&Stake, uint256.NewInt(sentTimes))
	for _, token := range s.changing {
		if token.Function.Signature != GivesTokens || s.Instances[token.Instance].Fresh {
			continue
		}
		for _, sender := range s.ordinary {
			if len(all) < maxEntrusted && len(seq) < MaxCalls {
				sends := s.own(token, amount, sender)
				sends.Sender, sends.Args[0].Word = sender, addressWord(account)
				all = append(all, slices.Concat(Sequence{sends}, seq))
			}
		}
	}
	return all
}

// functionsOf lists functions of an account that others may use, but for one.
func (s *Space) functionsOf(account common.Address, but *Function) (list []Callable) {
	for _, c := range s.changing {
		if s.Instances[c.Instance].Address == account && s.mayAttack(c) && c.Function != but {
			list = append(list, c)
		}
	}
	return list
}

// Endowed lists sequences before which an account that a sequence does not send from pays the stake to a contract, in each way that it takes
// ether: what others have in it is there when the sequence begins. The accounts that it names are itself, or all are the attacker's contract,
// which answers as a token where one is asked for; names are not those of a call that Own lists, so that there is room for both.
// Ways in which the sequence's own calls pay are left to PaidByOthers, unless they have names.
func (s *Space) Endowed(seq Sequence, contract common.Address) (all []Sequence) {
	payer := slices.IndexFunc(s.ordinary, func(o int) bool {
		return !slices.ContainsFunc(seq, func(c Call) bool { return c.Sender == o })
	})
	if payer < 0 || s.contract < 0 || len(seq) >= MaxCalls {
		return nil
	}
	for _, c := range s.changing {
		if !c.Function.Payable || s.Instances[c.Instance].Address != contract || !s.mayAttack(c) {
			continue
		}
		named := false
		call := s.own(c, &Stake, s.ordinary[payer])
		strange := s.own(c, &Stake, s.contract)
		for i := range call.Args {
			if c.Function.Inputs[i].Kind == FixedBytes {
				call.Args[i].Word, strange.Args[i].Word = aName, aName
				named = true
			}
		}
		pays := func(there Call) bool { return there.Function == c.Function && !there.Value.IsZero() }
		if call.Value.IsZero() || !named && slices.ContainsFunc(seq, pays) {
			continue
		}
		call.Sender, strange.Sender = s.ordinary[payer], s.ordinary[payer]
		all = append(all, slices.Concat(Sequence{call}, seq), slices.Concat(Sequence{strange}, seq))
		if len(all) >= maxEndowed {
			break
		}
	}
	return all
}

// aName is what Endowed calls something: a byte at the left, so that it is a value of each type of bytes.
var aName = *new(uint256.Int).Lsh(uint256.NewInt(1), 248)

// maxEndowed bounds what Endowed lists. Arbitrary: few contracts have more ways of being paid than eight.
const maxEndowed = 16

// IsPaid reports whether an ordinary account pays a contract in a sequence.
func (s *Space) IsPaid(seq Sequence, contract common.Address) bool {
	return slices.ContainsFunc(seq, func(c Call) bool {
		return !c.Value.IsZero() && s.Instances[c.Instance].Address == contract && slices.Contains(s.ordinary, c.Sender)
	})
}

// PaidFirst counts the calls of ordinary accounts that a sequence begins with, where all of them are payments that do not name the attacker's
// contract, and the others are that contract's; 0: it does not begin so.
func (s *Space) PaidFirst(seq Sequence) int {
	n := slices.IndexFunc(seq, func(c Call) bool { return c.Sender == s.contract })
	if n <= 0 || !s.IsAttack(seq[n:]) || s.HelpsContract(seq) ||
		slices.ContainsFunc(seq[:n], func(c Call) bool { return c.Value.IsZero() || !slices.Contains(s.ordinary, c.Sender) }) {
		return 0
	}
	return n
}
