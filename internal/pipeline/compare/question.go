package compare

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
)

// maxQuestions bounds what is asked after the calls of a behavior. Arbitrary: each question runs them once more on either side.
const maxQuestions = 64

// ask finds a question whose answer after the calls of a behavior differs, where what they leave in storage does, or who has which ether;
// nil: there is none, or none was found.
func (p *pair) ask(b *Behavior) *fuzzer.Answer {
	left := maxQuestions
	differs := func(a *fuzzer.Answer) bool {
		left--
		return left >= 0 && p.answer(b.Sequence, a)
	}
	switch b.Kind {
	case Sends:
		for _, account := range p.accounts(b) {
			if a := (&fuzzer.Answer{To: account}); differs(a) {
				return a
			}
		}
	case Stores:
		for i := range p.Head.Space.Instances {
			if in := &p.Head.Space.Instances[i]; in.Contract == nil || !p.stands(b, in.Address) {
				continue
			}
			for _, call := range p.getters(b, i) {
				to := p.Head.Space.Encode(input.Sequence{call}, nil)
				if a := (&fuzzer.Answer{To: to[0].To, Data: to[0].Data}); differs(a) {
					return a
				}
			}
		}
	}
	return nil
}

// stands reports whether something in an account's storage differs after the calls of a behavior.
func (p *pair) stands(b *Behavior, account common.Address) bool {
	return slices.ContainsFunc(b.places, func(at place) bool { return at.address == account })
}

// accounts are those that the ether may be with: the senders of the calls, what they call, and the others.
func (p *pair) accounts(b *Behavior) (list []common.Address) {
	add := func(a common.Address) {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for i := range b.Sequence {
		add(p.Head.Space.Senders[b.Sequence[i].Sender].Address)
		add(p.Head.Space.Instances[b.Sequence[i].Instance].Address)
	}
	for i := range p.Head.Space.Senders {
		add(p.Head.Space.Senders[i].Address)
	}
	for i := range p.Head.Space.Instances {
		add(p.Head.Space.Instances[i].Address)
	}
	return list
}

// getters are calls of an instance's view functions whose arguments are few: accounts of the behavior, and words of its calls.
func (p *pair) getters(b *Behavior, instance int) (calls []input.Call) {
	accounts, words := p.accounts(b), wordsIn(b.Sequence)
	for _, f := range p.Head.Space.Instances[instance].Functions {
		if !f.View || f.Kind != input.Method || f.Test || len(f.Inputs) > 2 {
			continue
		}
		choices := [][]abi.Value{nil}
		for i := range f.Inputs {
			var next [][]abi.Value
			for _, before := range choices {
				for _, word := range choicesOf(&f.Inputs[i], accounts, words) {
					next = append(next, append(slices.Clone(before), abi.Value{Word: word}))
				}
			}
			choices = next
		}
		for _, args := range choices {
			calls = append(calls, input.Call{Instance: instance, Function: f, Args: args})
		}
	}
	slices.SortStableFunc(calls, func(a, b input.Call) int { return len(a.Args) - len(b.Args) })
	return calls
}

// choicesOf are words of a type that may be keys; none for types that are more than a word.
func choicesOf(t *abi.Type, accounts []common.Address, words []uint256.Int) (list []uint256.Int) {
	const most = 8 // of each argument; arbitrary
	switch {
	case t.Kind == abi.Address:
		for _, a := range accounts[:min(len(accounts), most)] {
			list = append(list, *new(uint256.Int).SetBytes20(a[:]))
		}
	case t.Elementary():
		list = append(words[:min(len(words), most-1):min(len(words), most-1)], uint256.Int{})
	}
	return list
}

// wordsIn are the words among the arguments of calls, each once.
func wordsIn(seq input.Sequence) (words []uint256.Int) {
	for i := range seq {
		for j := range seq[i].Args {
			if w := seq[i].Args[j].Word; seq[i].Function.Inputs[j].Elementary() && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}
