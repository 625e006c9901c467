package mine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Template is the form of a law between A and B.
type Template uint8

// The templates.
const (
	Equal    Template = iota // A and B change by the same, and are the same if they were in the World
	Covers                   // A is at least B
	Constant                 // A has one value between calls
	Rises                    // A never falls
	Falls                    // A never rises
	ByOwner                  // A is written by transactions of the account in B alone
	Pays                     // what is held, A, covers each payment that its contract makes
)

// Law is something that held in every call that was seen, as long as it is not Broken.
type Law struct {
	Template Template
	A, B     *Quantity // B is nil for laws of one quantity
	// Calls are those in which the law was at stake: they wrote A or B. Functions are those that
	// were called, each once, the first maxFunctions of them.
	*Tally
	Broken bool

	equal, apart int // calls after which A = B and that was not zero, and in which they were not equal
	own          int // of Calls, those of this law: laws ByOwner of one account share theirs
	stamp        int // the call that it was last looked at in
}

// Tally is how often a law was at stake. Laws ByOwner of the same account share one: that an account writes all
// of several variables alone is one law.
type Tally struct {
	Calls     int
	Functions []*input.Function
}

// OfCalls reports whether the law says what no call does, and nothing of the state between calls.
func (l *Law) OfCalls() bool { return l.Template == Pays }

// maxFunctions bounds the functions that a law names. Arbitrary: more than is read.
const maxFunctions = 16

// What a law needs before it is believed. A thousand calls of three functions: a feature that breaks a law in one
// call of 200 is missed by them with a probability of 0.7 %. leastTight is for "at least", which
// between any two numbers of different size says nothing: it has to be tight, and not always.
const (
	leastCalls     = 1000
	leastFunctions = 3
	leastTight     = 20
	// leastOwn is for laws that share a tally. Arbitrary: more than chance.
	leastOwn = 50
	// leastOfCall is for laws of what calls do, which are at stake in few calls of a campaign: those that come to the end of it. Arbitrary.
	leastOfCall = 200
)

// Proven reports whether the law was at stake often enough, and says something.
func (l *Law) Proven() bool { return l.provenBy(leastCalls, leastTight, leastOwn) }

// Promising reports whether the law may be proven by a campaign as long as the one that it was
// found in.
func (l *Law) Promising() bool {
	if l.OfCalls() {
		return !l.Broken // what pays comes last, and seldom before that is tried
	}
	const part = 10 // of what it needs. Arbitrary: a campaign that attacks a law has it at stake more often than others.
	return l.provenBy(leastCalls/part, leastTight/part, leastOwn/part)
}

func (l *Law) provenBy(calls, tight, own int) bool {
	if l.Broken {
		return false
	}
	if l.OfCalls() {
		return l.Calls >= leastOfCall
	}
	if l.Calls < calls {
		return false
	}
	if len(l.Functions) < leastFunctions || l.A.writes == 0 && l.A.Kind != Answer {
		return false
	}
	switch l.Template {
	case Equal:
		return l.B.writes > 0 || l.B.Kind == Answer
	case Covers:
		return l.equal >= tight && l.apart >= tight && (l.A.Kind != Scalar || l.B.writes > 0)
	case ByOwner:
		return l.own >= own
	default:
	}
	return true
}

// Balanced reports whether what an Equal law compares is the same in the World, as far as is
// known, and not only changes alike.
func (l *Law) Balanced() bool { return l.A.initial == l.B.initial }

// Key identifies the law in another build of the same project.
func (l *Law) Key() string {
	key := fmt.Sprintf("%d %s", l.Template, l.A.key())
	if l.B != nil {
		key += " " + l.B.key()
	}
	return key
}

func (q *Quantity) key() string {
	key := fmt.Sprintf("%d %s", q.Kind, q.Instance.Name)
	if q.Token != nil {
		return key + " in " + q.Token.Name
	}
	switch {
	case q.Kind == Ether:
		return key
	case q.Kind == Answer:
		return key + " " + q.View
	case q.Variable != nil:
		return key + " " + q.Variable.Name
	}
	return key + " " + q.Slot.Hex()
}

// addLaws adds the laws between a quantity and those before it.
func (m *Miner) addLaws(n int) {
	q := m.quantities[n]
	if q.Kind == Holding || q.Kind == Ether {
		m.addLaw(Pays, n, -1)
	}
	if q.Kind == Scalar {
		m.addLaw(Constant, n, -1)
		if q.isNumber() {
			m.addLaw(Rises, n, -1)
			m.addLaw(Falls, n, -1)
		}
	}
	for other := range n {
		p := m.quantities[other]
		if p.Instance != q.Instance {
			continue
		}
		m.addPair(n, other)
		m.addPair(other, n)
	}
}

// addPair adds the laws of A and B in this order.
func (m *Miner) addPair(a, b int) {
	p, q := m.quantities[a], m.quantities[b]
	owed := (q.Kind == Sum || q.Kind == Answer || q.Kind == Scalar) && q.isNumber()
	switch {
	case p.Kind == Sum && q.Kind == Scalar && q.isNumber(), p.Kind == Sum && q.Kind == Answer:
		m.addLaw(Equal, a, b)
	case (p.Kind == Holding || p.Kind == Ether) && owed:
		m.addLaw(Covers, a, b)
		if p.Kind == Holding && q.Kind == Answer {
			m.addLaw(Equal, a, b)
		}
	case p.isAnonymous() || q.isAnonymous(): // what two such words are, they are by chance
	case p.Kind == Scalar && q.Kind == Scalar && p.isNumber() && q.isNumber():
		m.addLaw(Covers, a, b)
		if a < b {
			m.addLaw(Equal, a, b)
		}
	case p.Kind == Answer && q.Kind == Answer:
		m.addLaw(Covers, a, b)
	}
	if (p.Kind == Scalar || p.Kind == Sum) && q.Kind == Scalar && m.isSender[q.initial] {
		m.addLaw(ByOwner, a, b)
	}
}

