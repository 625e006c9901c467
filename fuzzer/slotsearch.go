package fuzzer

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxSlotSteps bounds the consecutive steps toward the marked slot: one suffices for an
// index, and a second where several elements share a slot. Arbitrary.
const maxSlotSteps = 4

// slotSearch is a stage: of two runs that differ in one word and write to different slots,
// it makes leads where the line through the slots meets the marked one.
type slotSearch struct {
	reported map[findingKey]bool // the worker's: what was written to already
	tried    map[narrowSearch]int
	writes   []slotWrite // scratch
}

func newSlotSearch(reported map[findingKey]bool) slotSearch {
	return slotSearch{reported: reported, tried: map[narrowSearch]int{}}
}

func (l *slotSearch) follow(s *step) {
	if !s.searchesSlots || !s.differs() || len(s.words) > 1 || s.steps >= maxSlotSteps || input.IsTest(s.sequence) {
		return
	}
	l.writes = appendWrites(l.writes[:0], s.exec)
	for i := range l.writes {
		b := &l.writes[i]
		a := findWrite(s.from.writes, b)
		if a == nil || l.reported[findingKey{oracle: oracle.ArbitraryWrite.ID, at: b.at}] || !slotMoved(a, b) {
			continue
		}
		p0, p1 := input.Point{Input: s.x0[0]}, input.Point{Input: s.x1[0]}
		p0.Difference.Sub(&a.slot, &oracle.MarkedSlot)
		p1.Difference.Sub(&b.slot, &oracle.MarkedSlot)
		var roots [8]uint256.Int
		for _, x := range input.Secant(roots[:0], p0, p1, new(uint256.Int)) {
			s.add(s.words, []uint256.Int{x}, s.point())
		}
		l.searchNarrow(s, a, b)
	}
}

// Bounds of the search with slot numbers that are narrower than a word. Arbitrary.
const (
	maxNarrowTries = 2  // of an instruction, width and variable
	maxNarrowSlots = 4  // variables whose slots are looked for, of a contract
	maxNarrowCalls = 16 // of a sequence that gets a call more
	maxNarrowLeads = 4  // of one run
)

// narrowSearch is what searchNarrow has looked for.
type narrowSearch struct {
	at              bytecode.Location
	width, variable int
}

// searchNarrow makes leads of the same two runs, for a word that is
// narrower than a slot's number: a call that writes to the marked slot of its width, then
// one that writes to a state variable, which the oracle asks for together. What the word
// cannot hold costs no run.
func (l *slotSearch) searchNarrow(s *step, a, b *slotWrite) {
	if !b.plain || len(s.sequence) >= maxNarrowCalls || s.words[0].Call != len(s.sequence)-1 {
		return
	}
	at := func(slot *uint256.Int, exact bool) (x uint256.Int, ok bool) {
		p0, p1 := input.Point{Input: s.x0[0]}, input.Point{Input: s.x1[0]}
		p0.Difference.Sub(&a.slot, slot)
		p1.Difference.Sub(&b.slot, slot)
		if p1.Difference.IsZero() {
			return s.x1[0], true
		}
		var roots [8]uint256.Int
		for _, x := range input.Secant(roots[:0], p0, p1, new(uint256.Int)) {
			if s.space.Fits(s.sequence, s.words[0], &x) && (!exact || onLine(&p0, &p1, &x)) {
				return x, true
			}
		}
		return x, false
	}
	found := 0
	for i := range min(len(b.in.Variables), maxNarrowSlots) {
		named, ok := at(&b.in.Variables[i].Slot, true)
		if !ok {
			continue
		}
		for width := 248; width > 0 && found < maxNarrowLeads; width -= 8 {
			search := narrowSearch{b.at, width, i}
			if l.tried[search] == maxNarrowTries {
				continue
			}
			marked, ok := at(oracle.MarkedOf(width), false)
			if !ok {
				continue
			}
			l.tried[search]++
			found++
			again := s.words[0]
			again.Call++
			kept := s.keep()
			twice := append(kept[:len(kept):len(kept)], kept[len(kept)-1])
			s.leads = append(s.leads, lead{sequence: twice, steps: maxSlotSteps,
				changes: []input.Proposal{{Word: s.words[0], Value: marked}, {Word: again, Value: named}}})
		}
	}
}

// onLine reports whether the line through two points meets zero at x exactly.
func onLine(p0, p1 *input.Point, x *uint256.Int) bool {
	var run, rise, left, right uint256.Int
	run.Sub(&p1.Input, &p0.Input)
	rise.Sub(&p1.Difference, &p0.Difference)
	left.Sub(x, &p1.Input)
	left.Mul(&left, &rise)
	right.Mul(&p1.Difference, &run)
	return left == *right.Neg(&right)
}

// slotMoved reports whether a write's slot moved as an index moves it. Slots of mapping
// elements are hashes, which are not on a line: they are recognized by their hash, and
// elements near the beginning of an array by a step that is not wider than an array
// (see [evm.StorageAccess.Base]).
func slotMoved(a, b *slotWrite) bool {
	const widest = 1 << 32
	var step uint256.Int
	step.Sub(&b.slot, &a.slot)
	step.Abs(&step)
	return !step.IsZero() && (a.plain || b.plain || step.LtUint64(widest))
}
