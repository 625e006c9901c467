package input

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
)

// Asked are the functions by which calls of a function come back to the attacker's contract, as far as
// executions have shown: a script is of use where there are such.
type Asked struct {
	of     map[*Function][][4]byte
	more   map[cameBack]bool
	latest map[*Function][4]byte // how a function came back in a way that was new
}

// cameBack is a way in which a function came back with more than a call: more depends on what the contract does then.
type cameBack struct {
	function *Function
	on       [4]byte
	with     company
	presumed bool // by sequences that presume something, see [Space.SentByInstance]
}

// company is what came along.
type company uint8

const (
	withEther  company = iota
	withChange         // of what is stored: the call would have done nothing otherwise, such as one that pays out no tokens
)

// NewAsked knows nothing.
func NewAsked() *Asked {
	return &Asked{map[*Function][][4]byte{}, map[cameBack]bool{}, map[*Function][4]byte{}}
}

// Of are the functions by which calls of one came back.
func (a *Asked) Of(f *Function) [][4]byte {
	if a == nil {
		return nil
	}
	return a.of[f]
}

// maxAsked bounds the functions that one function is noted to come back by. Arbitrary.
const maxAsked = 16

// Observe notes how the calls of an execution came back. It returns the indices of calls that
// did so in a way that no call of their function did before.
func (a *Asked) Observe(seq Sequence, exec *evm.Execution, presumed bool) (first []int) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.CodeAddress != attacker.Address || f.Parent < 0 || f.Call >= len(seq) {
			continue
		}
		var id [4]byte
		if len(f.Input) >= len(id) {
			copy(id[:], f.Input)
		}
		function := seq[f.Call].Function
		known := a.of[function]
		isNew := len(known) < maxAsked && !slices.Contains(known, id)
		if isNew {
			a.of[function] = append(known, id)
		}
		if paid := (cameBack{function, id, withEther, presumed}); !f.Value.IsZero() && !a.more[paid] {
			a.more[paid], isNew = true, true
		}
		if changed := (cameBack{function, id, withChange, presumed}); !a.more[changed] && changes(exec, f.Call) {
			a.more[changed], isNew = true, true
		}
		if !isNew {
			continue
		}
		a.latest[function] = id
		if !slices.Contains(first, f.Call) {
			first = append(first, f.Call)
		}
	}
	return first
}

// changes reports whether a call leaves another value in some variable than it found there. What the attacker's contract does in
// the middle does not count: it may change something in every call.
func changes(exec *evm.Execution, call int) bool {
	if exec.Calls[call].Outcome != evm.Success {
		return false
	}
	type variable struct {
		account common.Address
		slot    uint256.Int
	}
	type value struct {
		found, left uint256.Int
		known       bool // what was found
	}
	frames := exec.Calls[call].Frames
	values := map[variable]value{}
	inside := make([]bool, frames[1]-frames[0])
	for i := range inside {
		f := &exec.Frames[frames[0]+i]
		if inside[i] = f.Parent >= 0 && (f.CodeAddress == attacker.Address || inside[f.Parent-frames[0]]); inside[i] {
			continue
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			at := variable{access.Address, access.Slot}
			v, met := values[at]
			if !met {
				v.found, v.known = access.Value, !access.Write
			}
			v.left = access.Value
			values[at] = v
		}
	}
	for _, v := range values {
		if !v.known || v.left != v.found {
			return true
		}
	}
	return false
}

// scriptShare: one mutant in so many has another script, where one is of use. Arbitrary.
const scriptShare = 3

// mutateScript changes what the attacker's contract does during one of the calls that come back to it;
// false where none does. The list of calls is the mutator's.
func (m *Mutator) mutateScript(r Rand, seq Sequence) bool {
	if m.space.contract < 0 || m.asked == nil {
		return false
	}
	var calls [MaxCalls]int
	n := 0
	for i := range seq {
		if len(m.asked.Of(seq[i].Function)) > 0 && (seq[i].Script != nil || m.involvesContract(seq[:i+1])) && n < len(calls) {
			calls[n] = i
			n++
		}
	}
	if n == 0 || !oneIn(r, scriptShare) {
		return false
	}
	c := &seq[calls[r.IntN(n)]]
	script := c.Script.Clone()
	m.changeScript(r, seq, c, script)
	script.Settle()
	if c.Script = script; len(script.Answers) == 0 {
		c.Script = nil
	}
	return true
}

