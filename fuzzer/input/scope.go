package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
)

// Within is what of a sequence the property speaks of: all of it, unless the test that
// declares it bounds what may be called, by whom. What is left is a sequence in its own
// right, in which others' calls never happened.
func (s *Space) Within(property Callable, seq Sequence) Sequence {
	scope := s.Instances[property.Instance].Scope
	if scope == nil || !slices.ContainsFunc(seq, func(c Call) bool { return !s.allows(scope, &c) }) {
		return seq
	}
	var within Sequence
	for i := range seq {
		if s.allows(scope, &seq[i]) {
			within = append(within, seq[i])
		}
	}
	return within
}

// Recast is what of a sequence the property speaks of, with senders that its test names in the place of those that may not call: what
// a test says of senders leaves out nothing of what may be called, and only few sequences have the right ones by chance.
func (s *Space) Recast(property Callable, seq Sequence) Sequence {
	scope := s.Instances[property.Instance].Scope
	if scope == nil || len(scope.Senders)+len(scope.ExcludedSenders) == 0 {
		return s.Within(property, seq)
	}
	var cast []int
	for i := range s.Senders {
		if sender := &s.Senders[i]; scope.AllowsSender(sender.Address) && (slices.Contains(scope.Senders, sender.Address) || slices.Contains(s.ordinary, i)) {
			cast = append(cast, i)
		}
	}
	if len(cast) == 0 {
		return s.Within(property, seq)
	}
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		if c.Sender >= len(s.Senders) || scope.AllowsSender(s.Senders[c.Sender].Address) {
			continue
		}
		as := cast[c.Sender%len(cast)]
		c.Args = abi.ReplaceAddress(c.Args, c.Function.Inputs, s.Senders[c.Sender].Address, s.Senders[as].Address)
		c.Sender = as
	}
	return s.Within(property, out)
}

// Tested is a property of the test whose handler is the contract that a sequence calls
// last; false where no test has it as a handler.
func (s *Space) Tested(seq Sequence) (property Callable, ok bool) {
	if !s.scoped || len(seq) == 0 {
		return Callable{}, false
	}
	last := &seq[len(seq)-1]
	for i := range s.Instances {
		in := &s.Instances[i]
		if in.Scope == nil || len(in.Properties) == 0 || i == last.Instance {
			continue
		}
		address := s.Instances[last.Instance].Address
		if in.Scope.Names(address) && s.allows(in.Scope, last) {
			return Callable{i, in.Properties[0]}, true
		}
	}
	return Callable{}, false
}

// Tester is the contract that a sequence calls last, where its scope is its own calls: what it asserts is about these alone.
func (s *Space) Tester(seq Sequence) (itself Callable, ok bool) {
	if !s.scoped || len(seq) == 0 {
		return Callable{}, false
	}
	last := &seq[len(seq)-1]
	in := &s.Instances[last.Instance]
	if in.Scope == nil || last.Function.Property || !in.Scope.Names(in.Address) {
		return Callable{}, false
	}
	return Callable{last.Instance, last.Function}, true
}

// allows reports whether a scope permits a call. Properties of its own test are always
// permitted: checking them is not one of the calls that the test restricts. Its other
// functions are handlers where it names itself, as forge has it, and nothing otherwise.
func (s *Space) allows(scope *evm.Scope, c *Call) bool {
	in := &s.Instances[c.Instance]
	if in.Scope == scope {
		if c.Function.Property || c.Function.Noted {
			return true
		}
		if !scope.Names(in.Address) || c.Function.Signature == evm.SetUp {
			return false
		}
	}
	if in.Fresh || c.Function.Kind == Constructor {
		return false // a test's contracts are those that its set-up deployed
	}
	var sender common.Address
	if c.Sender < len(s.Senders) {
		sender = s.Senders[c.Sender].Address
	}
	return scope.Allows(sender, in.Address, c.Function.Selector)
}
