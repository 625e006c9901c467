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

// sign makes leads of a run that had a signature checked: in them, accounts whose
// keys are known have signed (see input.Space.Sign). Prediction does not go on from
// them, since a signature is no number.
func (w *worker) sign(leads []lead, seq input.Sequence, exec *evm.Execution, most int) []lead {
	if w.signatures == 0 {
		return leads
	}
	for _, signed := range w.space.Sign(nil, seq, exec, w.signers) {
		if w.signatures == 0 || len(leads) >= most {
			break
		}
		if !w.made.again(w.space, signed) {
			w.signatures--
			leads = append(leads, lead{sequence: signed})
		}
	}
	return leads
}
