package compare

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// guards looks for checks that refused a call on the base, and that the head has lost.
type guards struct {
	*Sides
	*sources
	found  []*suspect // the outsider's calls
	leads  []*suspect // those of others: whether the outsider may make them as well has to be tried
	leadOf map[*suspect]guardKey
	looked map[guardKey]int // how often what a check refused was looked at
}

// guardKey identifies the check of the base that refused a function's call.
type guardKey struct {
	instance int
	function *input.Function
	at       bytecode.Location // where the call ended on the base
	outsider bool              // who sent it
}

// maxGuardLooks bounds the calls of a function that a check refused on the base and that are looked at.
// Arbitrary: on the head they may run by different paths, of which the first ones say most.
const maxGuardLooks = 8

func (s *Sides) newGuards() *guards {
	return &guards{Sides: s, sources: newSources(), leadOf: map[*suspect]guardKey{}, looked: map[guardKey]int{}}
}

// suspects implements [watcher]: a call that the outsider makes needs no other sender's.
func (g *guards) suspects() []*suspect {
	leads := slices.DeleteFunc(slices.Clone(g.leads), func(lead *suspect) bool { return g.looked[g.leadOf[lead]] == maxGuardLooks })
	return append(g.found, leads...)
}

func (g *guards) see(r *ran) {
	if r.first == nil || r.first.Kind != Succeeds {
		return
	}
	end := refusedIn(r.base, r.first.Call)
	if end == nil {
		return
	}
	call := &r.sequence[r.first.Call]
	outsider := g.Head.Space.Outsider()
	key := guardKey{call.Instance, call.Function, oracle.HaltOf(end), call.Sender == outsider}
	if g.looked[key] == maxGuardLooks || !r.hasEffect(r.first.Call) {
		return
	}
	g.looked[key]++
	lost := g.lostIn(r)
	if lost == nil {
		return
	}
	g.looked[key] = maxGuardLooks
	seen := g.suspectOf(lost, r.sequence[:r.first.Call+1].Clone())
	seen.first = r.at
	if key.outsider {
		g.found = append(g.found, seen)
		return
	}
	seen.sequence[r.first.Call].Sender = outsider
	key.outsider = true
	g.leadOf[seen] = key
	g.leads = append(g.leads, seen)
}

// suspectOf is a lost check that a sequence's last call meets no more.
func (g *guards) suspectOf(first *lostGuard, seq input.Sequence) *suspect {
	return &suspect{oracle: oracle.GuardLost, sequence: seq, shows: func(r *ran) *shown {
		if r.first == nil || r.first.Call != r.last() || r.sequence[r.last()].Sender != r.Head.Space.Outsider() {
			return nil
		}
		lost := g.lostIn(r)
		if lost == nil || lost.check.Range != first.check.Range || lost.function != first.function || lost.there != first.there {
			return nil
		}
		return r.showGuard(lost)
	}}
}

// refusedIn is the frame in which a call was refused first, whose callers handed that on; nil where the call
// did not fail, or in a check of the compiler's.
func refusedIn(exec *evm.Execution, call int) *evm.Frame {
	c := &exec.Calls[call]
	if c.Outcome != evm.Reverted || bytes.HasPrefix(c.Output, evm.PanicSelector[:]) {
		return nil
	}
	var at *evm.Frame
	for i := c.Frames[0]; i < c.Frames[1]; i++ {
		if f := &exec.Frames[i]; f.Outcome == evm.Reverted && f.Program != nil && bytes.Equal(f.Output, c.Output) && (at == nil || f.Depth >= at.Depth) {
			at = f
		}
	}
	return at
}

// lostGuard is a check that a call does not meet any more.
type lostGuard struct {
	check    check // on the base
	at       bytecode.Position
	reason   string // of the error, without values
	function *input.Function
	contract string             // whose function is called, qualified
	there    bool               // the head still has it, and it refuses nothing here
	ran      bool               // and the call of the head makes it
	checked  diffmap.Definition // the function of the head that had it; zero: it is gone as well
}

