package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of attacks that do again what paid. Arbitrary: a few ways to a function's payment, and once more than is paid back.
const (
	maxRepeated      = 4
	maxRepeatedCalls = 8
	repeatedTimes    = 2
)

// watchPayment has the attacker's contract do what led to a payment, and then ask for the payment again.
func (a *attacks) watchPayment(seq input.Sequence, exec *evm.Execution) {
	last := lastOf(seq)
	call := len(seq) - 1
	if len(seq) > maxRepeatedCalls || exec.Calls[call].Outcome != evm.Success || last.Function.View || a.again[last.Function] >= maxRepeated || !paysOut(exec, call) {
		return
	}
	a.again[last.Function]++
	a.repeated = append(a.repeated, a.space.Repeated(seq, repeatedTimes, a.giftsFor(exec))...)
}

// paysOut reports whether a call sends ether to an account without known code, or tokens to any.
func paysOut(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Outcome == evm.Success && (!f.Value.IsZero() && f.Program == nil || len(f.Input) >= 4+2*wordBytes && [4]byte(f.Input[:4]) == transfer && !isZero(f.Input[36:68])) {
			return true
		}
	}
	return false
}
