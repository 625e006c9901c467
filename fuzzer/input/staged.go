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
// another, and calls are made again. With gifts, other accounts give the attackers one of them or all, and these let the contract that is called take that.
// False where others would name the attackers, nothing is left to these, or there are too many calls.
func (m *Mutator) Staged(r Rand, deeds []Sequence, gifts []Call, keeps func(*Call) bool, isAmount func(*Call, int) bool) (Sequence, bool) {
	st, ok := m.newStage(r, isAmount)
	if !ok {
		return nil, false
	}
	soon := oneIn(r, 2)
	for _, deed := range deeds {
		kept, own := m.space.divide(r, deed, keeps)
		turn := st.begin(deed)
		st.before = append(st.before, inTurn(turn, kept)...)
		if len(own) > 0 {
			st.add(turn, own)
		}
	}
	for i := range st.attack {
		if soon {
			st.attack[i].TimeAdvance, st.attack[i].BlockAdvance = 0, 0
		}
	}
	return st.finish(gifts)
}

// stage is an attack that is being made.
type stage struct {
	*Mutator
	r              Rand
	isAmount       func(c *Call, arg int) bool
	me, accomplice int  // senders
	long           bool // much time passes before the last of others does what the attackers do then
	before, attack []staged
	turns          []*Function // of each time that something is done, the function whose calls number what is begun; nil: none does
}

// newStage begins an attack, by the attacker's contract or the outsider; false: there is none of them.
func (m *Mutator) newStage(r Rand, isAmount func(*Call, int) bool) (stage, bool) {
	s := m.space
	outsider := s.Outsider()
	if s.contract < 0 || outsider < 0 {
		return stage{}, false
	}
	st := stage{Mutator: m, r: r, isAmount: isAmount, me: s.contract, accomplice: outsider, long: oneIn(r, 4)}
	if oneIn(r, ownInsteadOfHis) {
		st.me, st.accomplice = st.accomplice, st.me
	}
	return st, true
}

// staged is a call of an attack, with the number of the turn that it is part of.
type staged struct {
	Call
	turn int
}

// begin begins a turn in which a deed is done.
func (st *stage) begin(deed Sequence) (turn int) {
	var counted *Function
	if n := len(deed) - 1; n > 0 && !oneIn(st.r, 3) {
		counted = deed[0].Function
		if oneIn(st.r, 2) {
			counted = deed[st.r.IntN(n)].Function
		}
	}
	st.turns = append(st.turns, counted)
	return len(st.turns) - 1
}

// inTurn are the calls of a sequence as part of a turn.
func inTurn(turn int, seq Sequence) []staged {
	calls := make([]staged, len(seq))
	for i := range seq {
		calls[i] = staged{seq[i], turn}
	}
	return calls
}

// add has the attackers do something, behind or amid what they do before.
func (st *stage) add(turn int, deed Sequence) {
	r, s, who := st.r, st.space, st.me
	goesOn := false // from the deed before
	if n := len(st.attack); n > 0 {
		if oneIn(r, 2) {
			who = st.accomplice
		}
		if goesOn = oneIn(r, 2); goesOn {
			deed, turn = deed[len(deed)-1:], st.attack[n-1].turn
		}
	}
	own := withArguments(s.by(who, deed))
	if goesOn {
		st.goOn(&st.attack[len(st.attack)-1].Call, &own[0])
	}
	own = st.vary(own)
	others := r.IntN(maxOthers + 1)
	for i := range others {
		theirs := s.byOther(s.ordinary[r.IntN(len(s.ordinary))], own[:len(own)-r.IntN(2)])
		if len(theirs) > 0 && st.long && i == others-1 {
			theirs[0].TimeAdvance = min(due, s.maxTime)
		}
		st.turns = append(st.turns, st.turns[turn])
		st.before = append(st.before, inTurn(len(st.turns)-1, theirs)...)
	}
	last := &own[len(own)-1]
	last.Args = s.toOutsider(last)
	if oneIn(r, 2) {
		own = again(own, 1+r.IntN(maxAgain))
	}
	calls := inTurn(turn, own)
	if n := len(st.attack); n > 0 && oneIn(r, 3) { // before the last call
		calls = append(calls, st.attack[n-1])
		st.attack = st.attack[:n-1]
	}
	st.attack = append(st.attack, calls...)
}

// goOn has a call be about the same thing as the one before, where both say by small numbers which that is.
func (st *stage) goOn(was, is *Call) {
	from, to := st.ordinal(was), st.ordinal(is)
	if from >= 0 && to >= 0 {
		is.Args[to].Word = was.Args[from].Word
	}
}

// ordinal is the argument by which a call may say by a small number what it is about; −1: there is none.
func (st *stage) ordinal(c *Call) int {
	if j := firstNumber(c); j >= 0 && !c.Args[j].Word.GtUint64(maxOrdinal) && !st.isAmount(c, j) {
		return j
	}
	return -1
}

