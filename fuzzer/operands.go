package fuzzer

import (
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// operands is a stage: of a run that showed something new, words become what they are
// compared with, texts those whose hash theirs is compared with, and addresses contracts.
type operands struct {
	proposals []input.Proposal // scratch
	words     []input.Word     // likewise
}

func (o *operands) follow(s *step) {
	if !s.isNew || !s.tracker.nearUndecided && len(s.again) == 0 || s.room() <= 0 {
		return
	}
	o.propose(s)
	o.invert(s)
	o.resize(s)
	o.inhabit(s)
}

// maxInhabited bounds the addresses of one run that become contracts. Arbitrary: few functions take more.
const maxInhabited = 4

// inhabit makes leads of a run that failed: an address that it names, and where no contract is, becomes the attacker's, which answers what
// is expected, and one of the World; not in tests, which fail where accounts collide. No comparison tells that what is called, or asked whether it has code, should have some.
func (o *operands) inhabit(s *step) {
	last := len(s.sequence) - 1
	if s.exec.Calls[last].Outcome != evm.Reverted || input.IsTest(s.sequence) {
		return
	}
	o.words = input.AppendCallWords(o.words[:0], s.sequence, last)
	found := 0
	for _, word := range o.words {
		t := input.WordType(s.sequence, word)
		if t == nil || t.Kind != input.Address {
			continue
		}
		x, ok := s.space.Get(s.sequence, word)
		if !ok || s.space.IsContract(x.Bytes20()) {
			continue
		}
		for _, there := range s.space.SomeContracts(s.rand) {
			var to uint256.Int
			seq, ok := s.space.WithTwins(s.sequence, word, to.SetBytes20(there[:]))
			if ok && !s.tried.add(s.space, seq) {
				s.leads = append(s.leads, lead{sequence: seq})
			}
		}
		if found++; found == maxInhabited {
			return
		}
	}
}

// propose makes leads of the comparisons at branches with an untaken side: where an
// operand is a word of the input, the other operand takes its place.
func (o *operands) propose(s *step) {
	o.proposals = s.proposer.Propose(o.proposals[:0], s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && (!s.tracker.decided(f.Program.ID, c) || slices.Contains(s.again, c))
	})
	for i := range o.proposals {
		if s.room() <= 0 {
			break
		}
		if p := &o.proposals[i]; s.space.Fits(s.sequence, p.Word, &p.Value) {
			s.leads = append(s.leads, lead{sequence: s.keep(), changes: []input.Proposal{*p}, from: s.point()})
		}
	}
}

// resize makes leads of a run that compared the length of an array in encoded bytes (see input.Space.Resized).
func (o *operands) resize(s *step) {
	for _, seq := range s.space.Resized(nil, s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	}) {
		s.leads = append(s.leads, lead{sequence: seq})
	}
}

// invert makes leads of a run that compared the hash of one of its byte strings with
// the hash of a known text, at a branch one side of which has not been taken yet (see
// input.Space.Preimages).
func (o *operands) invert(s *step) {
	for _, seq := range s.space.Preimages(nil, s.dictionary, s.sequence, s.exec, func(f *evm.Frame, c *evm.Comparison) bool {
		return f.Program != nil && !s.tracker.decided(f.Program.ID, c)
	}) {
		s.leads = append(s.leads, lead{sequence: seq})
	}
}
