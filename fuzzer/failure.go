package fuzzer

import (
	"bytes"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// decidedFailure is the frame that made a frame fail, itself or the callee whose failure it hands on, and the index of the comparison that decided so, its
// last; −1: none did.
func decidedFailure(exec *evm.Execution, i int) (frame, comparison int) {
	for {
		f := &exec.Frames[i]
		if failed := failedCallee(exec, i, len(f.Path)-1); failed >= 0 && bytes.Equal(exec.Frames[failed].Output, f.Output) {
			i = failed
			continue
		}
		if f.Program == nil {
			return i, -1
		}
		if k, _ := comparisonAt(f, len(f.Path)-1); k >= 0 && f.Outcome == evm.Reverted && f.Decision == f.Comparisons[k].PC {
			return i, k
		}
		return i, -1
	}
}

// failedCallee is the last frame that a frame called before it left the block at an index of
// its path, if it failed and nothing was called after it; −1: there is none.
func failedCallee(exec *evm.Execution, i, at int) int {
	for j := len(exec.Frames) - 1; j > i; j-- {
		if callee := &exec.Frames[j]; callee.Parent == i && callee.CallAt <= at {
			if callee.Outcome != evm.Success && callee.Program != nil && callee.CallAt >= at-1 {
				return j
			}
			return -1
		}
	}
	return -1
}

// comparisonAt is the index of the comparison with which a frame left the block at an index
// of its path, or else of the last one before, and the index of its block; −1: there is none.
func comparisonAt(frame *evm.Frame, at int) (k, block int) {
	k = -1
	for n, next := 0, 0; n <= at && next < len(frame.Comparisons); n++ {
		if frame.Comparisons[next].Block == frame.Path[n] {
			k, block = next, n
			next++
		}
	}
	return k, block
}
