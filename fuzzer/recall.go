package fuzzer

import (
	"hash/fnv"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// made holds leads of a task by a hash of what they call. Two that share one are
// taken for the same, which costs a lead.
type made struct {
	hashes  map[uint64]bool
	encoded evm.Sequence // scratch
}

// again reports whether a sequence has been a lead of this task before.
func (m *made) again(space *input.Space, seq input.Sequence) bool {
	m.encoded = space.Encode(seq, m.encoded)
	hash := fnv.New64a()
	for i := range m.encoded {
		_, _ = hash.Write(m.encoded[i].From[:]) // a hash takes what it is given
		_, _ = hash.Write(m.encoded[i].Data)
	}
	if m.hashes == nil {
		m.hashes = map[uint64]bool{}
	}
	key := hash.Sum64()
	again := m.hashes[key]
	m.hashes[key] = true
	return again
}

// recall makes leads of a run that compared the hash of one of its byte strings with
// the hash of a text that is known, to decide a branch one side of which nothing has
// taken yet (see input.Space.Recall).
func (s *step) recall() []lead {
	var leads []lead
	for _, seq := range s.space.Recall(nil, s.dictionary, s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	}) {
		leads = append(leads, lead{sequence: seq})
	}
	return leads
}

// reconcileShare: one run in so many that showed nothing new is looked at for what
// an earlier call would have to say, and each whose earlier calls were put there on
// demand. Arbitrary: each costs about as much as a call.
const reconcileShare = 4

// maxArranged bounds the leads of a run whose earlier calls were put there on demand:
// most of these runs are wrong, and there are many. Arbitrary.
const maxArranged = 4

// reconcile makes leads of a run in which the last call compared with what an
// earlier call's argument left behind: what is compared with it takes its place. A
// commitment and what it commits to agree only so, since either is a hash of the
// other's. Such a run shows nothing new, mostly: the same path has been
// met before with another argument.
func (s *step) reconcile() []lead {
	last := len(s.sequence) - 1
	if last < 1 || !s.arranged && s.rand.IntN(reconcileShare) != 0 {
		return nil
	}
	var leads []lead
	s.proposals = s.proposer.ProposeEarlier(s.proposals[:0], s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	})
	for i := range s.proposals {
		seq, ok := s.space.With(s.sequence, s.proposals[i].Word, &s.proposals[i].Value)
		if ok && !s.made.again(s.space, seq) {
			leads = append(leads, lead{sequence: seq})
		}
		if s.arranged && len(leads) == maxArranged {
			break
		}
	}
	return leads
}
