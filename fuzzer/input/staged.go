package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Bounds of staged attacks. Arbitrary.
const (
	maxOthers       = 2 // accounts that do the same before
	maxAgain        = 3 // times that the last call is made once more
	maxMixed        = 2 // numbers that are put in the place of others
	ownInsteadOfHis = 4 // one attack in so many is the outsider's, and not his contract's
)

// Staged is an attack that is made of what calls were seen to do, each of them behind those that it needs.
//
// The attackers make these calls in the place of their senders, or of some of them: what only its sender may be able to do, as keeps says, comes first in half of
// the cases, and so does what some others do. Other accounts may do before what the attackers do then. Numbers are mixed, time passes at one point or
// another, and calls are made again. With gifts, other accounts give the attacker's contract one of them, and it lets the contract that is called take that.
// False where others would name the attackers, nothing is left to these, or there are too many calls.
func (m *Mutator) Staged(r Rand, deeds []Sequence, gifts []Call, keeps func(*Call) bool) (Sequence, bool) {
	s := m.space
	outsider := s.Outsider()
	if s.contract < 0 || outsider < 0 {
		return nil, false
	}
	st := stage{Mutator: m, r: r, me: s.contract, accomplice: outsider, long: oneIn(r, 4)}
	if oneIn(r, ownInsteadOfHis) {
		st.me, st.accomplice = st.accomplice, st.me
	}
	soon := oneIn(r, 2)
	for _, deed := range deeds {
		kept, own := s.divide(r, deed, keeps)
		st.before = append(st.before, kept...)
		if len(own) > 0 {
			st.add(own)
		}
	}
	if len(st.attack) == 0 || s.namesAttackers(st.before) {
		return nil, false
	}
	if soon {
		st.attack = st.attack.Clone()
		for i := range st.attack {
			st.attack[i].TimeAdvance, st.attack[i].BlockAdvance = 0, 0
		}
	}
	if len(gifts) > 0 && st.me == s.contract {
		gift := gifts[r.IntN(len(gifts))]
		if lets, ok := s.letsTake(&gift, s.Instances[st.attack[len(st.attack)-1].Instance].Address); ok {
			st.before = append(st.before, gift, lets)
		}
	}
	out := slices.Concat(st.before, st.attack)
	return out, len(out) <= MaxCalls
}

// stage is an attack that is being made.
type stage struct {
	*Mutator
	r              Rand
	me, accomplice int  // senders
	long           bool // much time passes before the last of others does what the attackers do then
	before, attack Sequence
}

// add has the attackers do something, behind or amid what they do before.
func (st *stage) add(deed Sequence) {
	r, s, who := st.r, st.space, st.me
	if len(st.attack) > 0 {
		if oneIn(r, 2) {
			who = st.accomplice
		}
		if oneIn(r, 2) { // it may go on from the deed before
			deed = deed[len(deed)-1:]
		}
	}
	own := st.vary(r, withArguments(s.by(who, deed)))
	others, ordinal := r.IntN(maxOthers+1), uint64(r.IntN(2))
	for i := range others {
		theirs := s.byOther(s.ordinary[r.IntN(len(s.ordinary))], own[:len(own)-r.IntN(2)])
		if theirs = withOrdinals(theirs, ordinal*uint64(i)); len(theirs) > 0 && st.long && i == others-1 {
			theirs[0].TimeAdvance = min(due, s.maxTime)
		}
		st.before = append(st.before, theirs...)
	}
	own = withOrdinals(own, ordinal*uint64(others))
	last := &own[len(own)-1]
	last.Args = s.toOutsider(last)
	if oneIn(r, 2) {
		own = again(own, 1+r.IntN(maxAgain))
	}
	if n := len(st.attack); n > 0 && oneIn(r, 3) { // before the last call
		own = append(own, st.attack[n-1])
		st.attack = st.attack[:n-1]
	}
	st.attack = append(st.attack, own...)
}