// involvesContract reports whether calls are the contract's, or name it.
func (m *Mutator) involvesContract(calls Sequence) bool {
	for i := range calls {
		named := calls[i].Sender == m.space.contract
		if !named {
			abi.EachAddress(calls[i].Args, calls[i].Function.Inputs, func(a common.Address) { named = named || a == attacker.Address })
		}
		if named {
			return true
		}
	}
	return false
}

// changeScript changes one thing about a script.
func (m *Mutator) changeScript(r Rand, seq Sequence, c *Call, s *Script) {
	if len(s.Answers) == 0 || len(s.Answers) < attacker.MaxAnswers && oneIn(r, 4) {
		at := r.IntN(len(s.Answers) + 1)
		s.Answers = slices.Insert(s.Answers, at, m.answer(r, c))
		return
	}
	at := r.IntN(len(s.Answers))
	a := &s.Answers[at]
	switch r.IntN(9) {
	case 0:
		s.Answers = slices.Delete(s.Answers, at, at+1)
	case 1:
		*a = m.answer(r, c)
	case 2:
		a.Times = uint8(r.IntN(attacker.MaxTimes + 1))
	case 3:
		m.setEnd(r, a)
	case 4:
		a.On, a.Any = m.on(r, c)
	case 5:
		a.After = uint8(r.IntN(len(s.Answers) + 1))
	case 6:
		if len(a.Calls) > 0 && oneIn(r, 2) {
			at := r.IntN(len(a.Calls))
			a.Calls = slices.Delete(a.Calls, at, at+1)
			break
		}
		fallthrough
	default:
		m.changeInside(r, seq, c, a)
	}
}

// changeInside changes a word of an answer, or one of its calls, if it has any; otherwise it gets one.
func (m *Mutator) changeInside(r Rand, seq Sequence, c *Call, a *Answer) {
	if n := len(a.Calls); n > 0 && (n == attacker.MaxCalls || !oneIn(r, 4)) {
		if inner := Sequence(a.Calls); m.mutateOneArgument(r, inner, r.IntN(n)) {
			return
		}
	}
	if n := len(a.Words); n > 0 && oneIn(r, 2) {
		at := r.IntN(n)
		a.Words[at] = m.proposeAnswer(r, seq, &a.Words[at])
		return
	}
	if len(a.Calls) < attacker.MaxCalls {
		a.Calls = slices.Insert(a.Calls, r.IntN(len(a.Calls)+1), m.innerCall(r, c))
	}
}

// settle makes an answer one that a script may have.
func (a *Answer) settle() {
	if len(a.Calls) > 0 && a.Times == 0 {
		a.Times = 1
	}
	switch a.End {
	case attacker.Expected, attacker.Burn:
		a.Words = nil
	case attacker.Destruct:
		if len(a.Words) != 1 {
			a.Words = []uint256.Int{{}}
		}
	}
}

// on draws what an answer is to.
func (m *Mutator) on(r Rand, c *Call) (id [4]byte, any bool) {
	if asked := m.asked.Of(c.Function); len(asked) > 0 && !oneIn(r, 4) {
		return asked[r.IntN(len(asked))], false
	}
	return id, true
}

// answer draws an answer to what a call comes back by.
func (m *Mutator) answer(r Rand, c *Call) (a Answer) {
	a.On, a.Any = m.on(r, c)
	if oneIn(r, 2) {
		a.Calls = []Call{m.innerCall(r, c)}
		a.Times = 1
		if oneIn(r, 4) {
			a.Times += uint8(r.IntN(attacker.MaxTimes))
		}
		if !oneIn(r, 4) {
			return a
		}
	} else if oneIn(r, 3) {
		a.Times = 1
	}
	m.setEnd(r, &a)
	return a
}

// setEnd draws how an answer ends.
func (m *Mutator) setEnd(r Rand, a *Answer) {
	a.Words = nil
	switch r.IntN(8) {
	case 0:
		a.End = attacker.Expected
	case 1, 2:
		a.End = attacker.Revert
		if oneIn(r, 4) {
			a.Words = []uint256.Int{m.generateWord(r, &wordType)}
		}
	case 3:
		a.End = attacker.Burn
	case 4:
		a.End, a.Words = attacker.Destruct, []uint256.Int{m.generateAddress(r)}
	default:
		a.End = attacker.Return
		n := 1 // mostly; what has another length is known, or of no use
		if known := m.space.callbacks[a.On]; len(known.Outputs) > 0 {
			n = min(len(known.Outputs), attacker.MaxWords)
		} else if oneIn(r, 4) {
			n = r.IntN(attacker.MaxWords + 1)
		}
		for range n {
			a.Words = append(a.Words, m.proposeAnswer(r, nil, &uint256.Int{}))
		}
	}
}

