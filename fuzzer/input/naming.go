package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// StagedNaming is an attack that names someone else: another account, in the place of a sender, does what was seen to have an effect, with those who had to help, and then the
// attackers do something in which that account is named in the place of some of the accounts that were named there, and something else in their own names, if there is more than one deed.
// With gifts, they are given what that takes, as in [Mutator.Staged].
//
// False where the account would have to name the attackers, what they do names no account, or there are too many calls.
func (m *Mutator) StagedNaming(r Rand, theirs Sequence, sender int, deeds []Sequence, gifts []Call, keeps func(*Call) bool, isAmount func(*Call, int) bool) (Sequence, bool) {
	st, ok := m.newStage(r, isAmount)
	if !ok {
		return nil, false
	}
	s := st.space
	victim := s.ordinary[r.IntN(len(s.ordinary))]
	before := withArguments(s.inPlace(theirs, sender, victim, keeps))
	if slices.ContainsFunc(before, func(c Call) bool { return s.IsOutsider(c.Sender) }) {
		return nil, false
	}
	var attack Sequence
	for i, deed := range deeds {
		own := withArguments(s.by(st.me, deed[len(deed)-1:]))
		if i == 0 && !s.nameInstead(r, &own[0], victim) {
			return nil, false
		}
		attack = append(attack, own...)
	}
	if oneIn(r, 2) {
		st.ordinary(before)
		st.ordinary(attack)
	}
	if oneIn(r, 2) {
		st.mixNumbers(attack)
	}
	st.before = inTurn(st.begin(theirs), before)
	st.attack = inTurn(len(st.turns)-1, attack)
	return st.finish(gifts)
}

// Names reports whether a call names an address.
func (c *Call) Names() (names bool) {
	abi.EachAddress(c.Args, c.Function.Inputs, func(common.Address) { names = true })
	return names
}

// inPlace is a sequence in which an account makes the calls of a sender, and is named in his place in all of them. It makes none that only the sender may make, as keeps says.
func (s *Space) inPlace(seq Sequence, of, by int, keeps func(*Call) bool) Sequence {
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		c.Args = abi.ReplaceAddress(c.Args, c.Function.Inputs, s.Senders[of].Address, s.Senders[by].Address)
		if c.Sender == of && !keeps(c) {
			c.Sender, c.Script = by, nil
		}
	}
	return out
}

// nameInstead has a call name an account in the place of one that is not a contract of the World, and where it names more than two of those, of others in half of the
// cases. It names its sender in the place of the rest. False where it names none.
func (s *Space) nameInstead(r Rand, c *Call, account int) bool {
	isAccount := func(a common.Address) bool {
		return !slices.ContainsFunc(s.Instances, func(in Instance) bool { return in.Address == a })
	}
	n := 0
	abi.EachAddress(c.Args, c.Function.Inputs, func(a common.Address) {
		if isAccount(a) {
			n++
		}
	})
	if n == 0 {
		return false
	}
	one, i := r.IntN(n), -1
	c.Args = abi.MapAddresses(c.Args, c.Function.Inputs, func(a common.Address) common.Address {
		if !isAccount(a) {
			return a
		}
		if i++; i == one || oneIn(r, 2) && n > 2 {
			return s.Senders[account].Address
		}
		return s.Senders[c.Sender].Address
	})
	return true
}
