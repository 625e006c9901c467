package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// This file makes the calls of an attack that is made one call at a time, see fuzzer/walk.go.

// Shares of what a step's words are, besides what they were seen to be. Arbitrary.
const (
	stepWaits   = 8 // one step in so many has time pass before
	stepRepeats = 6 // one in so many makes a call of the attack again
	stepAsOne   = 2 // one array in so many has one element several times
	maxSmall    = 4 // small numbers are below
	maxNumbers  = 32
	maxElements = 3 // of arrays without a fixed length
)

// Walk is an attack so far: what others do, and give, and from a call on what the attackers do.
type Walk struct {
	Calls   Sequence
	From    int
	People  []int         // who make calls; nil: the attackers
	Said    []Said        // by its calls
	Written []uint256.Int // by the attackers' last calls
}

// Said is a word that a call has said: what it answers, or how many of its kind there were.
type Said struct {
	By   *Function
	How  Says
	Word uint256.Int
}

// Says is how a call says something: a small number is that of a word of its answer.
type Says uint8

// Ways to say something besides.
const (
	SaysCount       Says = 254 + iota // so many calls of the function there were
	SaysCountBefore                   // and so many before this one
)

// MayName reports whether an argument of a type may be what another call has said: a number, a hash, or several.
func MayName(t *Type) bool {
	switch t.Kind {
	case Uint:
		return t.Bits > 8
	case FixedBytes:
		return t.Bits == 256
	case Slice, Array:
		return t.Elem != nil && MayName(t.Elem)
	}
	return false
}

// Names reports whether an argument is a word, or one of its elements is.
func Names(v *Value, t *Type, word *uint256.Int) bool {
	if t.Kind == Slice || t.Kind == Array {
		return slices.ContainsFunc(v.Elems, func(e Value) bool { return e.Word == *word })
	}
	return v.Word == *word
}

// Prepared is what others do before an attack that is made one call at a time: deeds, by ordinary senders where they are the attackers', and gifts to the attackers of each of some tokens.
// False where others would name the attackers.
func (m *Mutator) Prepared(r Rand, deeds []Sequence, gifts []Call, isAmount, isTold func(c *Call, arg int) bool) (before Sequence, ok bool) {
	s := m.space
	st, ok := m.newStage(r, isAmount)
	if !ok {
		return nil, false
	}
	for _, deed := range deeds {
		for i := range deed {
			if c := deed[i]; s.IsOutsider(c.Sender) {
				before = append(before, s.byOther(s.ordinary[r.IntN(len(s.ordinary))], Sequence{c})...)
			} else {
				before = append(before, c)
			}
		}
	}
	if slices.ContainsFunc(before, func(c Call) bool { return s.namesAttackers(&c) }) {
		return nil, false
	}
	if oneIn(r, 2) {
		before = withArguments(before)
		st.ordinary(before)
		if oneIn(r, 2) {
			st.enlarge(before, isTold)
		}
		st.multiply(before, 1+uint64(r.IntN(timesAsMuch)))
	}
	for i := range gifts {
		for _, who := range []int{s.contract, s.Outsider()} {
			if give, ok := s.giveTo(who, &gifts[i]); ok {
				before = append(before, give)
			}
		}
	}
	return before, len(before) < MaxCalls
}

// enlarge puts the stake in the place of small numbers of a sequence that may be amounts, such as prices, since no call says what they are to be. It writes to the arguments.
func (st *stage) enlarge(seq Sequence, isTold func(c *Call, arg int) bool) {
	for i := range seq {
		c := &seq[i]
		for j := range c.Args {
			if t := &c.Function.Inputs[j]; t.Kind == Uint && t.Bits >= leastAmount && !isTold(c, j) && !c.Args[j].Word.IsZero() && !c.Args[j].Word.GtUint64(maxOrdinal) {
				c.Args[j].Word = Stake
			}
		}
	}
}

// WithoutGifts is what happens in a walk, but for gifts to the attackers and what lets their tokens be taken.
func (m *Mutator) WithoutGifts(w *Walk) (seq Sequence) {
	for i := range w.Calls {
		if c := w.Calls[i]; c.Function.Signature != LetsTake && (c.Function.Signature != GivesTokens || i >= w.From) {
			seq = append(seq, c)
		}
	}
	return seq
}

