package fuzzer

import (
	"hash/fnv"

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

// signing is what a worker has signed in its task.
type signing struct {
	left int // signatures that may still be made
	// made holds the leads by a hash of what they call. Two that share one are
	// taken for the same, which costs a lead.
	made    map[uint64]bool
	signed  []input.Sequence // scratch
	encoded evm.Sequence     // scratch
}

// begin forgets the task before.
func (s *signing) begin(energy Energy) {
	s.left = max(minSignatures, int(energy)/energyPerSignature)
	if s.made == nil {
		s.made = map[uint64]bool{}
	}
	clear(s.made)
}

// sign makes leads of a run that had a signature checked: in them, accounts whose
// keys are known have signed (see input.Space.Sign). Prediction does not go on from
// them, since a signature is no number.
func (w *worker) sign(leads []lead, seq input.Sequence, exec *evm.Execution, most int) []lead {
	if w.signing.left == 0 {
		return leads
	}
	w.signing.signed = w.space.Sign(w.signing.signed[:0], seq, exec)
	for _, signed := range w.signing.signed {
		if w.signing.left == 0 || len(leads) >= most {
			break
		}
		if !w.signing.again(w.space, signed) {
			w.signing.left--
			leads = append(leads, lead{sequence: signed})
		}
	}
	return leads
}

// again tells whether a sequence has been a lead of this task before.
func (s *signing) again(space *input.Space, seq input.Sequence) bool {
	s.encoded = space.Encode(seq, s.encoded)
	hash := fnv.New64a()
	for i := range s.encoded {
		_, _ = hash.Write(s.encoded[i].From[:]) // a hash takes what it is given
		_, _ = hash.Write(s.encoded[i].Data)
	}
	key := hash.Sum64()
	again := s.made[key]
	s.made[key] = true
	return again
}
