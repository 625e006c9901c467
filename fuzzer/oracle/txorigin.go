package oracle

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TxOrigin sees branches that ORIGIN decides (SWC-115; mufuzz §III): who is led to call an attacker's contract is
// taken for the one who calls. A comparison with CALLER asks whether a contract calls, or whether the caller is who sent an earlier
// transaction, and is left out. What is kept under ORIGIN as a key is asked for as ORIGIN itself is, unless it is only counted up or
// down.
//
// Known false positives: origins that are compared to keep contracts out, with something else than CALLER.
var TxOrigin = &Oracle{
	ID:       "tx-origin",
	Title:    "Who sent the transaction is taken for who calls",
	SWC:      "115",
	CWE:      "477",
	Severity: Note,
	Doc:      "In a call that succeeds, a branch depends on ORIGIN, or on what is kept under it, other than by a comparison with CALLER.",
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
		if !decidesByOrigin(b) {
			continue
		}
		if f, at, ok := s.decided(b); ok {
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Message: fmt.Sprintf("tx.origin decides a branch in %s", functionOf(f))})
		}
	}
}

// decidesByOrigin reports whether ORIGIN decides a branch: as a word, or as the key of one.
func decidesByOrigin(b *evm.TracedBranch) bool {
	left, right := b.LeftTaint, b.RightTaint
	switch {
	case !b.Condition.Depends(evm.FromOrigin):
		return false
	case !b.Condition.Any(evm.FromOrigin):
		// A sum is held against what it is made of to see that it is right.
		return b.Condition.Any(evm.FromStorage) && !isOutcome(b.Condition) && (!left.Depends(evm.FromOrigin) || !right.Depends(evm.FromOrigin))
	case !b.Condition.Any(evm.FromCaller):
		return true
	}
	// Who calls is asked for, and compared with who sends this transaction, or sent the one that wrote a word.
	return !left.Any(evm.FromCaller) && !right.Any(evm.FromCaller) || left.Any(evm.FromCaller) && left.Any(evm.FromOrigin) || right.Any(evm.FromCaller) && right.Any(evm.FromOrigin)
}

// isOutcome reports whether a word tells that a call succeeded.
func isOutcome(t evm.Taint) bool {
	return slices.ContainsFunc(t.Labels, func(l evm.Label) bool { return l.Kind == evm.OfSuccess })
}