// lostIn judges the first call that differs: whether it has some effect, although a check of the
// base refuses it that the head has no counterpart of, or one that is the same and lets it pass.
//
// Not lost is a check in another form, or whose operands differ by a constant, or that bounds an amount which is
// computed otherwise, or that a call succeeds, where the head keeps something for when it does not: all that is listed as behavior. Neither is one of a function that takes other arguments. What the head's own tests
// do is intended, too: see where findings are dropped for that.
func (g *guards) lostIn(r *ran) *lostGuard {
	if r.first == nil || r.first.Kind != Succeeds {
		return nil
	}
	n := r.first.Call
	call := &r.sequence[n]
	if call.Function.Kind == input.Constructor || !r.calls[input.Callable{Instance: call.Instance, Function: call.Function}].same ||
		!r.counts(&sightingKey{instance: call.Instance, function: call.Function}) || !r.hasEffect(n) || r.isNewFunction(n) || r.handsOnToNew(n) {
		return nil
	}
	end := refusedIn(r.base, n)
	if end == nil || end.Program.Contract == nil {
		return nil
	}
	functions := r.versions.counterpartsOf(end.Program.Contract.QualifiedName())
	if functions == nil {
		return nil
	}
	c, in, at := g.checkAt(end, functions)
	if c == nil {
		return nil
	}
	lost := &lostGuard{check: *c, at: at, reason: reasonOf(&r.base.Calls[n], c), function: call.Function, contract: r.Head.Space.Instances[call.Instance].Contract.QualifiedName()}
	ranHere, ranThere := g.definitionsIn(&r.Head.Build, r.head, n), g.definitionsIn(&r.Base.Build, r.base, n)
	if !g.changedCode(functions, ranHere, ranThere) || g.comparesConstant(c, functions) {
		return nil
	}
	base := checksIn(in, functions.BaseText(rangeOf(in)))
	var head []check
	became, ok := functions.Became(in)
	if ok {
		lost.checked = became
		head = checksIn(became, functions.HeadText(rangeOf(became)))
	}
	same, is := c.counterpart(base, head)
	switch {
	case is == edited, is == gone && (c.movedTo(functions, ranHere) || ok && refusedByCallee(r.base, end) && provides(functions.HeadText(rangeOf(became)), c.succeeds())):
		return nil
	case is == unchanged:
		lost.there, lost.ran = true, same.ran(&r.Head.Build, r.head, n)
		if lost.ran && boundsAmount(end) {
			return nil
		}
	}
	return lost
}

// isNewFunction reports whether a call with bytes, which the base's fallback function gets, is one of a function of the head.
func (r *ran) isNewFunction(call int) bool {
	c := &r.sequence[call]
	data := r.head.Frames[r.head.Calls[call].Frames[0]].Input
	if c.Function.Kind == input.Method || len(data) < len(c.Function.Selector) {
		return false
	}
	_, err := r.Head.Space.Instances[c.Instance].Contract.ABI.MethodById(data[:len(c.Function.Selector)])
	return err == nil
}

// handsOnToNew reports whether a call of the head comes to a function that the base has not, such as one of several calls that it was given.
func (r *ran) handsOnToNew(call int) bool {
	frames := r.head.Calls[call].Frames
	return slices.ContainsFunc(r.head.Frames[frames[0]+1:frames[1]], func(f evm.Frame) bool {
		if f.Program == nil || f.Program.Contract == nil || len(f.Input) < 4 {
			return false
		}
		if _, err := f.Program.Contract.ABI.MethodById(f.Input[:4]); err != nil {
			return false
		}
		at := slices.IndexFunc(r.Base.World.Instances, func(in evm.Instance) bool {
			return in.Contract != nil && in.Contract.QualifiedName() == f.Program.Contract.QualifiedName()
		})
		if at < 0 {
			return false
		}
		_, err := r.Base.World.Instances[at].Contract.ABI.MethodById(f.Input[:4])
		return err != nil
	})
}

