package compare

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// A call costs more if it takes a fifth more gas, and at least 5,000 (what writing a word of storage
// costs that is not zero, EIP-2929). Arbitrary otherwise: less is hardly read. Both sides are debug builds: the optimizer may
// make less of it.
const (
	costlierBy   = 5_000 // gas
	costlierPart = 5     // one part in
)

// costs is the last call of a sequence if nothing else differs, and it takes more gas on the head in changed code. What an attacker's
// contract does in the middle of a call is not compared: where it succeeds on one side alone, it costs more there. Neither is a deployment,
// which costs more with each line of code.
func (r *ran) costs() (Difference, bool) {
	last := r.last()
	if !r.gas || r.first != nil || last < 0 || r.sequence[last].Script != nil || r.sequence[last].Function.Kind == input.Constructor || r.head.Truncated || r.base.Truncated {
		return Difference{}, false
	}
	a, b := &r.head.Calls[last], &r.base.Calls[last]
	if a.Outcome != evm.Success || b.Outcome != evm.Success || !costlier(a.GasUsed, b.GasUsed) || r.readsMasked(r.head, last) || len(r.entered(r.head, last)) == 0 {
		return Difference{}, false
	}
	return Difference{Kind: Costs, Call: last}, true
}

func costlier(now, before uint64) bool {
	return now >= before+max(costlierBy, before/costlierPart)
}

// describeCost is what a call costs, for people.
func describeCost(c *evm.CallResult) string {
	return fmt.Sprintf("takes %d gas", c.GasUsed)
}
