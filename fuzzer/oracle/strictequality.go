package oracle

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// StrictEquality sees branches that ask whether a balance of ether is exactly some amount (SWC-132; mufuzz §III): everyone
// can send ether to any account, by SELFDESTRUCT if not otherwise. A comparison with zero asks whether there is any, and is
// left out.
//
// Known false positives: balances that are compared with what they were earlier in the same call.
var StrictEquality = &Oracle{
	ID:       "strict-equality",
	Title:    "A balance has to be exactly an amount",
	SWC:      "132",
	CWE:      "667",
	Severity: Note,
	Doc:      "In a call that succeeds, a branch depends on whether a balance of ether equals an amount other than zero.",
	Remedy:   "Ask whether the balance is at least the amount, or keep count of what was paid in.",
	Examine:  examineStrictEquality,
	Places:   placesOf(vm.BALANCE, vm.SELFBALANCE),
}

func examineStrictEquality(s *Scene, report func(Observation)) {
	t := s.trace()
	if t == nil {
		return
	}
	for i := range t.Branches {
		b := &t.Branches[i]
		if vm.OpCode(b.Op) != vm.EQ || b.LeftTaint.Any(evm.FromBalance) == b.RightTaint.Any(evm.FromBalance) {
			continue
		}
		if againstZero(b) && b.Condition.Sources&^(evm.FromBalance|evm.FromOwnBalance) == 0 {
			continue // a difference that is zero is an equality, a balance is not
		}
		if f, at, ok := s.decided(b); ok {
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Message: fmt.Sprintf("%s asks whether a balance is exactly an amount", functionOf(f))})
		}
	}
}