// addLaw adds a law that the World itself keeps.
func (m *Miner) addLaw(t Template, a, b int) {
	l := &Law{Template: t, A: m.quantities[a], Tally: &Tally{}}
	if b >= 0 {
		l.B = m.quantities[b]
	}
	if len(m.laws) >= maxLaws || t == Covers && l.A.initial.Lt(&l.B.initial) && l.A.Kind != Answer && l.B.Kind != Answer {
		return
	}
	if t == ByOwner {
		if m.tallies[b] == nil {
			m.tallies[b] = l.Tally
		}
		l.Tally = m.tallies[b]
	}
	n := len(m.laws)
	m.laws = append(m.laws, l)
	if t == Pays {
		m.pays[a] = l
	}
	m.quantities[a].laws = append(m.quantities[a].laws, n)
	if b >= 0 && t != ByOwner {
		m.quantities[b].laws = append(m.quantities[b].laws, n)
	}
}

// holds reports whether a law holds after a call.
func (l *Law) holds(from *uint256.Int) bool {
	switch l.Template {
	case Equal:
		if l.A.Kind == Answer || l.B.Kind == Answer {
			return l.A.value == l.B.value
		}
		var x, y uint256.Int
		return *x.Sub(&l.A.value, &l.A.initial) == *y.Sub(&l.B.value, &l.B.initial)
	case Covers:
		return !l.A.value.Lt(&l.B.value)
	case Constant:
		return l.A.value == l.A.initial
	case Rises:
		return !l.A.value.Lt(&l.A.before)
	case Falls:
		return !l.A.before.Lt(&l.A.value)
	case ByOwner:
		return l.B.before == *from
	}
	return true
}

// weigh counts how close a law was to its end.
func (l *Law) weigh() {
	if l.Template != Covers {
		return
	}
	switch {
	case l.A.value != l.B.value:
		l.apart++
	case !l.A.value.IsZero():
		l.equal++
	}
}

// at counts a call in which the law was at stake.
func (l *Law) at(f *input.Function) {
	l.Calls++
	l.own++
	if len(l.Functions) < maxFunctions && !slices.ContainsFunc(l.Functions, func(g *input.Function) bool { return isSame(f, g) }) {
		l.Functions = append(l.Functions, f)
	}
}

// isSame reports whether functions are the same, of whichever build.
func isSame(f, g *input.Function) bool {
	return f == g || f.Signature == g.Signature && f.Contract != nil && g.Contract != nil && f.Contract.Name == g.Contract.Name
}

// Name is a quantity for people: "the sum of Vault.shares".
func (q *Quantity) Name() string {
	contract := q.Instance.Name
	switch q.Kind {
	case Sum:
		return fmt.Sprintf("the sum of %s.%s", contract, q.variable())
	case Holding:
		return fmt.Sprintf("%s's balance of %s", contract, q.Token.Name)
	case Ether:
		return contract + "'s ether"
	case Answer:
		return contract + "." + q.View
	}
	return contract + "." + q.variable()
}

// variable is the name of a state variable; of one that no layout has, its slot.
func (q *Quantity) variable() string {
	if q.Variable != nil {
		return q.Variable.Name
	}
	if q.Slot.IsUint64() {
		return "slot " + q.Slot.Dec()
	}
	const shown = 10 // characters
	return "slot " + q.Slot.Hex()[:shown] + "…"
}

// String says the law in a sentence without its end.
func (l *Law) String() string {
	return l.say([...]string{"equals", "is at least", "has one value between calls", "never falls", "never rises", "is written by", "covers each payment out of it"})
}

// Lost says in such a sentence that it no longer holds.
func (l *Law) Lost() string {
	if l.Template == Pays {
		of := "ether"
		if l.A.Token != nil {
			of = l.A.Token.Name
		}
		return fmt.Sprintf("%s has less %s than it is to pay", l.A.Instance.Name, of)
	}
	return l.say([...]string{"no longer equals", "is no longer at least", "no longer has one value between calls", "may fall", "may rise", "is no longer written by", "no longer covers each payment out of it"})
}

func (l *Law) say(verbs [7]string) string {
	text := l.A.Name() + " " + verbs[l.Template]
	switch l.Template {
	case Equal, Covers:
		text += " " + l.B.Name()
	case ByOwner:
		text += " " + l.B.Name() + " alone"
	default:
	}
	return strings.TrimSpace(text)
}

// Value is what the law's second quantity, if it has one, was after the execution that was looked at last.
func (l *Law) Value() uint256.Int {
	if l.B == nil {
		return l.A.value
	}
	return l.B.value
}

// Concerns reports whether an access is to what the law is about.
func (l *Law) Concerns(access *evm.StorageAccess) bool {
	for _, q := range []*Quantity{l.A, l.B} {
		if q != nil && q.Kind != Ether && q.Kind != Answer && q.Account == access.Address && (q.Slot == access.Slot || q.Kind == Sum && q.Slot == access.Base) {
			return true
		}
	}
	return false
}

// Initial is what a quantity is in the World.
func (q *Quantity) Initial() uint256.Int { return q.initial }
