package compare

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// A check that the head has lost shows in calls that the base refuses, and nothing on the head tells that one is near: its code runs the same with any
// numbers. On the base there is a branch to aim at. So a campaign there aims at both sides of the branches that the head does not have any more, and what
// takes them is run on both sides.

// What is aimed at, and for how long. Arbitrary: a change that loses more branches than that is another program.
const (
	maxGone      = 64      // sides of branches
	goneShare    = 8       // one part in so many of what the search has
	maxGoneSeeds = 1 << 10 // inputs to begin with
)

// lostCode is what the base's code has that the head's no longer has.
type lostCode struct {
	functions *diffmap.Counterparts
	lines     map[diffmap.Definition][]diffmap.Range // by function, those looked at
	users     map[string][]string                    // by what the lines use as functions and modifiers: in which functions it is checked no more
}

// aim are targets on the base, and within which calls they count.
type aim struct {
	targets []bytecode.Target
	within  []input.Callable
}

// goneBranches are both sides of each branch that the base's contracts make in code that the head no longer has, or no longer calls where it was called: there,
// in calls of the functions that no longer call it.
func (s *Sides) goneBranches() (a aim) {
	for i := range s.Base.World.Instances {
		c := s.Base.World.Instances[i].Contract
		if c == nil || c.Runtime == nil {
			continue
		}
		g := lostCode{s.versions.counterpartsOf(c.QualifiedName()), map[diffmap.Definition][]diffmap.Range{}, map[string][]string{}}
		p := s.Base.Table.Program(c.Runtime.ID)
		if g.functions == nil || p == nil {
			continue
		}
		branches := s.branchesOf(p)
		for _, b := range branches { // all names, before the first branch is asked for
			g.linesOf(b.in)
		}
		for _, b := range branches {
			if g.has(&b) {
				s.aimAt(&a, p, &b, input.Callable{})
			} else {
				for _, user := range g.users[b.in.Name] {
					s.aimWithin(&a, p, &b, c, user)
				}
			}
		}
	}
	return a
}

// aimWithin aims at the sides of a branch in calls of a function of a contract's instances; in all calls where none has it.
func (s *Sides) aimWithin(a *aim, p *bytecode.Program, b *branch, contract *bytecode.Contract, function string) {
	known := false
	for _, c := range s.Base.Space.Callables {
		if s.Base.Space.Instances[c.Instance].Contract == contract && c.Function.Name == function {
			s.aimAt(a, p, b, c)
			known = true
		}
	}
	if !known {
		s.aimAt(a, p, b, input.Callable{})
	}
}

// aimAt aims at the sides of a branch, as far as there is room.
func (s *Sides) aimAt(a *aim, p *bytecode.Program, b *branch, within input.Callable) {
	for _, side := range sidesOf(p, b.at.PC) {
		entry := bytecode.Location{Code: p.ID, PC: side}
		known := false
		for i := range a.targets {
			known = known || a.targets[i].Entries[0] == entry && a.within[i] == within
		}
		if !known && len(a.targets) < maxGone {
			position, _ := s.Base.Positions.At(b.at)
			a.targets = append(a.targets, bytecode.Target{Position: position, Contract: p.Contract.QualifiedName(), Entries: []bytecode.Location{entry}, Reverts: true})
			a.within = append(a.within, within)
		}
	}
}

// branch is a conditional jump with the text that it was compiled from.
type branch struct {
	at   bytecode.Location
	text diffmap.Range
	in   diffmap.Definition
}

// branchesOf lists the conditional jumps of a program of the base that are known to be in a function or modifier.
func (s *Sides) branchesOf(p *bytecode.Program) (list []branch) {
	p.Instructions(func(pc uint32) bool {
		at := bytecode.Location{Code: p.ID, PC: pc}
		if vm.OpCode(p.Bytes[pc]) != vm.JUMPI {
			return true
		}
		r, ok := s.Base.Positions.RangeAt(at)
		if d, in := s.Base.Positions.DefinitionAt(at); ok && in && r.Start >= d.Start {
			list = append(list, branch{at, r, d})
		}
		return true
	})
	return list
}

