package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Bounds of signing in a task: most mutants of an input with a signature change what
// was signed, and each would be signed again. A task may make one signature for so
// much energy, and some even if it has little. Arbitrary.
const (
	energyPerSignature = 8
	minSignatures      = 32 // two senders of four in any order take 20
)

// leadCost is what a new signature costs a task's budget, which is to be run, against
// one that turns out to have been made before. Making one takes longer than many a run.
// Arbitrary.
const leadCost = 16

// signingBudget is that of a task with so much energy.
func signingBudget(energy Energy) int {
	return leadCost * max(minSignatures, int(energy)/energyPerSignature)
}

// sign makes leads of a run that had a signature checked: in them, accounts whose
// keys are known have signed (see input.Space.Sign). Prediction does not go on from
// them, since a signature is no number.
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
