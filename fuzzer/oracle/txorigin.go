package oracle

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TxOrigin sees branches that ORIGIN decides (SWC-115; mufuzz §III): who is led to call an attacker's contract is
// taken for the one who calls. A comparison with CALLER asks whether a contract calls, and is left out.
//
// Known false positives: origins that are compared to keep contracts out, with something else than CALLER.
var TxOrigin = &Oracle{
	ID:       "tx-origin",
	Title:    "Who sent the transaction is taken for who calls",
	SWC:      "115",
	CWE:      "477",
	Severity: Note,
	Doc:      "In a call that succeeds, a branch depends on ORIGIN, other than by a comparison with CALLER.",
	Remedy:   "Compare msg.sender.",
	Examine:  examineTxOrigin,
	Places:   placesOf(vm.ORIGIN),
}

func examineTxOrigin(s *Scene, report func(Observation)) {
	t := s.trace()
	if t == nil {
		return
	}
	for i := range t.Branches {
		b := &t.Branches[i]
		if !b.Condition.Any(evm.FromOrigin) || b.Condition.Any(evm.FromCaller) && !b.Condition.Any(evm.FromStorage|evm.FromCalldata) {
			continue
		}
		if f, at, ok := s.noted(b.At); ok {
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Message: fmt.Sprintf("tx.origin decides a branch in %s", functionOf(f))})
		}
	}
}
