package input

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Bounds of attacks on what a contract cannot pay. Arbitrary.
const (
	variedInstead = 3 // one of so many has other numbers than those with which it could not be paid
	timesAsMuch   = 3 // as the attackers pay, others do at most
)

// StagedShort is an attack that is made of calls of which the last one fails because a contract has not what it is to pay: with the attackers in the
// place of their senders, behind those that only these may make, as keeps says, and behind what others pay by the first of the same calls, of which so
// many pay in. With gifts, they are given what they lack, as in [Mutator.Staged]. False where others would name the attackers, nothing is left to these, or there are too many calls.
func (m *Mutator) StagedShort(r Rand, deed Sequence, paysIn int, gifts []Call, keeps func(*Call) bool, isAmount func(*Call, int) bool) (Sequence, bool) {
	st, ok := m.newStage(r, isAmount)
	if !ok {
		return nil, false
	}
	kept, own := m.space.divide(r, deed, keeps)
	paysIn -= len(deed) - len(own)
	if paysIn < 1 { // nothing for others to do
		return nil, false
	}
	turn := st.begin(deed)
	st.before = inTurn(turn, kept)
	attack := withArguments(st.byAttackers(own))
	if oneIn(r, variedInstead) {
		attack = st.vary(attack)
	}
	for range r.IntN(maxOthers + 1) {
		pay := paysIn
		if oneIn(r, 2) {
			pay = 1 + r.IntN(paysIn)
		}
		st.turns = append(st.turns, st.turns[turn])
		st.before = append(st.before, inTurn(len(st.turns)-1, st.byAnyOther(attack[:pay]))...)
	}
	attack = st.handOver(turn, attack, paysIn)
	st.attack = inTurn(turn, attack)
	return st.finish(gifts)
}

// handOver has others make some of the first calls of an attack in the place of the attackers, who need not have made all of them: to have the number
// behind that of another is enough. It is what is left.
func (st *stage) handOver(turn int, attack Sequence, paysIn int) (left Sequence) {
	for i := range attack {
		if i < paysIn && oneIn(st.r, 3) {
			st.before = append(st.before, inTurn(turn, st.byAnyOther(attack[i:i+1]))...)
		} else {
			left = append(left, attack[i])
		}
	}
	return left
}

// byAnyOther is a sequence of the attackers' by another account, which pays as much as they do, or more.
func (st *stage) byAnyOther(seq Sequence) Sequence {
	theirs := withArguments(st.space.byOther(st.space.ordinary[st.r.IntN(len(st.space.ordinary))], seq))
	st.multiply(theirs, 1+uint64(st.r.IntN(timesAsMuch)))
	return theirs
}

// byAttackers is a sequence by the attackers: all of it by one of them, or where it has several senders, what the first of these does, and the rest by
// the other one.
func (st *stage) byAttackers(seq Sequence) Sequence {
	first := seq[0].Sender
	if len(seq.Senders()) == 1 || oneIn(st.r, 2) {
		return st.space.by(st.me, seq)
	}
	who := func(sender int) int {
		if sender == first {
			return st.me
		}
		return st.accomplice
	}
	out := seq.Clone()
	for i := range out {
		c := &out[i]
		c.Sender, c.Script = who(c.Sender), nil
		c.Args = abi.MapAddresses(c.Args, c.Function.Inputs, func(a common.Address) common.Address {
			for _, sender := range seq.Senders() {
				if st.space.Senders[sender].Address == a {
					return st.space.Senders[who(sender)].Address
				}
			}
			return a
		})
	}
	return out
}

// multiply makes the amounts of a sequence so many times as large, as far as that is possible. It writes to the arguments.
func (st *stage) multiply(seq Sequence, by uint64) {
	factor := uint256.NewInt(by)
	for i := range seq {
		c := &seq[i]
		if more, over := new(uint256.Int).MulOverflow(&c.Value, factor); !over && !more.Gt(&st.space.maxValue) {
			c.Value = *more
		}
		for j := range c.Args {
			t := &c.Function.Inputs[j]
			if t.Kind != Uint || !st.isAmount(c, j) {
				continue
			}
			if more, over := new(uint256.Int).MulOverflow(&c.Args[j].Word, factor); !over && t.Fits(more) {
				c.Args[j].Word = *more
			}
		}
	}
}
