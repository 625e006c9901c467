package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Bounds of HandedOn. Arbitrary: what is drawn is right in all its words in one case of some dozens, and a worker makes so many
// calls in a second.
const (
	handedDraws = 8               // for each contract, function of it and account that is told
	maxHandedOn = 4096            // that are returned
	maxDrawn    = 4 * maxHandedOn // from which those are chosen; functions after that are left out
)

// HandedOn are calls of the attacker's contract of functions that take bytes and an account: an executor makes that call, a factory sets
// up what it makes with it. The bytes are a call of a function of the contract that an argument names, the other accounts are one contract or
// none, and the words in the call are simple (simpleWord), since a set-up wants much of them at once: a list of one owner, a threshold of one, no hook.
// Mutants change a word at a time, and nothing tells how near they come. In random order.
func (s *Space) HandedOn(r Rand) (calls []Call) {
	for _, c := range s.changing {
		if !s.mayAttack(c) || !takes(c.Function.Inputs, Bytes) {
			continue
		}
		for i := range c.Function.Inputs {
			if c.Function.Inputs[i].Kind == Address {
				calls = s.appendHandedOn(calls, r, c, i)
			}
		}
	}
	for i := range calls { // so that all have a chance where there are too many
		j := i + r.IntN(len(calls)-i)
		calls[i], calls[j] = calls[j], calls[i]
	}
	return calls[:min(len(calls), maxHandedOn)]
}

func takes(types []Type, kind abi.Kind) bool {
	return slices.ContainsFunc(types, func(t Type) bool { return t.Kind == kind })
}

// appendHandedOn appends those calls of a function in which a parameter names the contract that the bytes are for.
func (s *Space) appendHandedOn(dst []Call, r Rand, c Callable, param int) []Call {
	others := []common.Address{{}}
	if accounts := slices.DeleteFunc(slices.Clone(c.Function.Inputs), func(t Type) bool { return t.Kind != Address }); len(accounts) > 1 {
		for i := range s.Instances {
			if in := &s.Instances[i]; in.takesCalls() {
				others = append(others, in.Address)
			}
		}
	}
	for i := range s.Instances {
		in := &s.Instances[i]
		if !in.takesCalls() {
			continue
		}
		for _, f := range in.Functions {
			if f.Kind != Method || f.View || f.Test {
				continue
			}
			for n := range len(others) * handedDraws {
				if len(dst) >= maxDrawn {
					return dst
				}
				call := s.handOn(r, c, others[n/handedDraws], f)
				call.Args[param].Word = addressWord(in.Address)
				dst = append(dst, call)
			}
		}
	}
	return dst
}

// takesCalls reports whether an instance is there from the beginning, and has functions that are known.
func (in *Instance) takesCalls() bool { return !in.Fresh && in.Contract != nil }

// handOn is a call whose bytes are one of another function, and whose accounts are all one.
func (s *Space) handOn(r Rand, c Callable, account common.Address, f *Function) Call {
	call := s.own(c, new(uint256.Int), s.contract)
	data := s.simpleCalldata(r, f)
	for i := range call.Args {
		switch c.Function.Inputs[i].Kind {
		case Address:
			call.Args[i].Word = addressWord(account)
		case Bytes:
			call.Args[i].Bytes = data
		}
	}
	return call
}

// simpleCalldata is a call of a function with simple words, lists of one element and no bytes.
func (s *Space) simpleCalldata(r Rand, f *Function) []byte {
	args := abi.Zeros(f.Inputs)
	for i := range args {
		t := &f.Inputs[i]
		if t.Kind == Slice && t.Elem.Elementary() {
			args[i].Elems = []Value{{Word: s.simpleWord(r, t.Elem)}}
		} else if t.Elementary() && oneIn(r, 2) {
			args[i].Word = s.simpleWord(r, t)
		}
	}
	return f.appendData(nil, args)
}

// simpleWord is an account, half of the time the attacker's contract, or one.
func (s *Space) simpleWord(r Rand, t *Type) uint256.Int {
	switch {
	case t.Kind != Address:
		return *uint256.NewInt(1)
	case oneIn(r, 2):
		return addressWord(s.Senders[s.contract].Address)
	}
	return addressWord(s.Addresses[r.IntN(len(s.Addresses))])
}
