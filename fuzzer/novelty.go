package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// novelty says what is a new path: line 10 of Algorithm 1.
type novelty struct {
	pieces   pieces
	ids      []bytecode.PathID      // of the pieces of the latest execution
	together map[input.Callable]int // how often known pieces that were put together anew counted as a new path, by function
}

// maxTogether is how often known pieces of a function's calls that are put together anew count as a new path all the same: what they
// do one after the other may show only then. Of 40 campaigns of 20,000 calls, 7 missed reentrancy from one contract into another without
// it and 4 with it; 1 where everything put together anew is new, which makes three to six times as many paths in 400,000 calls of
// examples/vault.
const maxTogether = 256

// isNew reports whether an execution shows a path for the first time, or a known one that writes as none did before: that
// is as good, and another path from then on. A new path of known pieces is one for some time, and counted with others of the same
// function later.
func (w *worker) isNew(pid bytecode.PathID, seq input.Sequence, exec *evm.Execution) (bytecode.PathID, bool) {
	pieces, isNew := w.newPieces(exec), !w.tracker.pids.has(pid)
	if at := lastOf(seq); isNew && pieces == onlyKnown {
		if w.together[at] < maxTogether {
			w.together[at]++
		} else {
			pid, isNew = w.ids[0], false
		}
	}
	if isNew {
		w.tracker.isNew(pid)
	}
	way := uint64(0)
	if !input.IsTest(seq) {
		way = w.tracker.stores.add(exec, w.space.SentByInstance(seq))
	}
	if w.tracker.storesNew = way != 0; w.tracker.storesNew && !isNew {
		pid = pid.With(bytecode.PathID{}, way)
		isNew = w.tracker.isNew(pid)
	}
	return pid, isNew
}

// pieceNews says whether an execution has new pieces.
type pieceNews uint8

const (
	noPieces pieceNews = iota // its path is one
	onlyKnown
	someNew
)

// newPieces says which of an execution's pieces are new, on both versions if there are two.
func (w *worker) newPieces(exec *evm.Execution) pieceNews {
	if w.ids = w.pieces.append(w.ids[:0], exec); len(w.ids) == 0 {
		return noPieces
	}
	if w.there != nil {
		n := len(w.ids)
		if w.ids = w.pieces.append(w.ids, w.there); len(w.ids) == n {
			w.ids = append(w.ids, w.there.PathID())
		}
		for i := n; i < len(w.ids); i++ { // what the versions do together
			w.ids[i] = w.ids[i].With(w.ids[min(i-n, n-1)], w.way)
		}
	}
	known := onlyKnown
	for _, id := range w.ids {
		if w.tracker.isNew(id) {
			known = someNew
		}
	}
	return known
}
