package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/compare/laws"
)

// conservation watches for laws of token standards that the head breaks, see [oracle.Conservation].
type conservation struct {
	*Sides
	// asking are machines of its own, on which views are asked: of answers that prove something,
	// the reference.
	asking, judging *pair

	head, base *laws.Books
	tokens     []*tokenPair // in the order of the head's instances

	broken     []violation // by the sequence that is looked at
	violations []violation // kept, in the order in which they came
}

// tokenPair is a token on both sides.
type tokenPair struct {
	head, base *laws.Token
	tallies    []tally // by the laws of both
	// states are sequences of the head after which something is in the token's storage, and after how many of
	// them end with a call of a function.
	states []input.Sequence
	after  map[*input.Function]int
}

// tally is how often a law of a token held on the base.
type tally struct {
	law          *laws.Law
	kept, broken int
	asked        int // whether it held, by asking views: in calls that do the same on both sides
	askedApart   int // and in calls that do not
}

// violation is a call of the head that breaks a law.
type violation struct {
	pair    *tokenPair
	law     int // of the pair
	call    int
	at      bytecode.Location
	kept    bool // on the base
	suspect *suspect
}

// leastKept is in how many calls of the base a law has to hold before its end is news. Of a token with a feature
// that breaks the law in one call of 20, that no call was one has a probability of 0.6 %.
const leastKept = 100

// maxAsked bounds the calls of either kind for which views are asked, for each law. Arbitrary: more than
// [leastKept], since not all answer.
const maxAsked = 4 * leastKept

// newConservation finds the tokens; nil where there are none on both sides.
func (s *Sides) newConservation(head, base []*laws.Token) (*conservation, error) {
	c := &conservation{Sides: s}
	var err error
	if c.asking, err = s.fast(); err != nil {
		return nil, err
	}
	c.head, c.base = laws.NewBooks(head, s.Head.World), laws.NewBooks(base, s.Base.World)
	if len(c.head.Tokens) == 0 {
		return nil, nil
	}
	if c.judging, err = s.reference(); err != nil {
		return nil, err
	}
	for _, t := range c.head.Tokens {
		if other := c.base.Token(s.moved.back(t.Address)); other != nil && s.ships(t.Contract) {
			p := &tokenPair{head: t, base: other, after: map[*input.Function]int{}}
			for _, law := range t.Laws {
				if slices.Contains(other.Laws, law) {
					p.tallies = append(p.tallies, tally{law: law})
				}
			}
			c.tokens = append(c.tokens, p)
		}
	}
	if len(c.tokens) == 0 {
		return nil, nil
	}
	return c, nil
}

// of is a token by its side's own.
func (c *conservation) of(t *laws.Token) *tokenPair {
	for _, p := range c.tokens {
		if p.head == t || p.base == t {
			return p
		}
	}
	return nil
}

// see implements [watcher].
func (c *conservation) see(r *ran) {
	last := len(r.head.Calls) - 1
	c.broken = c.broken[:0]
	c.head.Read(r.head, min(r.head.Reused(), last), func(call *laws.Call) { c.seeHead(r, call) })
	from := min(r.base.Reused(), len(r.base.Calls)-1)
	for i := range c.broken {
		from = min(from, c.broken[i].call)
	}
	c.base.Read(r.base, from, func(call *laws.Call) { c.seeBase(r, call) })
	for i := range c.broken {
		v := &c.broken[i]
		if law := v.pair.tallies[v.law].law; v.call < len(r.base.Calls) && (v.kept || law.Refusing && refused(r.base, v.call)) {
			c.keep(r, v)
		}
	}
}

// refused reports whether a call fails, and not for want of gas.
func refused(exec *evm.Execution, call int) bool {
	return exec.Calls[call].Outcome != evm.Success && !outOfGas(exec, call)
}

// differs reports whether a call is the first that does something else on the base.
func (r *ran) differs(call int) bool { return r.first != nil && r.first.Call == call }

