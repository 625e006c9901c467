package compare

import (
	"context"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/compare/laws"
)

// watcher looks for one oracle at what base and head do in the same calls. A search has one of each
// kind, and asks it from one goroutine at a time.
type watcher interface {
	// see looks at a sequence that ran on both sides, and may not keep what it ran in.
	see(r *ran)
	// suspects are what it has seen, in the order in which they came, those that it has refuted among them.
	suspects() []*suspect
}

// suspect is something that an oracle has seen while many sequences ran, and that has to be proved.
type suspect struct {
	oracle   *oracle.Oracle
	sequence input.Sequence // whose last call shows it
	first    fuzzer.Mark    // when it was first seen; zero: after the search
	alone    bool           // the base has not all of its calls
	refuted  string         // why it is none, for people: "the base does it as well"; empty: that is to be seen
	// shows judges a sequence that ran on both sides: nil where its last call does not show the
	// same. It is asked with machines of all kinds, the reference among them.
	shows func(r *ran) *shown
	// answer finds what shows it after a sequence that the judges have seen; nil: nothing is asked.
	answer func(seq input.Sequence) *fuzzer.Answer
	// graver reports whether a sequence that shows it, on some machines, is High; nil: it is what shows says.
	graver func(p *pair, seq input.Sequence) bool
	about  string // of those of an oracle that are about the same, the gravest is reported, or the first; empty: it is about itself
}

// shown is what a sequence shows.
type shown struct {
	contract string // qualified
	at       bytecode.Location
	takes    bool            // the outsider gains by it
	message  string          // one sentence, without values that change from input to input
	severity oracle.Severity // zero: the oracle's
	answer   *fuzzer.Answer  // where it is not in what the last call does: whom to ask, and what
}

// ran is a sequence of the head that ran on both sides. On the base it may have fewer calls, see
// [Sides.carry]. It is valid until a machine of it runs again.
type ran struct {
	*Sides
	sequence   input.Sequence
	head, base *evm.Execution
	at         fuzzer.Mark // how much of the search had run; zero: it came after the search
	// first is the first call that does something else; nil: none does.
	first *Difference

	moved                 movedAddresses
	headWrites, baseWrote []written // by call, once asked for
}

// last is the index of the last call, if it ran on both sides; −1 otherwise.
func (r *ran) last() int {
	if len(r.head.Calls) != len(r.sequence) || len(r.base.Calls) != len(r.sequence) {
		return -1
	}
	return len(r.sequence) - 1
}

// writes are the words that a call wrote on the head and on the base, by the addresses of either. Nil for a
// call that did not run there.
func (r *ran) writes(call int) (head, base []write) {
	if r.headWrites == nil {
		r.headWrites, r.baseWrote = allWrites(onSide(r.Head, r.head, 0)), allWrites(onSide(r.Base, r.base, 0))
	}
	if call < len(r.headWrites) {
		head = r.headWrites[call].list
	}
	if call < len(r.baseWrote) {
		base = r.baseWrote[call].list
	}
	return head, base
}

func allWrites(c *compared) []written {
	all := make([]written, len(c.exec.Calls))
	for i := range all {
		all[i] = c.writes(i)
	}
	return all
}

// byOutsider reports whether the outsider sends all calls.
func (r *ran) byOutsider() bool {
	return sentBy(r.sequence, r.Head.Space.Outsider())
}

// watch is what a search watches with, from any number of goroutines.
type watch struct {
	sync.Mutex
	watchers []watcher
	liveness *liveness     // one of them; nil: it was not asked for
	laws     *lawLost      // likewise
	tokens   *conservation // likewise, or there are no tokens
	table    *table

	now   func() time.Time
	began time.Time
	mark  fuzzer.Mark // how much has run on both sides

	dropped map[Dropped]int
	takes   map[*fuzzer.Finding]bool // that the outsider gains by
	alone   map[*fuzzer.Finding]bool // that take calls which the base has not
}

