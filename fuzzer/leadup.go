package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file gets through a branch with the help of calls before it: of the variables that a call reads, each gets a call that
// writes it, those are led to the elements that the call reads (see [step.substituteKeys]), and then the formulas of all of them
// together say which numbers it takes. A fee has to be set, tokens to be minted and enough of them to be sent, and none of the three
// shows anything on its own. Mutants of sequences have to guess all numbers at once, and plans know of one variable.

// Bounds of leading up to branches. All arbitrary.
const (
	maxLeadUps     = 16 // attempts at one side, by a worker
	maxHelpers     = 3  // calls that one attempt puts there
	maxWritersKept = 8  // of one variable
	maxKeyRounds   = 4  // rounds of leading them to the elements that are read
	maxReturns     = 4  // times that the call is brought back to the path
)

// writersKnown are sequences whose last calls write a variable, each function's first.
type writersKnown map[slotKey][]input.Sequence

// add notes a sequence whose last call succeeded.
func (k writersKnown) add(seq input.Sequence, writes []slotKey) {
	for _, key := range writes {
		known := k[key]
		if len(known) < maxWritersKept && !slices.ContainsFunc(known, func(other input.Sequence) bool { return lastOf(other) == lastOf(seq) }) {
			k[key] = append(known, seq)
		}
	}
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
		w.writers.add(seq, d.writes)
	}
}

// leadUp tries to get through branches of the base's last call with calls before it that write what it reads. It reports whether a
// run took one of the sides: that is the next base.
func (p *pathfinder) leadUp(targets []int) bool {
	if p.without.Sequences || p.without.RawOrder || input.IsTest(p.base.sequence) || len(targets) == 0 {
		return false
	}
	base := p.base
	var reads []slotKey
	for _, target := range targets {
		b := &base.branches[target]
		if p.leadUps[sideOf(b)] >= maxLeadUps || b.Frame != 0 || p.tracker.decided(b.Code, &b.Comparison) {
			continue
		}
		if reads == nil {
			exec, ok := p.run(p.ctx, base.sequence, p.b)
			if !ok {
				p.ended = true
				return false
			}
			if reads = p.written(footprint(exec).reads); len(reads) == 0 {
				return false
			}
		}
		p.leadUps[sideOf(b)]++
		if p.leadUpTo(base, target, reads) {
			return true
		}
		if p.ended {
			return false
		}
	}
	p.rebase(base)
	return false
}

// written leaves of some variables those that calls are known to write.
func (p *pathfinder) written(keys []slotKey) []slotKey {
	return slices.DeleteFunc(keys, func(key slotKey) bool { return len(p.writers[key]) == 0 })
}

// leadUpTo tries it once, with a call for each of some variables.
func (p *pathfinder) leadUpTo(base *point, target int, reads []slotKey) bool {
	way := base.branches[:target+1]
	there := p.withHelpers(base.sequence, reads)
	if there == nil {
		return false
	}
	p.rebase(there)
	goal := sideOf(&way[target])
	for range maxReturns {
		if p.takes(goal) {
			return true
		}
		_, at := input.TurnOff(way, p.last)
		if at < 0 || p.last[at].Frame != 0 {
			return false
		}
		next := p.satisfy(at, firstTrials)
		if next == nil {
			return false
		}
		p.rebase(next)
	}
	return p.takes(goal)
}

// takes reports whether the base's last call took a side.
func (p *pathfinder) takes(side branchSide) bool {
	return slices.ContainsFunc(p.last, func(b input.Branch) bool { return b.Code == side.code && b.PC == side.pc && b.Taken == side.taken })
}

// withHelpers runs a sequence with calls before its last one that write some variables, drawn from those known, and leads them to the
// elements that it reads. Nil where there is no room, or the task is over.
func (p *pathfinder) withHelpers(seq input.Sequence, reads []slotKey) *point {
	last := len(seq) - 1
	order := p.rand.Perm(len(reads))
	helped := seq[:last:last]
	helpers := 0
	for _, i := range order {
		known := p.writers[reads[i]]
		writer := known[p.rand.IntN(len(known))]
		if slices.ContainsFunc(helped[last:], func(c input.Call) bool {
			return (input.Callable{Instance: c.Instance, Function: c.Function}) == lastOf(writer)
		}) {
			continue
		}
		if len(helped)+len(writer)+1 > p.maxSeqLen {
			writer = writer[len(writer)-1:]
		}
		if len(helped)+len(writer)+1 > p.maxSeqLen {
			break
		}
		helped = append(helped, writer...)
		if helpers++; helpers == maxHelpers {
			break
		}
	}
	if helpers == 0 {
		return nil
	}
	helped = append(helped, seq[last])
	clear(p.leadHashes.hashes)
	for round := 0; ; round++ {
		exec, _, ok := p.try(p.ctx, helped, p.b)
		if !ok {
			p.ended = true
			return nil
		}
		if round < maxKeyRounds {
			if leads := p.substitute(helped, exec); len(leads) > 0 {
				helped = leads[0].sequence
				continue
			}
		}
		there := p.point(helped, exec)
		p.read(there, exec)
		return there
	}
}

// onward gets through one branch after the other, with helpers where nothing else does.
func (p *pathfinder) onward() {
	for range maxSolved {
		p.solveOnward()
		if p.ended || !p.leadUp(p.undecided()) {
			return
		}
	}
}

// undecided lists the branches with an untaken side, the last first, whether numbers of the call move them or not.
func (p *pathfinder) undecided() (targets []int) {
	for i := len(p.last) - 1; i >= 0 && len(targets) < maxTargets; i-- {
		if b := &p.last[i]; !p.tracker.decided(b.Code, &b.Comparison) {
			targets = append(targets, i)
		}
	}
	return targets
}