// numbered is the attack, in which a small number that comes first in its call says that it is about what its own turn has begun: it is larger by
// what other turns have begun before.
func (st *stage) numbered() Sequence {
	all := slices.Concat(st.before, st.attack)
	out := make(Sequence, len(all))
	type own struct {
		turn int
		of   *Function
	}
	begun, ofTurn := map[*Function]int{}, map[own]int{}
	for i := range all {
		c := &all[i].Call
		counted := st.turns[all[i].turn]
		if has := ofTurn[own{all[i].turn, counted}]; counted != nil && has > 0 {
			if j := st.ordinal(c); j >= 0 {
				c.Args = slices.Clone(c.Args)
				c.Args[j].Word.AddUint64(&c.Args[j].Word, uint64(begun[counted]-has))
			}
		}
		begun[c.Function]++
		ofTurn[own{all[i].turn, c.Function}]++
		out[i] = *c
	}
	return out
}

// finish is the attack, with some of some gifts before it; false where others name the attackers, there is none, or there are too many calls.
func (st *stage) finish(gifts []Call) (Sequence, bool) {
	s := st.space
	if len(st.attack) == 0 || slices.ContainsFunc(st.before, func(c staged) bool { return s.namesAttackers(&c.Call) }) {
		return nil, false
	}
	if len(gifts) > 0 {
		st.before = append(st.before, inTurn(st.begin(nil), st.endow(gifts))...)
	}
	out := st.numbered()
	return out, len(out) <= MaxCalls
}

// endow gives some of some gifts, all of them or one, to each of the attackers who calls anything, and has each let the contract that is called last take them.
func (st *stage) endow(gifts []Call) (gives Sequence) {
	s := st.space
	spender := s.Instances[st.attack[len(st.attack)-1].Instance].Address
	if oneIn(st.r, 2) {
		gifts = gifts[st.r.IntN(len(gifts)):][:1]
	}
	var lets Sequence
	for _, who := range []int{st.me, st.accomplice} {
		if !slices.ContainsFunc(st.attack, func(c staged) bool { return c.Sender == who }) {
			continue
		}
		for i := range gifts {
			give, ok := s.giveTo(who, &gifts[i])
			if let, may := s.Lets(who, &gifts[i], spender); ok && may {
				gives, lets = append(gives, give), append(lets, let)
			}
		}
	}
	return append(gives, lets...)
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
func (st *stage) vary(deed Sequence) Sequence {
	r := st.r
	if oneIn(r, 2) {
		st.ordinary(deed)
	}
	if oneIn(r, 2) {
		for range 1 + r.IntN(maxMixed) {
			st.mixNumbers(deed)
		}
	}
	if oneIn(r, 4) {
		if changed, ok := st.MutateLast(r, nil, deed); ok {
			sender := deed[len(deed)-1].Sender
			deed = changed
			deed[len(deed)-1].Sender = sender
		}
	}
	if last := len(deed) - 1; oneIn(r, 4) {
		deed[last].TimeAdvance = min(due, st.space.maxTime)
	}
	return deed
}

// leastAmount is how many bits a number has that may be an amount of a token with 18 decimals. Arbitrary: others are ids, times, and parts in so many.
const leastAmount = 96

// ordinary makes the numbers of a sequence what people call with: amounts, and large numbers that may be some, are the stake, and large ones of few bits are 1. It writes to the
// arguments.
func (st *stage) ordinary(seq Sequence) {
	for i := range seq {
		c := &seq[i]
		if !c.Value.IsZero() {
			c.Value = Stake
		}
		for j := range c.Args {
			switch t, word := &c.Function.Inputs[j], &c.Args[j].Word; {
			case t.Kind != Uint:
			case t.Bits >= leastAmount && st.isAmount(c, j):
				*word = Stake
			case t.Bits >= leastAmount && word.GtUint64(maxOrdinal):
				*word = Stake
			case t.Bits < leastAmount && word.GtUint64(due):
				word.SetOne()
			}
		}
	}
}

// mixNumbers puts a number of a sequence, or the stake, in the place of one that a call names or pays: the last one in half of the cases. It writes to the arguments.
func (st *stage) mixNumbers(seq Sequence) {
	r := st.r
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
		if t := &c.Function.Inputs[j]; t.Kind == Uint && t.Fits(&amount) && (st.isAmount(c, j) || !saysWhich(c, j) && (c.Args[j].Word.GtUint64(maxOrdinal) || oneIn(r, 4))) {
			places = append(places, j)
		}
	}
	if !c.Value.IsZero() && !amount.Gt(&st.space.maxValue) {
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

// namesAttackers reports whether a call names the outsider or his contract.
func (s *Space) namesAttackers(c *Call) (names bool) {
	abi.EachAddress(c.Args, c.Function.Inputs, func(a common.Address) {
		names = names || a == s.Senders[s.contract].Address || a == s.Senders[s.Outsider()].Address
	})
	return names
}

// withArguments is a sequence with arguments of its own.
func withArguments(seq Sequence) Sequence {
	for i := range seq {
		seq[i].Args = slices.Clone(seq[i].Args)
	}
	return seq
}