// Dropped is why an oracle does not report what it saw.
type Dropped struct {
	Oracle string // its id
	Reason string // for people
}

// newWatch is for one search, with the oracles that are asked for.
func (s *Sides) newWatch(choice oracle.Choice, now func() time.Time) (*watch, error) {
	w := &watch{table: s.newTable(), now: now, began: now(), dropped: map[Dropped]int{}, takes: map[*fuzzer.Finding]bool{}, alone: map[*fuzzer.Finding]bool{}}
	var err error
	if choice.Has(oracle.LivenessLost.ID) {
		w.liveness = s.newLiveness()
		w.watchers = append(w.watchers, w.liveness)
	}
	if choice.Has(oracle.LawLost.ID) {
		if w.laws, err = s.newLawLost(); err != nil {
			return nil, err
		}
		w.watchers = append(w.watchers, w.laws)
	}
	if choice.Has(oracle.GuardLost.ID) {
		w.watchers = append(w.watchers, s.newGuards())
	}
	if choice.Has(oracle.EventStorage.ID) {
		w.watchers = append(w.watchers, s.newEventStorage())
	}
	head, base, err := s.tokens()
	if err != nil {
		return nil, err
	}
	if choice.Has(oracle.Conservation.ID) {
		if w.tokens, err = s.newConservation(head, base); err != nil {
			return nil, err
		}
		if w.tokens != nil {
			w.watchers = append(w.watchers, w.tokens)
		}
	}
	if choice.Has(oracle.ThirdPartyLoss.ID) {
		if losses := s.newLosses(head, base); losses != nil {
			w.watchers = append(w.watchers, losses)
		}
	}
	return w, nil
}

// tokens learns where the contracts of each side keep who owns what.
func (s *Sides) tokens() (head, base []*laws.Token, err error) {
	machines, err := s.fast()
	if err != nil {
		return nil, nil, err
	}
	if head, err = laws.Learn(machines.head, s.Head.World); err != nil {
		return nil, nil, err
	}
	base, err = laws.Learn(machines.base, s.Base.World)
	return head, base, err
}

// seeHead looks at a sequence that ran on the head, whatever the base makes of it.
func (w *watch) seeHead(seq input.Sequence, exec *evm.Execution) {
	w.Lock()
	defer w.Unlock()
	if w.liveness != nil {
		w.liveness.seeHead(seq, exec)
	}
	w.table.see(onHead, seq, exec)
}

func (w *watch) see(r *ran) {
	w.Lock()
	defer w.Unlock()
	w.mark.Executions++
	w.mark.Calls += uint64(len(r.sequence))
	w.mark.Seconds = w.now().Sub(w.began).Seconds()
	r.at = w.mark
	if r.head.Truncated || r.base.Truncated {
		if w.liveness != nil {
			w.liveness.see(r)
		}
		return
	}
	w.table.see(onBase, r.sequence, r.base)
	for _, one := range w.watchers {
		one.see(r)
	}
}

// note looks at an input that the head's campaign has kept, and reports whether it is worth a look on both sides.
func (w *watch) note(seq input.Sequence, exec *evm.Execution) bool {
	w.seeHead(seq, exec)
	if w.tokens != nil {
		w.tokens.noteState(seq, exec)
	}
	if w.laws == nil {
		return false
	}
	w.laws.noteLeaving(seq, exec)
	return w.laws.fails(exec)
}

// lookAgain tries to refute what is suspected, with campaigns of its own.
func (w *watch) lookAgain(ctx context.Context, budget *Budget, suite []input.Packed, on *pair) error {
	if w.liveness != nil {
		if err := w.liveness.lookAgain(ctx, budget, suite, on); err != nil {
			return err
		}
	}
	if w.laws != nil {
		return w.laws.attack(ctx, budget.limits(1), suite, on)
	}
	return nil
}