// has reports whether the head no longer has a branch's text.
func (g *lostCode) has(b *branch) bool {
	return slices.ContainsFunc(g.linesOf(b.in), func(line diffmap.Range) bool {
		return line.Source == b.text.Source && b.text.Start < line.End && line.Start < b.text.End
	})
}

// linesOf are the lines of a function of the base that the head's does not have, by their words: none where the head does not have the function, since nothing
// calls it any more, and what it refused was refused to who called it.
func (g *lostCode) linesOf(base diffmap.Definition) []diffmap.Range {
	if lines, known := g.lines[base]; known {
		return lines
	}
	g.lines[base] = nil
	head, ok := g.functions.Became(base)
	if !ok {
		return nil
	}
	left := map[string]int{}
	for line := range bytes.SplitSeq(g.functions.HeadText(rangeOf(head)), []byte{'\n'}) {
		left[lineKey(line)]++
	}
	start := base.Start
	var used map[string]bool
	for line := range bytes.SplitSeq(g.functions.BaseText(rangeOf(base)), []byte{'\n'}) {
		if key := lineKey(line); key != "" {
			if left[key]--; left[key] < 0 {
				g.lines[base] = append(g.lines[base], diffmap.Range{Source: base.Source, Start: start, End: start + len(line)})
				if used == nil {
					used = wordSet(g.functions.HeadText(rangeOf(head)))
				}
				for word := range wordSet(line) {
					if !used[word] && word != base.Name && !slices.Contains(g.users[word], base.Name) {
						g.users[word] = append(g.users[word], base.Name)
					}
				}
			}
		}
		start += len(line) + 1
	}
	return g.lines[base]
}

// wordSet are the words of a text.
func wordSet(text []byte) map[string]bool {
	words := map[string]bool{}
	for _, word := range wordsOf(text) {
		words[word] = true
	}
	return words
}

// lineKey is a line's code, without the spaces and comments in it.
func lineKey(line []byte) string { return strings.Join(wordsOf(line), " ") }

// sidesOf are the starts of the blocks that a conditional jump leads to: the one behind it, and the one whose start is pushed right before it, as compilers do.
func sidesOf(p *bytecode.Program, pc uint32) (starts []uint32) {
	block, ok := p.BlockOf(pc)
	if !ok {
		return nil
	}
	if _, begins := p.StartsAt(uint64(pc) + 1); begins {
		starts = append(starts, pc+1)
	}
	var pushed []byte
	b := p.Blocks[block]
	bytecode.Instructions(p.Bytes[b.Start:pc], func(at uint32) bool {
		pushed = p.Bytes[b.Start+at+1:][:bytecode.PushSize(p.Bytes[b.Start+at])] // of the last one before the jump
		return true
	})
	to := new(uint256.Int).SetBytes(pushed)
	if _, begins := p.StartsAt(to.Uint64()); begins && len(pushed) > 0 && to.LtUint64(uint64(len(p.Bytes))) {
		starts = append(starts, uint32(to.Uint64()))
	}
	return starts
}

// aimAtGone looks for inputs that take branches of the base which the head no longer has. It begins with what is known to lead to changed code, and has goneShare of a
// search's limits besides them: what a search leaves to the user is several times that.
func (s *Sides) aimAtGone(ctx context.Context, config *fuzzer.Config, seeds []input.Sequence) ([]input.Sequence, error) {
	aim := s.goneBranches()
	if len(aim.targets) == 0 {
		return nil, nil
	}
	own := *config
	own.World, own.Space, own.Table, own.NewMachine, own.NewJudge = s.Base.World, s.Base.Space.WithOutsider(), s.Base.Table, s.Base.NewMachine, s.Base.NewMachine
	own.Oracles, own.Ways, own.Targets, own.Within, own.NewOther = nil, 0, aim.targets, aim.within, nil
	own.Timeout = config.Timeout / goneShare
	if config.MaxCalls > 0 {
		own.MaxCalls = max(1, config.MaxCalls/goneShare) // zero would not limit it
	}
	own.AfterReached = new(float64)
	own.Seeds = nil
	for i := 0; i < len(seeds); i += 1 + len(seeds)/maxGoneSeeds {
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