// hasEffect reports whether a call of the head changes storage, moves ether or returns something but zeros, which
// is how functions refuse that do not revert.
func (r *ran) hasEffect(call int) bool {
	if r.first.Call == call && len(r.first.Changes) > 0 {
		return true
	}
	frames := r.head.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if f := &r.head.Frames[i]; f.Outcome == evm.Success && !f.Value.IsZero() && f.Kind != evm.KindDelegateCall && f.Kind != evm.KindCallCode {
			return true
		}
	}
	return len(bytes.Trim(r.head.Calls[call].Output, "\x00")) > 0
}

// checkAt is the check of the base by which a frame ended, with the function that it is in and its place; nil where none in the
// source is known.
func (g *guards) checkAt(end *evm.Frame, functions *diffmap.Counterparts) (*check, diffmap.Definition, bytecode.Position) {
	places := []bytecode.Location{oracle.HaltOf(end)}
	if end.Decided {
		places = append(places, bytecode.Location{Code: end.Program.ID, PC: end.Decision}) // where the branch is shared, too
	}
	for _, place := range places {
		in, ok := g.Base.Positions.DefinitionAt(place)
		at, known := g.Base.Positions.RangeAt(place)
		if !ok || !known {
			continue
		}
		for _, c := range checksIn(in, functions.BaseText(rangeOf(in))) {
			if at.Source == c.Source && c.Start <= at.Start && at.Start < c.End {
				position, _ := g.Base.Positions.At(place)
				return &c, in, position
			}
		}
	}
	return nil, diffmap.Definition{}, bytecode.Position{}
}

// reasonOf is what a check says, without values that change from input to input.
func reasonOf(c *evm.CallResult, by *check) string {
	switch {
	case bytes.HasPrefix(c.Output, evm.ErrorSelector[:]):
		return fmt.Sprintf("%q", c.Reason())
	case by.reason != "":
		return by.reason
	case len(c.Output) == 0 && len(by.condition) > 0:
		return "the check of " + strings.Join(by.condition, " ")
	case len(c.Output) == 0:
		return "a check without a reason"
	}
	name, _, _ := strings.Cut(c.Reason(), "(")
	return cmp.Or(name, hex.EncodeToString(c.Output[:len(evm.ErrorSelector)]))
}

// movedTo reports whether a function that runs on the head has a check, which it had not on the base, that this one may have
// become.
func (c *check) movedTo(functions *diffmap.Counterparts, heads []diffmap.Definition) bool {
	return slices.ContainsFunc(heads, func(in diffmap.Definition) bool {
		var before []check
		if was, ok := functions.Function(in); ok {
			before = checksIn(was, functions.BaseText(rangeOf(was)))
		}
		return slices.ContainsFunc(checksIn(in, functions.HeadText(rangeOf(in))), func(h check) bool {
			known := slices.ContainsFunc(before, func(b check) bool { return slices.Equal(b.words, h.words) })
			return !known && c.alike(&h) > 0
		})
	})
}

// ran reports whether a call executed a check's condition.
func (c *check) ran(b *deploy.Build, exec *evm.Execution, call int) bool {
	for _, block := range exec.Covered {
		p := b.Table.Program(block.Code)
		if block.Call != call || p == nil {
			continue
		}
		pc := lastOf(p, block.Block)
		if vm.OpCode(p.Bytes[pc]) != vm.JUMPI {
			continue
		}
		if at, ok := b.Positions.RangeAt(bytecode.Location{Code: block.Code, PC: pc}); ok && at.Source == c.Source && c.Start <= at.Start && at.Start < c.End {
			return true
		}
	}
	return false
}

// succeeds is the variable that a check wants to be true; empty: it asks for something else.
func (c *check) succeeds() string {
	words := slices.DeleteFunc(slices.Clone(c.condition), func(w string) bool { return w == "!" })
	if len(words) != 1 || literal(words[0]) {
		return ""
	}
	return words[0]
}

// refusedByCallee reports whether the last call that a frame made failed.
func refusedByCallee(exec *evm.Execution, f *evm.Frame) bool {
	failed := false
	for i := range exec.Frames {
		if inner := &exec.Frames[i]; inner.Parent >= 0 && &exec.Frames[inner.Parent] == f {
			failed = inner.Outcome != evm.Success
		}
	}
	return failed
}

