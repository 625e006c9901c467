package fuzzer

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file gets through a branch with the help of calls before it: of the variables that a call reads, each gets a call that
// writes it, those are led to the elements that the call reads (see [keySubstitution]), and then the formulas of all of them
// together say which numbers it takes. A fee has to be set, tokens to be minted and enough of them to be sent, and none of the three
// shows anything on its own. Mutants of sequences have to guess all numbers at once, and plans know of one variable.

// Bounds of leading up to branches. All arbitrary.
const (
	maxLeadUps     = 16 // attempts at one side, by a worker
	maxHelpers     = 3  // calls that one attempt puts there
	maxWritersKept = 8  // of one variable
	maxReturns     = 4  // times that the call is brought back to the path
	leadUpTrials   = firstTrials / 4
)

// writersKnown are sequences whose last calls write a variable, each function's first.
type writersKnown map[slotKey][]writerOf

// add notes a sequence whose last call writes a variable and succeeds.
func (k writersKnown) add(w writerOf) {
	known := k[w.key]
	if len(known) < maxWritersKept && !slices.ContainsFunc(known, func(other writerOf) bool { return other.calls.Last() == w.calls.Last() }) {
		k[w.key] = append(known, w)
	}
}

// writerOf is a sequence whose last call writes a variable.
type writerOf struct {
	key   slotKey
	calls input.Packed
	reads []slotKey // that call
}

// noteWriters notes what a task has shown of who writes what.
func (w *worker) noteWriters(b *batch) {
	for i := range b.discoveries {
		d := &b.discoveries[i]
		if !d.changes {
			continue
		}
		seq := d.short
		if seq == nil {
			seq = d.sequence
		}
		packed := input.Pack(seq, nil)
		for _, key := range d.writes {
			w.solving.writers.add(writerOf{key, packed, d.reads})
		}
	}
}

// leadUp tries to get through branches of the base's last call with calls before it that write what it reads; first of all through the
// check that it failed at, where the other side is not known in this context. It reports whether a run took one of the sides: that is
// the next base.
func (p *pathfinder) leadUp(targets []int) bool {
	if p.without.Helpers || p.without.Sequences || input.IsTest(p.base.sequence) {
		return false
	}
	h := helpers{pathfinder: p, base: p.base}
	var goals []passage
	if at := p.failedWithin(p.base); at >= 0 {
		d := p.base.formulas.Decisions()[at]
		goals = append(goals, passage{sideWithin(&d, !d.Taken), p.base.branches})
	}
	for _, target := range targets {
		goals = append(goals, passage{within{branchSide: p.tracker.sideOf(&p.base.branches[target])}, p.base.branches[:target+1]})
	}
	for _, g := range goals {
		if !h.mayTry(g.side) {
			continue
		}
		if there := h.withHelpers(g.side); there != nil && h.throughSome(there, goals) {
			return true
		}
		if p.ended {
			return false
		}
		if b := &g.way[len(g.way)-1]; g.side.context == 0 && p.tracker.isAhead(b) && len(h.wantedFor(g.side)) > 0 {
			p.noteMovable(g.side.branchSide) // so that it is tried again: others may help, or be known then
		}
	}
	if len(goals) > 0 && goals[0].side.context != 0 {
		p.strand(h.base, goals[0].side)
	}
	p.rebase(h.base)
	return false
}

// passage is a side, and the branches of a run up to it.
type passage struct {
	side within
	way  []input.Branch
}

// stranded is a run that failed at a check, whose other side is not known in this context: who can help may not be known yet.
type stranded struct {
	sequence input.Sequence
	side     within
}

// maxStranded bounds the runs that are kept. Arbitrary.
const maxStranded = 64

// strand keeps a run for later.
func (p *pathfinder) strand(base *point, side within) {
	if len(p.stranded) < maxStranded && !slices.ContainsFunc(p.stranded, func(s stranded) bool { return s.side == side }) {
		p.stranded = append(p.stranded, stranded{base.sequence.Clone(), side})
	}
}

// retryStranded takes up the stranded run that has waited for longest. It returns where that got through to; nil: nowhere.
func (w *worker) retryStranded(ctx context.Context, b *batch) *pathfinder {
	w.solving.stranded = slices.DeleteFunc(w.solving.stranded, func(s stranded) bool {
		return w.solving.contexts[s.side] == taken || w.solving.leadUps[s.side] >= maxLeadUps
	})
	if len(w.solving.stranded) == 0 || !w.affords(w.solving.stranded[0].sequence, b) {
		return nil
	}
	next := w.solving.stranded[0]
	w.solving.stranded = append(w.solving.stranded[1:], next)
	exec, ok := w.run(ctx, next.sequence, b)
	if !ok {
		return nil
	}
	p := w.newPathfinder(ctx, b)
	p.rebase(p.point(next.sequence, exec))
	p.read(p.base, exec)
	h := helpers{pathfinder: p, base: p.base}
	if !h.mayTry(next.side) {
		return nil
	}
	if there := h.withHelpers(next.side); there != nil && h.through(there, passage{next.side, h.base.branches}) {
		return p
	}
	return nil
}

// helpers lead up to branches of one run.
type helpers struct {
	*pathfinder
	base  *point
	reads []slotKey // that calls are known to write; nil: not looked for
}

