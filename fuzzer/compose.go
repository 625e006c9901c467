package fuzzer

import (
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file draws the calls that lead up to a branch: the backward slice of its condition over storage, a call for each variable that it depends on, and
// before it one for a variable that this call depends on in turn. What is borrowed has to be deposited first.

// Bounds of what is drawn for one attempt. All arbitrary.
const (
	maxForHelpers = 2    // helpers of helpers
	maxDraws      = 8    // draws for an attempt that was not made yet
	maxComposed   = 4096 // attempts that a worker remembers
	deepShare     = 4    // one attempt in so many has no helpers of helpers
	ownShare      = 2    // one helper of a helper in so many is of the contract that is led up to, if it has one
	againShare    = 2    // one attempt in so many may call the function that is led up to before
	anyOrderShare = 3    // one attempt in so many has them in any order
	blindShare    = 4    // one attempt in so many draws from all variables that are read alike
)

// compose puts calls that write what the base reads before its last one: first what the way to a side depends on. Nil where there is room for none.
func (h *helpers) compose(side within) input.Sequence {
	wanted := h.wantedFor(side)
	if h.rand.IntN(blindShare) == 0 {
		wanted = nil
	}
	c := h.drawHelpers(wanted)
	for n := 1; n < maxDraws && h.composed[attempt{side, c.key()}]; n++ {
		c = h.drawHelpers(wanted)
	}
	if len(h.composed) < maxComposed {
		h.composed[attempt{side, c.key()}] = true
	}
	n := len(h.base.sequence) - 1
	calls := slices.Clip(h.base.sequence[:n])
	for _, w := range c.inTurn() {
		more := w.calls.Unpack()
		if len(calls)+len(more)+1 > h.maxSeqLen {
			more = more[len(more)-1:]
		}
		if len(calls)+len(more)+1 > h.maxSeqLen {
			break
		}
		calls = append(calls, more...)
	}
	if len(calls) == n {
		return nil
	}
	return append(calls, h.base.sequence[n])
}

// attempt is helpers for a side.
type attempt struct {
	side    within
	helpers uint64
}

// wantedFor are the variables that the base's way to a side depends on, and that calls are known to write.
func (h *helpers) wantedFor(side within) (wanted []slotKey) {
	at, _ := h.base.decisionOf(side)
	if at < 0 {
		return nil
	}
	for _, v := range h.base.formulas.Reads(at) {
		if key := keyOfVariable(&v.Address, &v.Base); slices.Contains(h.reads, key) {
			wanted = append(wanted, key)
		}
	}
	return wanted
}

// helper is a writer of what the base's last call reads, with a writer of what it reads itself; nil: without.
type helper struct {
	*writerOf
	before *writerOf
}

// composition are the helpers of one attempt.
type composition struct {
	helpers []helper
	asDrawn bool // in the order in which they were drawn
}

// drawHelpers draws writers of variables that the base reads, of those that are wanted first.
func (h *helpers) drawHelpers(wanted []slotKey) (c composition) {
	c.asDrawn = h.rand.IntN(anyOrderShare) == 0
	deep, deeper := h.rand.IntN(deepShare) > 0, 0
	var first, others []slotKey
	for _, i := range h.rand.Perm(len(h.reads)) {
		if key := h.reads[i]; slices.Contains(wanted, key) {
			first = append(first, key)
		} else {
			others = append(others, key)
		}
	}
	base, again := lastOf(h.base.sequence), h.rand.IntN(againShare) == 0
	for _, key := range append(first, others...) {
		writer := h.drawWriter(key, func(w *writerOf) bool { return (again || w.calls.Last() != base) && !c.has(w) })
		if writer == nil {
			continue
		}
		next := helper{writerOf: writer}
		if deep && deeper < maxForHelpers {
			if next.before = h.drawFor(writer); next.before != nil {
				deeper++
			}
		}
		if c.helpers = append(c.helpers, next); len(c.helpers) == maxHelpers {
			break
		}
	}
	return c
}

// drawWriter draws one of the known writers of a variable that may be drawn; nil: none may. What a sequence deploys helps what it deploys.
func (h *helpers) drawWriter(key slotKey, may func(*writerOf) bool) *writerOf {
	var list []*writerOf
	isFresh := func(c input.Callable) bool { return h.space.Instances[c.Instance].Fresh }
	for i := range h.writers[key] {
		if w := &h.writers[key][i]; may(w) && (!isFresh(w.calls.Last()) || isFresh(lastOf(h.base.sequence))) {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[h.rand.IntN(len(list))]
}

// drawFor draws a writer of a variable that a helper reads, and the base does not.
func (h *helpers) drawFor(writer *writerOf) *writerOf {
	var keys []slotKey
	for _, key := range writer.reads {
		if len(h.writers[key]) > 0 && !slices.Contains(h.reads, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	key := keys[h.rand.IntN(len(keys))]
	another := func(w *writerOf) bool { return w.calls.Last() != writer.calls.Last() }
	if h.rand.IntN(ownShare) == 0 {
		at := lastOf(h.base.sequence).Instance
		if w := h.drawWriter(key, func(w *writerOf) bool { return another(w) && w.calls.Last().Instance == at }); w != nil {
			return w
		}
	}
	return h.drawWriter(key, another)
}

func (c composition) has(w *writerOf) bool {
	return slices.ContainsFunc(c.helpers, func(there helper) bool { return there.calls.Last() == w.calls.Last() })
}

// inTurn are the writers in the order in which they are to be called: who reads what another one writes comes later, unless that holds the other way
// around as well, or they come as they were drawn: a price falls once something was borrowed at the old one.
func (c composition) inTurn() (list []*writerOf) {
	after := func(a, b helper) bool {
		return !c.asDrawn && slices.Contains(a.reads, b.key) && !slices.Contains(b.reads, a.key)
	}
	ordered := slices.Clone(c.helpers)
	for i := range ordered { // each is put before the first one that needs it
		for j := range i {
			if after(ordered[j], ordered[i]) {
				moved := ordered[i]
				copy(ordered[j+1:i+1], ordered[j:i])
				ordered[j] = moved
				break
			}
		}
	}
	for _, w := range ordered {
		if w.before != nil {
			list = append(list, w.before)
		}
		list = append(list, w.writerOf)
	}
	return list
}

// key stands for the functions of a composition, in turn.
func (c composition) key() uint64 {
	sum := fnv.New64a()
	for _, w := range c.inTurn() {
		last := w.calls.Last()
		sum.Write([]byte(strconv.Itoa(last.Instance) + last.Function.Signature + ";")) // never fails
	}
	return sum.Sum64()
}
