package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// lastOf is the function that a sequence ends with.
func lastOf(seq input.Sequence) input.Callable {
	last := &seq[len(seq)-1]
	return input.Callable{Instance: last.Instance, Function: last.Function}
}

// changedState reports whether the last call succeeded and wrote to storage or
// deployed something.
func changedState(exec *evm.Execution) bool {
	last := &exec.Calls[len(exec.Calls)-1]
	if last.Outcome != evm.Success {
		return false
	}
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		if k := exec.Frames[i].Kind; k == evm.KindCreate || k == evm.KindCreate2 {
			return true
		}
		for _, access := range exec.Frames[i].Storage {
			if access.Write {
				return true
			}
		}
	}
	return false
}

// workOf is the work of all calls, whether they were run this time or not.
func workOf(exec *evm.Execution) (work uint64) {
	for i := range exec.Calls {
		work += exec.Calls[i].Work()
	}
	return work
}

// gasOf is the gas of the last call.
func gasOf(exec *evm.Execution) uint64 { return exec.Calls[len(exec.Calls)-1].GasUsed }

// failed is 1 if a call failed.
func failed(exec *evm.Execution, call int) uint64 {
	if exec.Calls[call].Outcome != evm.Success {
		return 1
	}
	return 0
}

// maxRepeatedChecks bounds the checks that failedAgain lists, the last ones. Arbitrary: a loop that ends is one, too.
const maxRepeatedChecks = 4

// failedAgain lists the checks that a call which failed has passed before, and then not: the second of two signatures, or of
// several payments, is checked by code whose branches have all been taken.
func failedAgain(exec *evm.Execution) (again []*evm.Comparison) {
	call := &exec.Calls[len(exec.Calls)-1]
	if call.Outcome == evm.Success {
		return nil
	}
	for i := call.Frames[0]; i < call.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Outcome == evm.Success || f.Program == nil {
			continue
		}
		first := firstWays(f)
		for j := len(f.Comparisons) - 1; j > 0 && len(again) < maxRepeatedChecks; j-- {
			c := &f.Comparisons[j]
			if at, ok := first[way{c.PC, !c.Taken}]; ok && at < j {
				again = append(again, c)
			}
		}
	}
	return again
}

// way is a side of a check.
type way struct {
	pc    uint32
	taken bool
}

// firstWays is where a frame took each side first, among its comparisons. A loop may have thousands.
func firstWays(f *evm.Frame) map[way]int {
	first := map[way]int{}
	for i := range f.Comparisons {
		w := way{f.Comparisons[i].PC, f.Comparisons[i].Taken}
		if _, known := first[w]; !known {
			first[w] = i
		}
	}
	return first
}

// paysAccount reports whether a call sends ether to an account without code.
func paysAccount(exec *evm.Execution) bool {
	for i := range exec.Frames {
		if f := &exec.Frames[i]; f.Parent >= 0 && f.Program == nil && !f.Value.IsZero() {
			return true
		}
	}
	return false
}
