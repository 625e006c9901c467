package fuzzer

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of what is kept of functions that fail. Arbitrary: few functions of a contract read one mapping.
const (
	maxReaders = 16 // of one variable
	maxFailing = 256
)

// precursors are functions by what their calls have read that failed.
type precursors struct {
	failing   []input.Callable // all of them
	readers   map[slotKey][]input.Callable
	succeeded map[input.Callable]bool // and changed the state
	// wanted are those that plans wait for. It is replaced and never changed: workers read it.
	wanted map[input.Callable]bool
	stale  bool // readers, those that succeeded, or plans have changed since
}

func newPrecursors() precursors {
	return precursors{readers: map[slotKey][]input.Callable{}, succeeded: map[input.Callable]bool{}}
}

// note files a seed under what its last call has read, if that failed.
func (p *precursors) note(seed *Seed) {
	if len(seed.Calls) == 0 {
		return
	}
	function := seed.Calls.Last()
	switch {
	case seed.Changes:
		p.stale = p.stale || !p.succeeded[function]
		p.succeeded[function] = true
	case !function.Function.View && !p.succeeded[function]:
		if len(p.failing) < maxFailing && !slices.Contains(p.failing, function) {
			p.failing = append(p.failing, function)
			p.stale = true
		}
		for _, key := range seed.reads {
			if known := p.readers[key]; len(known) < maxReaders && !slices.Contains(known, function) {
				p.readers[key] = append(known, function)
				p.stale = true
			}
		}
	}
}