func (c *conservation) seeHead(r *ran, call *laws.Call) {
	p := c.of(call.Token)
	if p == nil || call.Index >= len(r.base.Calls) {
		return
	}
	for i := range p.tallies {
		law := p.tallies[i].law
		if p.tallies[i].broken > 0 {
			continue
		}
		verdict := laws.Untested
		if law.Views == nil {
			verdict = law.Judge(call)
		} else if r.differs(call.Index) && p.tallies[i].askedApart < maxAsked {
			p.tallies[i].askedApart++
			verdict = c.ask(law, call, c.asking.head, c.Head.Space.Encode(r.sequence[:call.Index+1], nil))
		}
		if verdict == laws.Broken {
			c.broken = append(c.broken, violation{pair: p, law: i, call: call.Index, at: c.blame(r, call)})
		}
	}
}

func (c *conservation) seeBase(r *ran, call *laws.Call) {
	p := c.of(call.Token)
	if p == nil {
		return
	}
	for i := range p.tallies {
		t := &p.tallies[i]
		if t.broken > 0 {
			continue
		}
		at := slices.IndexFunc(c.broken, func(v violation) bool { return v.pair == p && v.law == i && v.call == call.Index })
		verdict := laws.Untested
		if t.law.Views == nil {
			verdict = t.law.Judge(call)
		} else if at >= 0 || t.asked < maxAsked {
			t.asked++
			verdict = c.ask(t.law, call, c.asking.base, c.Base.Space.Encode(c.carry(r.sequence[:call.Index+1], nil), nil))
		}
		switch verdict {
		case laws.Kept:
			t.kept++
			if at >= 0 {
				c.broken[at].kept = true
			}
		case laws.Broken:
			t.broken++
		}
	}
}

// ask asks the views of a law for the last call of a sequence. A machine that fails has no answer.
func (c *conservation) ask(law *laws.Law, call *laws.Call, machine evm.Machine, seq evm.Sequence) laws.Verdict {
	views := law.Views(call)
	if views == nil {
		return laws.Untested
	}
	verdict, err := views.Ask(machine, seq, call.Token)
	if err != nil {
		return laws.Untested
	}
	return verdict
}

// keep keeps a violation as a suspect, the first of each law and function, and a shorter one in its place.
func (c *conservation) keep(r *ran, v *violation) {
	sequence := r.sequence[:v.call+1]
	function := sequence[v.call].Function
	for i := range c.violations {
		if known := &c.violations[i]; known.pair == v.pair && known.law == v.law && known.suspect.sequence[known.call].Function == function {
			if v.call < known.call {
				known.call, known.at, known.suspect.sequence = v.call, v.at, sequence.Clone()
			}
			return
		}
	}
	law := v.pair.tallies[v.law].law
	pair := v.pair
	v.suspect = &suspect{oracle: oracle.Conservation, sequence: sequence.Clone(), first: r.at, shows: func(r *ran) *shown { return c.shows(r, pair, law) }}
	c.violations = append(c.violations, *v)
}

// suspects implements [watcher]: what breaks laws that the base kept is one once for each function of a token, and
// for each place.
func (c *conservation) suspects() []*suspect {
	all := slices.Clone(c.violations)
	slices.SortStableFunc(all, func(a, b violation) int { return cmp.Compare(a.law, b.law) })
	var list []*suspect
	var said []violation
	for _, v := range all {
		t := &v.pair.tallies[v.law]
		function := v.suspect.sequence[v.call].Function
		seen := *v.suspect
		switch {
		case t.broken > 0:
			seen.refuted = "the base breaks the law as well"
		case t.kept < leastKept:
			seen.refuted = "the base was not seen to keep the law often enough"
		case slices.ContainsFunc(said, func(other violation) bool {
			return other.at == v.at || other.pair == v.pair && other.suspect.sequence[other.call].Function == function
		}):
			seen.refuted = "the function breaks another law that says more"
		default:
			said = append(said, v)
		}
		list = append(list, &seen)
	}
	return list
}

// noted is what a call does to the books of one side.
type noted struct {
	verdict laws.Verdict
	changes []laws.Change
	at      bytecode.Location
}

