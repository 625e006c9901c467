package fuzzer

import "github.com/ethereum/go-ethereum/common"

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

// signing is a stage: of a run that checked a signature, it makes leads in which accounts
// whose keys are known have signed (see input.Space.Sign). Prediction does not continue
// from them, since a signature is not a number.
type signing struct {
	signers []common.Address // in the run of the task's seed
	budget  int              // what the task may still spend
}

// begin begins with a task that has so much energy.
func (g *signing) begin(energy Energy, signers []common.Address) {
	g.signers, g.budget = signers, leadCost*max(minSignatures, int(energy)/energyPerSignature)
}

func (g *signing) follow(s *step) {
	if g.budget <= 0 {
		return
	}
	for _, signed := range s.space.Sign(nil, s.sequence, s.exec, g.signers) {
		switch {
		case len(s.few) >= s.room():
			return
		case s.tried.add(s.space, signed):
			g.budget--
		default:
			g.budget -= leadCost
			s.leads = append(s.leads, lead{sequence: signed})
		}
	}
}
