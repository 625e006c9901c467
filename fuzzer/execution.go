package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

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

// lastOf is the function that a sequence ends with.
func lastOf(seq input.Sequence) input.Callable {
	last := &seq[len(seq)-1]
	return input.Callable{Instance: last.Instance, Function: last.Function}
}
