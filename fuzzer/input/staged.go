package input

import (
	"slices"

	"github.com/holiman/uint256"
)

// Bounds of staged attacks. Arbitrary.
const (
	maxOthers       = 2 // accounts that do the same before
	maxAgain        = 3 // times that the last call is made once more
	maxMixed        = 2 // numbers that are put in the place of others
	ownInsteadOfHis = 4 // one attack in so many is the outsider's, and not his contract's
)

// Staged is an attack that is made of a way to a call's effect, and of another one that may follow; nil: nothing follows. The attackers play some of its senders, and the last one in any case;
// the others come first, and other accounts may do before what the attackers do then. Its numbers are mixed, time passes at one point or another, and the
// last call may be made again and again. With gifts, other accounts give the attacker's contract one of them, and let the contract that is called take it. False where others
// would name the attackers, or there are too many calls.
func (m *Mutator) Staged(r Rand, way, next Sequence, gifts []Call) (Sequence, bool) {
	s := m.space
	outsider := s.Outsider()
	if s.contract < 0 || outsider < 0 || len(way) == 0 {
		return nil, false
	}
	me, accomplice := s.contract, outsider
	if oneIn(r, ownInsteadOfHis) {
		me, accomplice = accomplice, me
	}
	before, own := s.divide(r, way)
	if s.HelpsContract(before) {
		return nil, false
	}
	own = s.by(me, own)
	for range r.IntN(maxMixed + 1) {
		m.mixNumbers(r, own)
	}
	if oneIn(r, 4) {
		if changed, ok := m.MutateLast(r, nil, own); ok {
			own = changed.Clone()
		}
	}
	last := len(own) - 1
	own[last].Args = s.toOutsider(&own[last])
	others, ordinal := r.IntN(maxOthers+1), uint64(r.IntN(2))
	firstOther := r.IntN(len(s.ordinary))
	during := r.IntN(4)
	for i := range others {
		theirs := own[:len(own)-r.IntN(2)]
		played := withOrdinals(s.by(s.ordinary[(firstOther+i)%len(s.ordinary)], theirs), ordinal*uint64(i))
		if during == 0 && i == others-1 && len(played) > 0 { // time passes before it
			played[0].TimeAdvance = min(due, s.maxTime)
		}
		before = append(before, played...)
	}
	own = withOrdinals(own, ordinal*uint64(others))
	switch during {
	case 0, 1: // no time passes
		for i := range own {
			own[i].TimeAdvance, own[i].BlockAdvance = 0, 0
		}
	case 2: // much does
		own[last].TimeAdvance = min(due, s.maxTime)
	}
	if len(gifts) > 0 && me == s.contract {
		gift := gifts[r.IntN(len(gifts))]
		amount := gift.Args[1].Word
		lets, ok := s.TokenCall(me, s.Instances[gift.Instance].Address, LetsTake, s.Instances[own[last].Instance].Address, &amount)
		if ok {
			before = append(before, gift, lets)
		}
	}
	if r.IntN(2) == 0 {
		own = again(r, own)
	}
	if len(next) > 0 {
		who := me
		if oneIn(r, 2) {
			who = accomplice
		}
		follow := s.by(who, next)
		if oneIn(r, 2) {
			follow = follow[len(follow)-1:]
		}
		for i := range follow {
			follow[i].TimeAdvance, follow[i].BlockAdvance = 0, 0
		}
		own = append(own, follow...)
		if r.IntN(2) == 0 {
			own = again(r, own)
		}
	}
	out := slices.Concat(before, own)
	return out, len(out) <= MaxCalls
}

// divide divides a way into the calls of senders who play themselves, and the attackers'. The last one is theirs.
func (s *Space) divide(r Rand, way Sequence) (before, own Sequence) {
	plays := map[int]bool{way[len(way)-1].Sender: true}
	for i := range way {
		c := way[i]
		theirs, known := plays[c.Sender]
		if !known {
			theirs = s.IsOutsider(c.Sender) || oneIn(r, 2)
			plays[c.Sender] = theirs
		}
		if theirs {
			own = append(own, c)
		} else {
			before = append(before, c)
		}
	}
	return before, own
}

// mixNumbers puts a number of a sequence, or the stake, in the place of one that a call names or pays.
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
		if t := &c.Function.Inputs[j]; t.Kind == Uint && t.Fits(&amount) {
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
		c.Args = slices.Clone(c.Args)
		c.Args[j].Word = amount
	} else {
		c.Value = amount
	}
}

// again is a sequence with its last call made some times more at once, and paying nothing.
func again(r Rand, seq Sequence) Sequence {
	c := seq[len(seq)-1]
	c.TimeAdvance, c.BlockAdvance, c.Value = 0, 0, uint256.Int{}
	return append(slices.Clip(seq), slices.Repeat(Sequence{c}, 1+r.IntN(maxAgain))...)
}