// innerCall draws a call for the contract to make during another: the same again, which is how
// most locks are tried, one to the same instance, or any.
func (m *Mutator) innerCall(r Rand, c *Call) Call {
	inner := *c
	switch {
	case c.Function.Kind != Constructor && oneIn(r, 3):
	case oneIn(r, 2):
		functions := m.space.Instances[c.Instance].Functions
		inner = m.generate(r, Callable{c.Instance, functions[r.IntN(len(functions))]})
	default:
		inner = m.generateChanging(r)
	}
	if inner.Function.Kind == Constructor || inner.Function.Test {
		inner = m.generateChanging(r)
	}
	if oneIn(r, resumeShare) {
		resume(&inner, Sequence{*c})
	}
	if oneIn(r, 3) { // what is called back mostly owes something to who calls it
		m.setAnAddress(r, &inner, m.space.Instances[c.Instance].Address)
	}
	return m.space.asInner(inner)
}

// setAnAddress puts an account in the place of one of those that a call names, if it names any.
func (m *Mutator) setAnAddress(r Rand, c *Call, account common.Address) {
	one := Sequence{*c}
	m.words = slices.DeleteFunc(appendArgumentWords(m.words[:0], one, 0), func(w Word) bool {
		t := WordType(one, w)
		return t == nil || t.Kind != Address
	})
	if n := len(m.words); n > 0 {
		x := addressWord(account)
		m.space.set(one, m.words[r.IntN(n)], &x)
		*c = one[0]
	}
}

// asInner is a call as the contract makes it during another.
func (s *Space) asInner(c Call) Call {
	c.Sender, c.Script, c.TimeAdvance, c.BlockAdvance = s.contract, nil, 0, 0
	return c
}

// proposeAnswer draws a word that the contract gives back: it may be a number, a truth, or an account.
func (m *Mutator) proposeAnswer(r Rand, seq Sequence, old *uint256.Int) uint256.Int {
	switch r.IntN(4) {
	case 0:
		return *uint256.NewInt(r.Uint64N(2))
	case 1:
		if oneIn(r, 4) && m.space.contract >= 0 { // whose transaction it is
			return addressWord(m.space.Senders[m.space.contract].Through)
		}
		return m.generateAddress(r)
	case 2:
		if len(seq) > 0 {
			return m.mutateLeaf(r, seq, &wordType, old)
		}
	}
	return m.generateWord(r, &wordType)
}

// mutateOneArgument changes one argument's word of a call, or its wei.
func (m *Mutator) mutateOneArgument(r Rand, seq Sequence, call int) bool {
	m.words = appendArgumentWords(m.words[:0], seq, call)
	if seq[call].Function.Payable {
		m.words = append(m.words, Word{Call: call, Kind: ValueWord})
	}
	n := len(m.words)
	if n == 0 {
		return false
	}
	w := m.words[r.IntN(n)]
	return m.redrawBytes(r, seq, w) || m.changeWord(r, seq, w)
}

// Scripts lists sequences in which the attacker's contract answers a call's first callback in the
// ways that code tells apart: it refuses, burns, answers zero, or calls back in the middle: the same
// again, or another function that may change the state.
func (m *Mutator) Scripts(r Rand, seq Sequence, call int) []Sequence {
	c := &seq[call]
	asked := m.asked.Of(c.Function)
	if m.space.contract < 0 || len(asked) == 0 || c.Function.Test {
		return nil
	}
	on, known := m.asked.latest[c.Function]
	if !known {
		on = asked[len(asked)-1]
	}
	var all []Sequence
	give := func(answers ...Answer) {
		out := seq.Clone()
		out[call].Script = &Script{Answers: answers}
		all = append(all, out)
	}
	add := func(a Answer) {
		a.On = on
		give(a)
	}
	add(Answer{End: attacker.Revert})
	add(Answer{End: attacker.Revert, Words: []uint256.Int{*uint256.NewInt(1)}})
	add(Answer{End: attacker.Burn})
	add(Answer{End: attacker.Destruct, Words: []uint256.Int{addressWord(m.space.Instances[c.Instance].Address)}})
	if words := m.space.callbacks[on].Answer; len(words) > 0 && len(words) <= attacker.MaxWords {
		add(Answer{End: attacker.Return, Words: make([]uint256.Int, len(words))})
		add(Answer{End: attacker.Return, Times: 1, Words: make([]uint256.Int, len(words))})
		for _, other := range asked { // one is asked before and after the other
			if other == on {
				continue
			}
			give(after(other, on, words)...)
			if words := m.space.callbacks[other].Answer; len(words) > 0 && len(words) <= attacker.MaxWords {
				give(after(on, other, words)...)
			}
		}
	}
	if c.Function.Kind != Constructor {
		add(Answer{Times: 1, Calls: []Call{m.space.asInner(*c)}})
	}
	all = append(all, m.entersAgain(seq, call, on)...)
	own := m.owned(c)
	for _, near := range crowdedOut(own, c) {
		add(Answer{Times: 1, Calls: []Call{near}})
	}
	first := 0
	if n := len(m.space.changing); n > maxContinued {
		first = r.IntN(n)
	}
	for i := range min(len(m.space.changing), maxContinued) {
		other := m.space.changing[(first+i)%len(m.space.changing)]
		if other.Function != c.Function {
			add(Answer{Times: 1, Calls: []Call{m.space.asInner(m.generate(r, other))}})
		}
	}
	for _, c := range m.space.changing { // with what the call around it was given
		if call, ok := m.space.resumed(c, seq[call:call+1]); ok && m.space.mayAttack(c) {
			add(Answer{Times: 1, Calls: []Call{m.space.asInner(call)}})
		}
	}
	for _, some := range someOf(r, own) {
		add(Answer{Times: 1, Calls: []Call{some}})
	}
	return all
}

