package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of signing in a task: most mutants of an input with a signature change the
// signed data, and each would be signed again. A task may make one signature per so much
// energy, and minSignatures in any case. Arbitrary.
const (
	energyPerSignature = 8
	minSignatures      = 32 // two senders of four in any order take 20
)

// leadCost is the cost of a new signature in a task's budget, where one that was made
// before costs 1. Making a signature takes longer than many runs. Arbitrary.
const leadCost = 16

// signingBudget is that of a task with so much energy.
func signingBudget(energy Energy) int {
	return leadCost * max(minSignatures, int(energy)/energyPerSignature)
}

// sign makes leads of a run that checked a signature: in them, accounts whose keys are
// known have signed (see input.Space.Sign). Prediction does not continue from them, since
// a signature is not a number.
func (w *worker) sign(leads []lead, seq input.Sequence, exec *evm.Execution, most int) []lead {
	if w.signatures <= 0 {
		return leads
	}
	for _, signed := range w.space.Sign(nil, seq, exec, w.signers) {
		switch {
		case len(leads) >= most:
			return leads
		case w.leadHashes.add(w.space, signed):
			w.signatures--
		default:
			w.signatures -= leadCost
			leads = append(leads, lead{sequence: signed})
		}
	}
	return leads
}
