package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// drawn are attacks that are made of what campaigns have seen calls do, at random, where all that is worth trying in order has been tried: what
// takes several calls of several accounts, some time and the right number is many steps away from what comes first.
type drawn struct {
	counts    func(input.Callable) bool // attacks on it are looked at; nil: none are
	counting  []input.Callable          // that have deeds, and count
	paying    []input.Callable          // that have deeds, and were seen to pay
	altering  []input.Callable          // that have deeds, and were seen to run a target
	isTarget  func(*evm.Frame) bool     // reports whether a frame runs one
	functions []input.Callable          // that have deeds
	deeds     map[input.Callable][]deed
	short     []shortfall            // after which a contract could not pay
	alone     bool                   // no target is left: what remains of the campaign is for this
	next      int                    // the number of calls after which one is drawn
	newest    int                    // the run in which a function was seen to have an effect that it did not have before
	senders   map[input.Callable]int // the only sender for whom a function was seen to have an effect; −1: there are several
	amounts   amounts
	producers producers
	walks     walks
	left      int // targets that were left when a task began
	fewer     int // the run in which there were fewer than before
	turn      int // attacks are walked in every other one
}

// newDrawn draws attacks on functions that count, for which frames are of interest that run targets.
func newDrawn(counts func(input.Callable) bool, isTarget func(*evm.Frame) bool) drawn {
	return drawn{counts: counts, isTarget: isTarget, deeds: map[input.Callable][]deed{}, senders: map[input.Callable]int{}, amounts: amounts{},
		producers: producers{}, walks: walks{ways: map[wayOn]int{}}}
}

// Shares of calls that are of attacks that are drawn: one in so many while targets are left, when none is, and when nothing new was seen for long. Where the change only alters
// contracts, none are drawn as long as targets are reached every now and then. Arbitrary: what looks for targets is not to be held up, and when all are reached, the mutants of seeds have
// broken what they easily break.
const (
	drawShare      = 40
	drawShareAlone = 20
	drawShareStale = 8
)

// walkShareAlone: so many calls of others are made for each that a walk makes, when no target is left. Arbitrary: those before it were run just before, so that it takes little time.
const walkShareAlone = 6

// namingShare: one attack of so many that are drawn and not of a shortfall names someone else. Arbitrary.
const namingShare = 4

// manyDeeds are drawn at most until one needs others and names an account. Arbitrary.
const manyDeeds = 6

// stale is for how many executions functions have shown no further effects, or no target was reached, so that looking for more is worth less. Arbitrary: some seconds.
const stale = 20_000

// draw draws an attack, if it is time for one. Turns in which there was none are over.
func (a *attacks) draw() []input.Sequence {
	a.made = a.runs / attackShare
	d := &a.drawn
	if seq, ok := a.walk(); ok {
		return []input.Sequence{seq}
	}
	if d.walks.made > 0 {
		share := drawShare
		if d.alone {
			share = walkShareAlone
		}
		d.next, d.walks.made = a.calls+share*d.walks.made/wholeRun, 0
	}
	if len(d.counting) == 0 || a.calls < d.next || !a.audit && !d.alone && a.runs-d.fewer < stale {
		return nil
	}
	if d.turn++; d.turn%2 == 0 {
		seq, ok := a.setOut()
		if !ok {
			return nil
		}
		return []input.Sequence{seq}
	}
	seq, ok := a.stage()
	if !ok {
		d.next = a.calls + 1
		return nil
	}
	d.next = a.calls + d.share(a)*len(seq)
	return []input.Sequence{seq}
}

// see takes notice of how many targets are left, in some run.
func (d *drawn) see(left, run int) {
	if d.left != left {
		d.left, d.fewer = left, run
	}
	d.alone = left == 0
}

// share is one in how many calls is of attacks that are drawn.
func (d *drawn) share(a *attacks) int {
	switch {
	case d.alone && a.runs-d.newest > stale:
		return drawShareStale
	case d.alone:
		return drawShareAlone
	}
	return drawShare
}

// stage makes an attack of one or two deeds, one of which counts, or of what a contract could not pay; false: it is none.
func (a *attacks) stage() (input.Sequence, bool) {
	d := &a.drawn
	isOnly := func(c *input.Call) bool {
		only, known := d.senders[input.Callable{Instance: c.Instance, Function: c.Function}]
		return known && only >= 0
	}
	if n := len(d.short); n > 0 && a.rand.IntN(shortfallShare) == 0 {
		one := d.short[a.rand.IntN(n)]
		return a.mutator.StagedShort(a.rand, one.sequence, one.paysIn, one.gifts, isOnly, d.amounts.has)
	}
	if a.rand.IntN(namingShare) == 0 {
		return a.stageNaming(isOnly)
	}
	one := d.of(a, d.counting)
	deeds, gifts := []input.Sequence{one.sequence}, one.gifts
	switch a.rand.IntN(4) {
	case 0: // alone
	case 1:
		deeds = append(deeds, d.of(a, d.functions).sequence)
	case 2:
		if len(d.paying) > 0 {
			deeds = append(deeds, d.of(a, d.paying).sequence)
		}
	default:
		before := d.of(a, d.functions)
		deeds, gifts = []input.Sequence{before.sequence, one.sequence}, slices.Concat(before.gifts, gifts)
	}
	return a.mutator.Staged(a.rand, deeds, gifts, isOnly, d.amounts.has)
}

// stageNaming makes an attack of what another account does, and one or two calls of the attackers, the first of which counts and names that account. In half of the cases the
// account does what the first of these calls needs.
func (a *attacks) stageNaming(isOnly func(*input.Call) bool) (input.Sequence, bool) {
	d := &a.drawn
	first := d.of(a, d.counting)
	for i := 1; i < manyDeeds && (len(first.sequence) == 1 || !first.sequence[len(first.sequence)-1].Names()); i++ {
		first = d.of(a, d.counting)
	}
	one := first.sequence
	deeds := []input.Sequence{one}
	last := len(one) - 1
	theirs, sender := one[:last], one[last].Sender
	if last == 0 || a.rand.IntN(2) == 0 {
		theirs = d.of(a, d.functions).sequence
		sender = theirs[len(theirs)-1].Sender
	}
	switch a.rand.IntN(3) {
	case 0: // alone
	case 1:
		deeds = append(deeds, d.of(a, d.functions).sequence)
	default:
		if len(d.paying) > 0 {
			deeds = append(deeds, d.of(a, d.paying).sequence)
		}
	}
	return a.mutator.StagedNaming(a.rand, theirs, sender, deeds, first.gifts, isOnly, d.amounts.has)
}