// boundsAmount reports whether what decided that a frame ended is that an amount is too small or too large.
func boundsAmount(end *evm.Frame) bool {
	for _, c := range slices.Backward(end.Comparisons) {
		if c.PC == end.Decision {
			switch vm.OpCode(c.Op) {
			case vm.LT, vm.GT, vm.SLT, vm.SGT:
				return true
			}
			return false
		}
	}
	return false
}

// showGuard describes what a sequence shows whose last call meets a check no more.
func (r *ran) showGuard(lost *lostGuard) *shown {
	n := r.last()
	effect := "returns something"
	if d := r.first; len(d.Changes) > 0 {
		effect = "changes " + strings.Join(d.Changes[:min(len(d.Changes), maxPlaces)], ", ")
	} else if frames := r.head.Calls[n].Frames; frames[1]-frames[0] > 0 && len(bytes.Trim(r.head.Calls[n].Output, "\x00")) == 0 {
		effect = "moves ether"
	}
	now := "the head has no such check"
	switch {
	case lost.there && lost.ran:
		now = "the head makes this check as well, and it refuses nothing here"
	case lost.there:
		now = "the head still has this check, but this call no longer comes to it"
	}
	return &shown{
		contract: lost.contract, at: r.guardPlace(lost, n), severity: r.guardSeverity(n),
		message: fmt.Sprintf("%s succeeds for anyone and %s; base: %s at %s; %s", shortSignature(bytecode.ShortName(lost.contract), lost.function.Signature), effect, lost.reason, lost.at, now),
	}
}

// guardPlace is where the call runs changed code of the head: in the function that had the check, else in the one
// that is called, else anywhere; there, where something was deleted comes first. Where the call runs none, it is where that function begins.
func (r *ran) guardPlace(lost *lostGuard, call int) bytecode.Location {
	changed := r.entered(r.head, call)
	slices.SortStableFunc(changed, func(a, b bytecode.Location) int {
		switch {
		case r.deletions[a] == r.deletions[b]:
			return 0
		case r.deletions[a]:
			return -1
		}
		return 1
	})
	for _, in := range []func(bytecode.Location) bool{
		func(at bytecode.Location) bool {
			d, ok := r.Head.Positions.DefinitionAt(at)
			return ok && d == lost.checked
		},
		func(at bytecode.Location) bool {
			name, ok := r.Head.Positions.FunctionAt(at)
			return ok && name == lost.function.Name
		},
		func(bytecode.Location) bool { return true },
	} {
		if i := slices.IndexFunc(changed, in); i >= 0 {
			return changed[i]
		}
	}
	for _, at := range fuzzer.Entered(r.Head.Table, r.head) {
		if name, ok := r.Head.Positions.FunctionAt(at); ok && name == lost.function.Name {
			return at
		}
	}
	frames := r.head.Calls[call].Frames
	if p := r.head.Frames[frames[0]].Program; p != nil {
		return bytecode.Location{Code: p.ID}
	}
	return bytecode.Location{}
}

// guardSeverity is high where the call changes a permission that is not the outsider's own to give.
func (r *ran) guardSeverity(call int) oracle.Severity {
	outsider := r.Head.Space.Senders[r.Head.Space.Outsider()].Address
	head, _ := r.writes(call)
	for i := range head {
		w := &head[i]
		about := r.deciding[word{w.address, w.access.Base}]
		if w.before == w.after || about != aPermission && about != anUpgrade {
			continue
		}
		keys := &w.access.Keys
		if keys.Count > 0 && w.after.IsZero() || keys.Count > 1 && w.after.Lt(&w.before) {
			continue // taken away, or used up
		}
		if keys.Count == 0 || keys.Words[keys.Count-1].Bytes20() != outsider { // the outermost key is whose it is
			return oracle.High
		}
	}
	return oracle.Medium
}

// refusal is the check by which the base refuses the last call of a finding.
type refusal struct {
	contract string // whose function is called, qualified
	function *input.Function
	check    diffmap.Range
	kept     bool // the head has the function that checked, and the check in it
}