// shows judges the last call of a sequence that ran on both sides.
func (c *conservation) shows(r *ran, p *tokenPair, law *laws.Law) *shown {
	last := r.last()
	if r.head.Truncated || r.base.Truncated || outOfGas(r.head, last) || outOfGas(r.base, last) {
		return nil
	}
	head := c.note(r, c.head, p.head, law, last)
	base := c.note(r, c.base, p.base, law, last)
	if head.verdict != laws.Broken || base.verdict != laws.Kept && !(law.Refusing && refused(r.base, last)) || head.at == (bytecode.Location{}) {
		return nil
	}
	answer := c.answer(p, slices.Concat(head.changes, base.changes))
	if answer == nil && !r.differs(last) {
		return nil
	}
	call := &r.sequence[last]
	function := call.Function.Signature
	if in := &c.Head.Space.Instances[call.Instance]; in.Address != p.head.Address {
		function = shortSignature(in.Name, function)
	}
	severity := oracle.Conservation.Severity
	if law.Informs {
		severity = oracle.Medium
	}
	return &shown{contract: p.head.Contract.QualifiedName(), at: head.at, severity: severity, answer: answer,
		message: fmt.Sprintf(law.Broken, p.head.Contract.Name, function)}
}

// note is what the last call of a sequence does on a side, as the reference answers.
func (c *conservation) note(r *ran, books *laws.Books, t *laws.Token, law *laws.Law, last int) (n noted) {
	exec, machine, seq := r.head, c.judging.head, evm.Sequence(nil)
	if books == c.base {
		exec, machine = r.base, c.judging.base
	}
	books.Read(exec, last, func(call *laws.Call) {
		if call.Token != t {
			return
		}
		n.changes = slices.Clone(call.Changes)
		if books == c.head {
			n.at = c.blame(r, call)
		}
		if law.Views == nil {
			n.verdict = law.Judge(call)
			return
		}
		if books == c.head {
			seq = c.Head.Space.Encode(r.sequence, nil)
		} else {
			seq = c.Base.Space.Encode(c.carry(r.sequence, nil), nil)
		}
		n.verdict = c.ask(law, call, machine, seq)
	})
	return n
}

// answer is a view that answers something else on either side after what the books were read in; nil: none of
// those of the values that changed does.
func (c *conservation) answer(p *tokenPair, changes []laws.Change) *fuzzer.Answer {
	for i := range changes {
		keys := changes[i].Keys
		there := keys
		for j := range there {
			if w := &there[j]; len(c.moved) > 0 && w.BitLen() <= 8*common.AddressLength {
				if at := c.moved.back(w.Bytes20()); at != w.Bytes20() {
					w.SetBytes20(at[:])
				}
			}
		}
		head, ok := c.head.Value(p.head, changes[i].Family, keys)
		base, known := c.base.Value(p.base, changes[i].Family, there)
		if ok && known && head != base {
			return &fuzzer.Answer{To: p.head.Address, Data: laws.View(changes[i].Family, keys)}
		}
	}
	return nil
}

// blame is where a call of the head writes the books: in changed code, if it does, and where it writes last. Where it
// changes nothing there, it is where it writes to the token at all, or the changed code that it executes.
func (c *conservation) blame(r *ran, call *laws.Call) bytecode.Location {
	var all []bytecode.Location
	for i := range call.Changes {
		all = append(all, call.Changes[i].From, call.Changes[i].At)
	}
	if len(all) == 0 {
		all = writesOf(r.head, call.Index, call.Token.Address)
	}
	for _, at := range slices.Backward(all) {
		if c.isChanged(at) {
			return at
		}
	}
	if len(all) > 0 {
		return all[len(all)-1]
	}
	if entered := c.entered(r.head, call.Index); len(entered) > 0 {
		return entered[0]
	}
	return bytecode.Location{}
}

// writesOf are the instructions with which a call writes to the storage of an account, and that lasts, in order.
func writesOf(exec *evm.Execution, call int, account common.Address) []bytecode.Location {
	var all []bytecode.Location
	frames := exec.Calls[call].Frames
	for _, w := range exec.AppendWrites(nil, frames[0], frames[1], exec.Lasting()) {
		if p := exec.Frames[w.Frame].Program; p != nil && w.Address == account {
			all = append(all, bytecode.Location{Code: p.ID, PC: w.PC})
		}
	}
	return all
}

// isChanged reports whether an instruction of the head is in a block that begins with changed code.
func (s *Sides) isChanged(at bytecode.Location) bool {
	p := s.Head.Table.Program(at.Code)
	if p == nil {
		return false
	}
	block, ok := p.BlockOf(at.PC)
	return ok && s.changed[bytecode.Location{Code: at.Code, PC: p.Blocks[block].Start}]
}
