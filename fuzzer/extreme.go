package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Of the executions that take a known path, some are worth following their values: those with numbers so
// large that arithmetic may have gone beyond a word, on the way in or into storage. A sum that wraps takes no path of its
// own. The bounds are arbitrary: amounts have up to 128 bits, and a few executions of a path are as good as
// all.
const (
	extremeBits  = 200
	maxExtremes  = 4       // of a path
	extremePaths = 1 << 14 // that are counted
)

// isExtreme reports whether an execution of a known path is one of those.
func (w *worker) isExtreme(seq input.Sequence, exec *evm.Execution, pid bytecode.PathID) bool {
	last := len(exec.Calls) - 1
	if exec.Calls[last].Outcome != evm.Success || !w.observer.follows || !hasLargeNumber(&seq[last]) && !storesLargeNumber(exec, last) {
		return false
	}
	if w.extremes[pid] >= maxExtremes || len(w.extremes) >= extremePaths {
		return false
	}
	w.extremes[pid]++
	return true
}

func hasLargeNumber(c *input.Call) bool {
	for i := range c.Args {
		if isLarge(&c.Args[i], &c.Function.Inputs[i]) {
			return true
		}
	}
	return false
}

func isLarge(v *input.Value, t *input.Type) bool {
	if t.Kind == abi.Uint || t.Kind == abi.Int {
		return v.Word.BitLen() > extremeBits
	}
	for i := range v.Elems {
		if isLarge(&v.Elems[i], t.Child(i)) {
			return true
		}
	}
	return false
}

func storesLargeNumber(exec *evm.Execution, call int) bool {
	for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
		for j := range exec.Frames[i].Storage {
			if a := &exec.Frames[i].Storage[j]; a.Write && a.Value.BitLen() > extremeBits {
				return true
			}
		}
	}
	return false
}