// Attacker is who makes a step: the attacker's contract, or where it may be another one, in a quarter of the cases the outsider.
func (m *Mutator) Attacker(r Rand, other bool) int {
	if other && oneIn(r, 4) {
		return m.space.Outsider()
	}
	return m.space.contract
}

// Ordinary is one of the ordinary senders.
func (m *Mutator) Ordinary(r Rand) int { return m.space.ordinary[r.IntN(len(m.space.ordinary))] }

// Step is the next call of an attack: one that was seen to have an effect, with an attacker in the place of its sender, and with words that the attack has to do with; or one of the attack's again.
func (m *Mutator) Step(r Rand, w *Walk, seen *Call, who int, isAmount func(c *Call, arg int) bool, tells func(c *Call, arg int, said *Said) bool) Call {
	if own := w.Calls[w.From:]; w.People == nil && len(own) > 0 && oneIn(r, stepRepeats) {
		if c := own[r.IntN(len(own))]; c.Function.Signature != LetsTake {
			c.TimeAdvance, c.BlockAdvance = 0, 0
			return c
		}
	}
	s := m.space
	call := withArguments(s.by(who, Sequence{*seen}))[0]
	call.TimeAdvance, call.BlockAdvance = 0, 0
	if oneIn(r, stepWaits) {
		call.TimeAdvance = m.Wait(r)
	}
	if !call.Value.IsZero() && oneIn(r, 2) {
		call.Value = Stake
	}
	st := step{Mutator: m, r: r, w: w, who: who, length: 1 + r.IntN(maxElements)}
	for i := w.From; i < len(w.Calls); i++ {
		st.addNumbers(&w.Calls[i])
	}
	for j := range call.Args {
		st.said = st.said[:0]
		known := isAmount(&call, j)
		for i := range w.Said {
			if !known && tells(&call, j, &w.Said[i]) { // small amounts are what is said by chance
				st.said = append(st.said, w.Said[i].Word)
			}
		}
		amount := known || call.Function.Inputs[j].Kind == Uint && len(st.said) == 0 && oneIn(r, 2)
		call.Args[j] = st.value(call.Args[j], &call.Function.Inputs[j], amount)
	}
	return call
}

// Wait is how long attackers wait: a bit more than an hour, a day, a month, or until what is due in a year is nearly due.
func (m *Mutator) Wait(r Rand) uint64 {
	waits := [...]uint64{hour + 1, day + 1, due / 10, due}
	return min(waits[r.IntN(len(waits))], m.space.maxTime)
}

// step is a call that is being made.
type step struct {
	*Mutator
	r       Rand
	w       *Walk
	who     int
	length  int           // of arrays without a fixed one: those of a call mostly belong together
	numbers []uint256.Int // of the attack
	said    []uint256.Int // what the argument may be that is made
}

// addNumbers adds the numbers of a call, and what it pays.
func (st *step) addNumbers(c *Call) {
	if !c.Value.IsZero() {
		st.numbers = append(st.numbers, c.Value)
	}
	var add func(v *Value, t *Type)
	add = func(v *Value, t *Type) {
		if t.Kind == Uint && !v.Word.IsZero() && len(st.numbers) < maxNumbers {
			st.numbers = append(st.numbers, v.Word)
		}
		for i := range v.Elems {
			add(&v.Elems[i], t.Child(i))
		}
	}
	for j := range c.Args {
		add(&c.Args[j], &c.Function.Inputs[j])
	}
}

// value is what an argument is in the place of a value.
func (st *step) value(v Value, t *Type, amount bool) Value {
	switch t.Kind {
	case Uint:
		v.Word = st.number(v.Word, t, amount)
	case FixedBytes:
		if len(st.said) > 0 {
			v.Word = st.what()
		}
	case Address:
		v.Word = st.account(v.Word)
	case Slice, Array, Tuple:
		v.Elems = st.elements(v.Elems, t, amount)
	}
	return v
}

