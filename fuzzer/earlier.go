package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// earlier is a stage: of a run that showed nothing new, what an earlier call left in the
// state may be what the last one wants.
type earlier struct {
	proposals []input.Proposal // scratch
}

func (e *earlier) follow(s *step) {
	if s.isNew || s.room() <= 0 {
		return
	}
	e.match(s)
	e.mutateJoined(s)
}

// matchShare: match looks at one run in so many, and at each whose earlier calls were put
// there on demand. Arbitrary: it costs about as much as a call.
const matchShare = 4

// maxOnDemand bounds the leads of a run whose earlier calls were put there on demand:
// most of these runs are wrong, and there are many. Arbitrary.
const maxOnDemand = 4

// match makes leads of a run in which the last call compared a word with one that an
// earlier call's argument left in the state: that argument becomes the word. Only so does
// a commitment agree with what it commits to, since one is a hash of the other. Mostly such
// a run shows nothing new: its path was taken before with another argument.
func (e *earlier) match(s *step) {
	last := len(s.sequence) - 1
	if last < 1 || !s.onDemand && s.rand.IntN(matchShare) != 0 {
		return
	}
	e.proposals = s.proposer.ProposeEarlier(e.proposals[:0], s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	})
	found := 0
	for i := range e.proposals {
		seq, ok := s.space.With(s.sequence, e.proposals[i].Word, &e.proposals[i].Value)
		if ok && !s.tried.add(s.space, seq) {
			s.leads = append(s.leads, lead{sequence: seq})
			found++
		}
		if s.onDemand && found == maxOnDemand {
			break
		}
	}
}

// mutateJoined makes a lead of a run whose earlier calls are not the seed's, and whose
// last call took another path after them: a word of that call is changed. The run may
// have shown nothing new, and then it is not a seed: a write that an array's bounds
// allow takes the same path after a call that has disabled them.
func (e *earlier) mutateJoined(s *step) {
	if !s.joined || s.exec.PathID() == s.task.seed.PID {
		return
	}
	if seq, ok := s.mutator.MutateLast(s.rand, nil, s.sequence); ok {
		s.leads = append(s.leads, lead{sequence: seq, from: s.point()})
	}
}