// exercise makes calls that watchers want to see, and returns inputs to go on from.
func (w *watch) exercise(calls *suiteCalls, on *pair, seed uint64) (seeds []input.Sequence) {
	if w.tokens != nil {
		seeds = w.tokens.exercise(on, w.seeBoth)
	}
	if w.laws != nil {
		seeds = append(seeds, w.laws.windDown(calls, on, seed)...)
	}
	return seeds
}

// seeBoth looks at a sequence that ran on both sides, and not in the search's campaign.
func (w *watch) seeBoth(r *ran) {
	w.seeHead(r.sequence, r.head)
	w.see(r)
}

// maxSuspects bounds what is proved of one oracle. Arbitrary: each costs some milliseconds, and the first of them are what is read.
const maxSuspects = 16

// proved makes the sequences of suspects short, and keeps what go-ethereum shows as well.
func (w *watch) proved(fast, judges *pair) []*fuzzer.Finding {
	var list []*fuzzer.Finding
	for _, one := range w.watchers {
		proving := 0
		of := map[string]int{} // what findings are about, and where they are in the list
		for _, seen := range one.suspects() {
			why := seen.refuted
			if why == "" && proving == maxSuspects {
				why = "too many at once"
			}
			if why == "" {
				proving++
				var f *fuzzer.Finding
				var found *shown
				if f, found, why = seen.prove(fast, judges); f != nil {
					w.takes[f], w.alone[f] = found.takes, seen.alone
					at, known := of[seen.about]
					switch {
					case !known || seen.about == "":
						of[seen.about] = len(list)
						list = append(list, f)
						continue
					case f.Severity > list[at].Severity:
						list[at] = f
					}
					why = "another one about the same says more"
				}
			}
			w.dropped[Dropped{seen.oracle.ID, why}]++
		}
	}
	return list
}

// prove is the finding that a suspect is, or why it is none.
func (seen *suspect) prove(fast, judges *pair) (f *fuzzer.Finding, found *shown, why string) {
	shows := func(p *pair, seq input.Sequence) (*ran, *shown) {
		r := p.ran(seq)
		if r == nil || r.last() < 0 && !seen.alone {
			return nil, nil
		}
		return r, seen.shows(r)
	}
	probes := behaviorProbes
	holds := func(seq input.Sequence) bool {
		probes--
		if probes < 0 {
			return false
		}
		_, found := shows(fast, seq)
		return found != nil
	}
	seq := seen.sequence
	if !holds(seq) {
		if seq = fast.Head.Space.By(seq, fast.Head.Space.Outsider()); !holds(seq) {
			return nil, nil, "not seen again when it was tried alone"
		}
	}
	seq = fuzzer.Minimize(fast.Head.Space, seq, holds)
	if plain := fast.Head.Space.By(seq, fast.Head.Space.Outsider()); holds(plain) {
		seq = plain
	}
	r, found := shows(judges, seq)
	if found == nil {
		return nil, nil, otherJudgment
	}
	path := fuzzer.Entered(r.Head.Table, r.head)
	last := r.last()
	refused := last >= 0 && r.head.Calls[last].Outcome == evm.Success && r.base.Calls[last].Outcome != evm.Success
	if found.answer != nil && !judges.answer(seq, found.answer) {
		return nil, nil, otherJudgment
	}
	if seen.answer != nil && found.answer == nil {
		found.answer = seen.answer(seq)
	}
	if seen.graver != nil && seen.graver(judges, seq) {
		found.severity = oracle.High
	}
	return &fuzzer.Finding{
		Oracle: seen.oracle, First: seen.first, Contract: found.contract, Sequence: seq, Message: found.message, Location: found.at,
		Severity: found.severity, Refused: refused, Answer: found.answer, Path: path,
	}, found, ""
}

// otherJudgment is why nothing is believed that only our machine shows.
const otherJudgment = "go-ethereum shows something else"