// elements are those of an argument: of an array without a fixed length a few, and of any array sometimes one several times.
func (st *step) elements(was []Value, t *Type, amount bool) []Value {
	n := len(was)
	if t.Kind == Slice && n > 0 {
		n = st.length
	}
	elems := make([]Value, n)
	for i := range elems {
		elems[i] = st.value(was[i%len(was)], t.Child(i), amount)
	}
	if t.Kind != Tuple && n > 1 && oneIn(st.r, stepAsOne) {
		elems[st.r.IntN(n)] = elems[st.r.IntN(n)]
	}
	return elems
}

// what is something that the argument may be: the latest in half of the cases.
func (st *step) what() uint256.Int {
	if oneIn(st.r, 2) {
		return st.said[len(st.said)-1]
	}
	return st.said[st.r.IntN(len(st.said))]
}

// number is a number in the place of one: mostly one that calls have said, if they say what it is, else another small one in the place of one that does not look like an amount.
func (st *step) number(was uint256.Int, t *Type, amount bool) uint256.Int {
	is := was
	switch small := !was.GtUint64(maxOrdinal); {
	case len(st.said) > 0 && !oneIn(st.r, 8):
		is = st.what()
	case oneIn(st.r, 4) && !(amount && was.IsZero()):
	case !amount && oneIn(st.r, 2) && st.time(&is):
	case !amount && small && !oneIn(st.r, 4):
		is.SetUint64(uint64(st.r.IntN(maxSmall)))
	default:
		is = st.amount()
	}
	if !t.Fits(&is) {
		return was
	}
	return is
}

// time makes a number that may be a time, or how long something takes, one that is not far away, or short; false: it is none of these.
func (st *step) time(is *uint256.Int) bool {
	if !is.IsUint64() || is.Uint64() < hour {
		return false
	}
	soon := st.Wait(st.r) - 1
	start := st.space.start.Time
	switch was := is.Uint64(); {
	case was >= start && was-start <= 2*MaxTimeAdvance: // a moment
		is.SetUint64(st.space.TimeOf(st.w.Calls) + soon)
	case was <= min(start, MaxTimeAdvance):
		is.SetUint64(soon)
	default:
		return false
	}
	return true
}

// TimeOf is when the last call of a sequence is made: seconds since 1970.
func (s *Space) TimeOf(seq Sequence) uint64 {
	now := s.start.Time
	for i := range seq {
		now += seq[i].TimeAdvance
	}
	return now
}

// amount is a number of the attack, or half of it, or twice as much, or what it has written, or the stake.
func (st *step) amount() uint256.Int {
	if n := len(st.w.Written); n > 0 && oneIn(st.r, 3) {
		return st.w.Written[st.r.IntN(n)]
	}
	if len(st.numbers) == 0 || oneIn(st.r, 3) {
		return Stake
	}
	is := st.numbers[st.r.IntN(len(st.numbers))]
	switch st.r.IntN(4) {
	case 0:
		is.Rsh(&is, 1)
	case 1:
		is.Lsh(&is, 1)
	}
	return is
}

// other is the outsider, or in half of the cases one of those who have done something before the attack: what he has may be what it takes.
func (st *step) other() int {
	if before := st.w.Calls[:st.w.From]; len(before) > 0 && oneIn(st.r, 2) {
		if who := before[st.r.IntN(len(before))].Sender; slices.Contains(st.space.ordinary, who) {
			return who
		}
	}
	return st.space.Outsider()
}

// account is an attacker, or sometimes another sender, in the place of an account that is not a contract of the World.
func (st *step) account(was uint256.Int) uint256.Int {
	s := st.space
	address := common.Address(was.Bytes20())
	if s.instanceAt(address) >= 0 {
		return was
	}
	if people := st.w.People; len(people) > 0 && !oneIn(st.r, 4) {
		return addressWord(s.Senders[people[st.r.IntN(len(people))]].Address)
	}
	switch st.r.IntN(4) {
	case 0:
		return was
	case 1:
		return addressWord(s.Senders[st.other()].Address)
	default:
		return addressWord(s.Senders[st.who].Address)
	}
}