// mayTry counts an attempt at a side; false where there were enough, or no call can help.
func (h *helpers) mayTry(side within) bool {
	if h.ended || h.leadUps[side] >= maxLeadUps {
		return false
	}
	if h.reads == nil {
		exec, ok := h.run(h.ctx, h.base.sequence, h.b)
		if !ok {
			h.ended = true
			return false
		}
		h.reads = []slotKey{}
		for _, key := range footprint(exec).reads {
			if len(h.writers[key]) > 0 {
				h.reads = append(h.reads, key)
			}
		}
	}
	if len(h.reads) == 0 {
		return false
	}
	h.leadUps[side]++
	return true
}

// throughSome tries one goal after the other. It reports whether a run took a side, and passes on from there: that is the next base.
func (h *helpers) throughSome(there *point, goals []passage) bool {
	for _, g := range goals {
		if !h.through(there, g) {
			continue
		}
		next := h.pathfinder.base
		h.rebase(h.base)
		if h.leadsOn(next) {
			h.rebase(next)
			return true
		}
	}
	return false
}

// through tries to get through to a goal from a run with helpers. It reports whether a run takes the side: that is the next base.
func (h *helpers) through(there *point, g passage) bool {
	if h.ended {
		return false
	}
	h.rebase(there)
	if h.callAsWanted(); h.ended {
		return false
	}
	side, way := g.side, slices.Clone(g.way)
	for i := range way {
		way[i].Call = len(there.sequence) - 1
	}
	for range maxReturns {
		at, taken := h.decisionOf(side)
		switch {
		case taken:
			return true
		case at < 0: // back to the path
			_, left := input.TurnOff(way, h.last)
			if left < 0 {
				return false
			}
			if at, _ = h.decisionOf(within{branchSide: h.tracker.sideOf(&h.last[left])}); at < 0 {
				return false
			}
		}
		d := h.pathfinder.base.formulas.Decisions()[at]
		if !d.Fed && slices.ContainsFunc(way, func(b input.Branch) bool { return b.Code == d.Code && b.PC == d.PC && b.Taken == d.Taken && h.sees(&b) }) {
			return h.matchEarlier(side) // no call has helped
		}
		next, outcome := h.satisfyAt(at, leadUpTrials)
		if outcome.Turns && d.Code == side.code && d.PC == side.pc {
			h.noteMovable(side.branchSide)
		}
		if next == nil {
			return h.matchEarlier(side)
		}
		h.rebase(next)
	}
	_, taken := h.decisionOf(side)
	return taken
}

// matchEarlier takes a side by what an earlier call left in the state: the argument that did becomes the hash that it is compared with, as a
// commitment has to be (see [earlier]). It reports whether a run takes the side: that is the next base.
func (h *helpers) matchEarlier(side within) bool {
	sequence := h.pathfinder.base.sequence
	if !slices.ContainsFunc(h.last, func(b input.Branch) bool {
		return (b.Left.BitLen() > hashBits || b.Right.BitLen() > hashBits) && side.isLeft(b.Code, &b.Comparison)
	}) {
		return false
	}
	exec, ok := h.run(h.ctx, sequence, h.b)
	if !ok {
		h.ended = true
		return false
	}
	for _, proposal := range h.proposer.ProposeEarlier(nil, sequence, exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && side.isLeft(f.Program.ID, c)
	}) {
		seq, ok := h.space.With(sequence, proposal.Word, &proposal.Value)
		if !ok || h.tried.add(h.space, seq) {
			continue
		}
		exec, _, ok := h.try(h.ctx, seq, h.b)
		if !ok {
			h.ended = true
			return false
		}
		there := h.point(seq, exec)
		h.read(there, exec)
		h.rebase(there)
		if _, taken := h.decisionOf(side); taken {
			return true
		}
	}
	return false
}

// sees reports whether the base comes to a jump with the same operands.
func (p *pathfinder) sees(b *input.Branch) bool {
	return slices.ContainsFunc(p.last, func(own input.Branch) bool {
		return own.Code == b.Code && own.PC == b.PC && own.Left == b.Left && own.Right == b.Right
	})
}

// withHelpers runs the base with helpers before its last call, and leads them to the elements that it reads. Nil where the sequence has
// no room for them, or the task is over.
func (h *helpers) withHelpers(side within) *point {
	helped := h.compose(side)
	if helped == nil {
		return nil
	}
	h.tried.forget()
	led := map[int]bool{} // to an element that is read; it may be of one only
	for {
		exec, _, ok := h.try(h.ctx, helped, h.b)
		if !ok {
			h.ended = true
			return nil
		}
		h.step.begin(nil, lead{sequence: helped, joined: true}, exec, false, maxSubstitutions)
		leads := h.keySubstitution.toward(h.step, len(helped)-1)
		at := slices.IndexFunc(leads, func(l lead) bool { return l.agreed || l.substituted != nil && !led[l.substituted.call] })
		if at < 0 {
			there := h.point(helped, exec)
			h.read(there, exec)
			return there
		}
		if sub := leads[at].substituted; sub != nil {
			led[sub.call] = true
		}
		helped = leads[at].sequence
	}
}