// someOf are calls of a list that are tried: all, or where there are too many those from a random one on.
func someOf(r Rand, own []Call) []Call {
	if len(own) <= maxContinued {
		return own
	}
	first := r.IntN(len(own))
	return slices.Concat(own[first:], own[:first])[:maxContinued]
}

// crowdedOut lists those of the calls for the attacker's contract to make in the middle of another that are calls of the same contract, which is in the
// middle of something, where there are too many for all to be tried.
func crowdedOut(own []Call, around *Call) (near []Call) {
	if len(own) <= maxContinued {
		return nil
	}
	for i := range own {
		if own[i].Instance == around.Instance && own[i].Function != around.Function && len(near) < maxContinued {
			near = append(near, own[i])
		}
	}
	return near
}

// FollowedInside lists sequences in which the contract makes one call more in the middle of the last one: before or behind those that it
// makes there already.
func (m *Mutator) FollowedInside(r Rand, seq Sequence) (all []Sequence) {
	last := len(seq) - 1
	s := seq[last].Script
	if s == nil || len(s.Answers) != 1 || len(s.Answers[0].Calls) == 0 || len(s.Answers[0].Calls) >= attacker.MaxCalls {
		return nil
	}
	for _, call := range someOf(r, m.owned(&seq[last])) {
		for _, at := range []int{0, len(s.Answers[0].Calls)} {
			out := seq.Clone()
			out[last].Script = s.Clone()
			a := &out[last].Script.Answers[0]
			a.Calls = slices.Insert(a.Calls, at, call)
			all = append(all, out)
		}
	}
	return all
}

// maxAmounts bounds the amounts that entersAgain tries. Arbitrary: one is what there mostly is.
const maxAmounts = 3

// entersAgain lists sequences in which the contract makes a call once more in its middle, for amounts that were paid in before
// it, after others have paid as much: what is kept of a payment is mostly worth taking as a whole.
func (m *Mutator) entersAgain(seq Sequence, call int, on [4]byte) (all []Sequence) {
	var amounts []uint256.Int
	for i := range seq[:call] {
		if v := seq[i].Value; !v.IsZero() && !slices.Contains(amounts, v) && len(amounts) < maxAmounts {
			amounts = append(amounts, v)
		}
	}
	if seq[call].Function.Kind == Constructor {
		return nil
	}
	if !slices.Contains(amounts, Stake) { // limits are mostly round
		amounts = append(amounts, Stake)
	}
	for _, w := range appendArgumentWords(nil, seq, call) {
		t := WordType(seq, w)
		if t == nil || t.Kind != Uint {
			continue
		}
		for i := range amounts {
			out, ok := m.space.With(seq, w, &amounts[i])
			if !ok {
				continue
			}
			out[call].Script = &Script{Answers: []Answer{{On: on, Times: 1, Calls: []Call{m.space.asInner(out[call])}}}}
			all = append(all, out)
			if others, ok := m.space.PaidByOthers(out); ok {
				all = append(all, others)
			}
		}
	}
	return all
}

// after is a script that answers what is expected, and one more once another function was called.
func after(other, on [4]byte, expected []uint256.Int) []Answer {
	words := slices.Clone(expected)
	words[0].AddUint64(&words[0], 1)
	return []Answer{{On: other, Times: 1}, {On: on, After: 1, End: attacker.Return, Words: words}}
}
