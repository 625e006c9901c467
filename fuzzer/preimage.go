package fuzzer

import (
	"github.com/cespare/xxhash/v2"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// leadHashes is a set of a task's leads, by a hash of their calls. Two leads with the same
// hash are taken for one, which costs a lead.
type leadHashes struct {
	hashes  map[uint64]bool
	encoded evm.Sequence  // scratch
	hash    xxhash.Digest // likewise; creation code is some kilobytes
}

// add adds a sequence, and reports whether it was a lead of this task before.
func (m *leadHashes) add(space *input.Space, seq input.Sequence) bool {
	m.encoded = space.Encode(seq, m.encoded)
	m.hash.Reset()
	for i := range m.encoded {
		_, _ = m.hash.Write(m.encoded[i].From[:]) // a hash takes what it is given
		_, _ = m.hash.Write(m.encoded[i].Data)
	}
	if m.hashes == nil {
		m.hashes = map[uint64]bool{}
	}
	key := m.hash.Sum64()
	again := m.hashes[key]
	m.hashes[key] = true
	return again
}

// preimages makes leads of a run that compared the hash of one of its byte strings with
// the hash of a known text, at a branch one side of which has not been taken yet (see
// input.Space.Preimages).
func (s *step) preimages() []lead {
	var leads []lead
	for _, seq := range s.space.Preimages(nil, s.dictionary, s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	}) {
		leads = append(leads, lead{sequence: seq})
	}
	return leads
}

// matchEarlierShare: matchEarlier looks at one run in so many that showed nothing new,
// and at each whose earlier calls were put there on demand. Arbitrary: it costs about as
// much as a call.
const matchEarlierShare = 4

// maxOnDemand bounds the leads of a run whose earlier calls were put there on demand:
// most of these runs are wrong, and there are many. Arbitrary.
const maxOnDemand = 4

// matchEarlier makes leads of a run in which the last call compared a word with one that
// an earlier call's argument left in the state: that argument becomes the word. Only so
// does a commitment agree with what it commits to, since one is a hash of the other.
// Mostly such a run shows nothing new: its path was taken before with another argument.
func (s *step) matchEarlier() []lead {
	last := len(s.sequence) - 1
	if last < 1 || !s.onDemand && s.rand.IntN(matchEarlierShare) != 0 {
		return nil
	}
	var leads []lead
	s.proposals = s.proposer.ProposeEarlier(s.proposals[:0], s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	})
	for i := range s.proposals {
		seq, ok := s.space.With(s.sequence, s.proposals[i].Word, &s.proposals[i].Value)
		if ok && !s.leadHashes.add(s.space, seq) {
			leads = append(leads, lead{sequence: seq})
		}
		if s.onDemand && len(leads) == maxOnDemand {
			break
		}
	}
	return leads
}
