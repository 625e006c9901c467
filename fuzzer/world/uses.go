package world

import (
	"bytes"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
)

// maxUses bounds the calls whose arguments are kept. Arbitrary: set-ups make some ten.
const maxUses = 256

// keepUses keeps calls that the World's makers made, see [Report].Uses.
func (r *Report) keepUses(calls []evm.Call) {
	for _, call := range calls {
		if len(r.Uses) < maxUses && !call.Create {
			r.Uses = append(r.Uses, call)
		}
	}
}

// madeBy are the calls that the last call of an execution, a set-up, makes itself, but for
// those of cheatcodes.
func madeBy(exec *evm.Execution) []evm.Call {
	var calls []evm.Call
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for _, f := range exec.Frames[frames[0]:frames[1]] {
		if f.Depth == 1 && f.Kind == evm.KindCall && f.Outcome == evm.Success && f.CodeAddress != cheatcode.Address && len(calls) < maxUses {
			calls = append(calls, evm.Call{From: f.Caller, To: f.Self, Data: bytes.Clone(f.Input), Value: f.Value})
		}
	}
	return calls
}
