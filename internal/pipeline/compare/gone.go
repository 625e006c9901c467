package compare

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// A check that the head has lost shows in calls that the base refuses, and nothing on the head tells that one is near: its code runs the same with any
// numbers. On the base there is a branch to aim at. So a campaign there aims at both sides of the branches that the head does not have any more, and what
// takes them is run on both sides.

// What is aimed at, and for how long. Arbitrary: a change that loses more branches than that is another program.
const (
	maxGone     = 64 // sides of branches
	goneShare   = 8  // one part in so many of what the search has
	maxGoneSeed = 1 << 10
)

// goneBranches are both sides of each branch that the base's contracts make in code that the head no longer has.
func (s *Sides) goneBranches() (targets []bytecode.Target) {
	lines := map[diffmap.Definition][]diffmap.Range{}
	known := map[bytecode.Location]bool{}
	for i := range s.Base.World.Instances {
		c := s.Base.World.Instances[i].Contract
		if c == nil || c.Runtime == nil {
			continue
		}
		functions, p := s.versions.counterpartsOf(c.QualifiedName()), s.Base.Table.Program(c.Runtime.ID)
		if functions == nil || p == nil {
			continue
		}
		p.Instructions(func(pc uint32) bool {
			at := bytecode.Location{Code: p.ID, PC: pc}
			if vm.OpCode(p.Bytes[pc]) != vm.JUMPI || !s.isGone(at, functions, lines) {
				return true
			}
			for _, side := range sidesOf(p, pc) {
				if entry := (bytecode.Location{Code: p.ID, PC: side}); !known[entry] && len(targets) < maxGone {
					known[entry] = true
					position, _ := s.Base.Positions.At(at)
					targets = append(targets, bytecode.Target{Position: position, Contract: c.QualifiedName(), Entries: []bytecode.Location{entry}, Reverts: true})
				}
			}
			return true
		})
	}
	return targets
}

// isGone reports whether the base's code of an instruction is in lines that the head's function does not have. lines keeps those of each function.
func (s *Sides) isGone(at bytecode.Location, functions *diffmap.Counterparts, lines map[diffmap.Definition][]diffmap.Range) bool {
	r, ok := s.Base.Positions.RangeAt(at)
	d, in := s.Base.Positions.DefinitionAt(at)
	if !ok || !in {
		return false
	}
	gone, known := lines[d]
	if !known {
		gone = goneLines(d, functions)
		lines[d] = gone
	}
	return slices.ContainsFunc(gone, func(line diffmap.Range) bool {
		return line.Source == r.Source && r.Start < line.End && line.Start < r.End && r.Start >= d.Start
	})
}

// goneLines are the lines of a function of the base that the head's, if there is one, does not have, by their words.
func goneLines(base diffmap.Definition, functions *diffmap.Counterparts) (gone []diffmap.Range) {
	head, ok := functions.Became(base)
	if !ok {
		return nil // nothing calls it any more, and what it refused was refused to who called it
	}
	left := map[string]int{}
	for line := range bytes.SplitSeq(functions.HeadText(rangeOf(head)), []byte{'\n'}) {
		left[lineKey(line)]++
	}
	start := base.Start
	for line := range bytes.SplitSeq(functions.BaseText(rangeOf(base)), []byte{'\n'}) {
		if key := lineKey(line); key != "" {
			if left[key]--; left[key] < 0 {
				gone = append(gone, diffmap.Range{Source: base.Source, Start: start, End: start + len(line)})
			}
		}
		start += len(line) + 1
	}
	return gone
}

// lineKey is a line's code, without the spaces and comments in it.
func lineKey(line []byte) string {
	var key []byte
	for _, t := range solidity.Tokenize(line) {
		if t.Kind != solidity.Comment {
			key = append(append(key, line[t.Start:t.End]...), ' ')
		}
	}
	return string(key)
}

// sidesOf are where the blocks begin that a conditional jump leads to, as far as that is written in front of it.
func sidesOf(p *bytecode.Program, pc uint32) (starts []uint32) {
	block, ok := p.BlockOf(pc)
	if !ok {
		return nil
	}
	if _, begins := p.StartsAt(uint64(pc) + 1); begins {
		starts = append(starts, pc+1)
	}
	var last []byte // what the instruction in front of it pushes
	b := p.Blocks[block]
	bytecode.Instructions(p.Bytes[b.Start:pc], func(at uint32) bool {
		last = nil
		if n := bytecode.PushSize(p.Bytes[b.Start+at]); n > 0 && n <= 4 {
			last = p.Bytes[b.Start+at+1:][:n]
		}
		return true
	})
	if last == nil {
		return starts
	}
	var word [4]byte
	copy(word[4-len(last):], last)
	if to := binary.BigEndian.Uint32(word[:]); to < uint32(len(p.Bytes)) {
		if _, begins := p.StartsAt(uint64(to)); begins {
			starts = append(starts, to)
		}
	}
	return starts
}

// aimAtGone looks for inputs that take branches of the base which the head no longer has, with a share of a search's limits, and takes
// what it used from them. It begins with what is known to lead to changed code.
func (s *Sides) aimAtGone(ctx context.Context, config *fuzzer.Config, seeds []input.Sequence) ([]input.Sequence, error) {
	targets := s.goneBranches()
	if len(targets) == 0 {
		return nil, nil
	}
	own := *config
	own.World, own.Space, own.Table, own.NewMachine, own.NewJudge = s.Base.World, s.Base.Space.WithOutsider(), s.Base.Table, s.Base.NewMachine, s.Base.NewMachine
	own.Oracles, own.Ways, own.Targets, own.NewOther = nil, 0, targets, nil
	own.Timeout, own.MaxCalls = config.Timeout/goneShare, config.MaxCalls/goneShare
	own.AfterReached = new(float64)
	own.Seeds = nil
	for i := 0; i < len(seeds); i += 1 + len(seeds)/maxGoneSeed {
		if there := s.carry(seeds[i], nil); len(there) > 0 {
			own.Seeds = append(own.Seeds, there.Clone())
		}
	}
	result, err := (&fuzzer.Campaign{Config: own}).Run(ctx)
	if err != nil {
		return nil, err
	}
	became := map[string]*input.Function{}
	for _, c := range s.Head.Space.Callables {
		if was := s.calls[c]; was.Function != nil {
			became[s.Base.Space.Instances[was.Instance].Name+"."+was.Function.Signature] = c.Function
		}
	}
	var found []input.Sequence
	for i := range result.Targets {
		if t := &result.Targets[i]; t.Entered {
			if seq, ok := s.versions.toHead(own.Space, s.Head.Space, t.Sequence, became); ok {
				found = append(found, seq)
			}
		}
	}
	return found, nil
}