// withoutSpokenFor leaves out lost checks of which another finding says what comes of it, and all but one of those that a
// function lost which many others call: of each thing, there is one finding. The one that says most comes first:
// of a function that was for others, that anyone gains by it (takes), else that anyone may call it, else that an account loses. Of attacks, it is the one without calls that
// another one does without.
func (p *pair) withoutSpokenFor(findings []*fuzzer.Finding, takes map[*fuzzer.Finding]bool) []*fuzzer.Finding {
	findings = slices.DeleteFunc(slices.Clone(findings), func(f *fuzzer.Finding) bool {
		return slices.ContainsFunc(findings, func(other *fuzzer.Finding) bool {
			if takes[f] && takes[other] && p.goesFurther(f, other) {
				return true
			}
			return SameFunction(f, other) &&
				(f.Oracle == oracle.PermissionWidened && takes[other] || other.Oracle == oracle.PermissionWidened && f.Oracle == oracle.ThirdPartyLoss && !takes[f])
		})
	})
	g := p.newGuards()
	var spoken []refusal
	var list, lost []*fuzzer.Finding
	for _, f := range findings {
		if f.Oracle == oracle.GuardLost {
			lost = append(lost, f)
			continue
		}
		list = append(list, f)
		if found, ok := g.refusalOf(p, f.Sequence); ok {
			spoken = append(spoken, found)
		}
	}
	slices.SortStableFunc(lost, func(a, b *fuzzer.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	for _, f := range lost {
		found, ok := g.refusalOf(p, f.Sequence)
		if !ok || slices.ContainsFunc(spoken, found.same) {
			continue
		}
		spoken = append(spoken, found)
		list = append(list, f)
	}
	return list
}

// goesFurther reports whether an attack makes all calls that another one makes, by their functions, and others as well: what it takes may be what it has paid in for that.
func (p *pair) goesFurther(f, other *fuzzer.Finding) bool {
	more, fewer := p.calledBy(f.Sequence), p.calledBy(other.Sequence)
	for c := range fewer {
		if !more[c] {
			return false
		}
	}
	return len(more) > len(fewer)
}

// calledBy are the functions that the outsider calls, or his contract.
func (p *pair) calledBy(seq input.Sequence) map[input.Callable]bool {
	called := map[input.Callable]bool{}
	for i := range seq {
		if p.Head.Space.IsOutsider(seq[i].Sender) {
			called[callableOf(&seq[i])] = true
		}
	}
	return called
}

// SameFunction reports whether the last calls of two findings are of one function.
func SameFunction(a, b *fuzzer.Finding) bool {
	m, n := len(a.Sequence), len(b.Sequence)
	return m > 0 && n > 0 && callableOf(&a.Sequence[m-1]) == callableOf(&b.Sequence[n-1])
}

// same reports whether two refusals are lost by the same change: calls of one function, which contracts may inherit, or of several that
// called the one which lost the check.
func (a refusal) same(b refusal) bool {
	return a.contract == b.contract && a.function == b.function ||
		a.check == b.check && a.check.End > 0 && (!a.kept && !b.kept || a.function.Signature == b.function.Signature)
}

// refusalOf is by which check the base refuses a sequence's last call, if the head does not.
func (g *guards) refusalOf(p *pair, seq input.Sequence) (refusal, bool) {
	r := p.ran(seq)
	if r == nil || r.first == nil || r.first.Call != r.last() || r.first.Kind != Succeeds {
		return refusal{}, false
	}
	call := &seq[r.first.Call]
	found := refusal{contract: p.Head.Space.Instances[call.Instance].Contract.QualifiedName(), function: call.Function}
	end := refusedIn(r.base, r.first.Call)
	if end == nil || end.Program.Contract == nil {
		return found, true
	}
	functions := p.versions.counterpartsOf(end.Program.Contract.QualifiedName())
	if functions == nil {
		return found, true
	}
	c, in, _ := g.checkAt(end, functions)
	if c == nil {
		return found, true
	}
	found.check = c.Range
	if became, ok := functions.Became(in); ok {
		_, is := c.counterpart(checksIn(in, functions.BaseText(rangeOf(in))), checksIn(became, functions.HeadText(rangeOf(became))))
		found.kept = is == unchanged
	}
	return found, true
}