// divide divides a deed into the calls of senders who make them themselves, and the attackers'.
func (s *Space) divide(r Rand, deed Sequence, keeps func(*Call) bool) (before, own Sequence) {
	last := deed[len(deed)-1].Sender
	theirs, may := map[int]bool{last: true}, oneIn(r, 2)
	for i := range deed {
		c := deed[i]
		if _, known := theirs[c.Sender]; !known {
			theirs[c.Sender] = oneIn(r, 2)
		}
		if s.IsOutsider(c.Sender) || theirs[c.Sender] && (may || !keeps(&c)) {
			own = append(own, c)
		} else {
			before = append(before, c)
		}
	}
	return before, own
}

// vary is a deed with other numbers, in half of the cases ordinary ones. It writes to the deed and its arguments.
func (m *Mutator) vary(r Rand, deed Sequence) Sequence {
	if oneIn(r, 2) {
		ordinary(deed)
	}
	for range r.IntN(maxMixed + 1) {
		m.mixNumbers(r, deed)
	}
	if oneIn(r, 4) {
		if changed, ok := m.MutateLast(r, nil, deed); ok {
			sender := deed[len(deed)-1].Sender
			deed = changed
			deed[len(deed)-1].Sender = sender
		}
	}
	if last := len(deed) - 1; oneIn(r, 4) {
		deed[last].TimeAdvance = min(due, m.space.maxTime)
	}
	return deed
}

// leastAmount is how many bits a number has that may be an amount of a token with 18 decimals. Arbitrary: others are ids, times, and parts in so many.
const leastAmount = 96

// ordinary makes the large numbers of a sequence what people call with: amounts are the stake, and what is none is 1. It writes to the arguments.
func ordinary(seq Sequence) {
	for i := range seq {
		c := &seq[i]
		if !c.Value.IsZero() {
			c.Value = Stake
		}
		for j := range c.Args {
			switch t, word := &c.Function.Inputs[j], &c.Args[j].Word; {
			case t.Kind != Uint:
			case t.Bits >= leastAmount && word.GtUint64(maxOrdinal):
				*word = Stake
			case t.Bits < leastAmount && word.GtUint64(due):
				word.SetOne()
			}
		}
	}
}

// mixNumbers puts a number of a sequence, or the stake, in the place of one that a call names or pays: the last one in half of the cases. It writes to the arguments.
func (m *Mutator) mixNumbers(r Rand, seq Sequence) {
	c := &seq[len(seq)-1]
	if oneIn(r, 2) {
		c = &seq[r.IntN(len(seq))]
	}
	numbers := numbersOf(seq)
	amount := Stake
	if len(numbers) > 0 && oneIn(r, 2) {
		amount = numbers[r.IntN(len(numbers))].of(seq)
	}
	var places []int
	for j := range c.Args {
		if t := &c.Function.Inputs[j]; t.Kind == Uint && t.Fits(&amount) && !saysWhich(c, j) && (c.Args[j].Word.GtUint64(maxOrdinal) || oneIn(r, 4)) {
			places = append(places, j)
		}
	}
	if !c.Value.IsZero() && !amount.Gt(&m.space.maxValue) {
		places = append(places, -1)
	}
	if len(places) == 0 {
		return
	}
	if j := places[r.IntN(len(places))]; j >= 0 {
		c.Args[j].Word = amount
	} else {
		c.Value = amount
	}
}

// byOther is a sequence of the attackers' by another sender, who is named where they were.
func (s *Space) byOther(sender int, seq Sequence) Sequence {
	out := s.by(sender, seq)
	for i := range out {
		for _, attacker := range []int{s.contract, s.Outsider()} {
			out[i].Args = abi.ReplaceAddress(out[i].Args, out[i].Function.Inputs, s.Senders[attacker].Address, s.Senders[sender].Address)
		}
	}
	return out
}

// namesAttackers reports whether a call of a sequence names the outsider or his contract.
func (s *Space) namesAttackers(seq Sequence) (names bool) {
	for i := range seq {
		abi.EachAddress(seq[i].Args, seq[i].Function.Inputs, func(a common.Address) {
			names = names || a == s.Senders[s.contract].Address || a == s.Senders[s.Outsider()].Address
		})
	}
	return names
}

// withArguments is a sequence with arguments of its own.
func withArguments(seq Sequence) Sequence {
	for i := range seq {
		seq[i].Args = slices.Clone(seq[i].Args)
	}
	return seq
}
