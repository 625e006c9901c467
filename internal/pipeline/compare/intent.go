package compare

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The head's passing tests say what a change is meant to do. A test contradicts what an oracle makes of a
// difference between base and head if it shows the same difference: it passes on the head, and where its contracts
// are the base's, it fails, and the call of the same function ends as it does on the base in the finding. That a
// test passes on both, and that the change edits its text, say nothing. Of a function that is said to fail always, a test in which
// it succeeds is enough.

// mayBeMeant are the oracles that see a difference that can be meant. That assets of others are lost, or that a
// standard's law no longer holds, is not made right by a test that shows it.
var mayBeMeant = []string{oracle.PermissionWidened.ID, oracle.GuardLost.ID, oracle.LivenessLost.ID}

// claim is what a finding says of its last call, as tests may contradict it.
type claim struct {
	finding  *fuzzer.Finding
	contract string // of the instance that is called, qualified
	selector []byte
	kind     Kind   // Succeeds or Reverts
	failure  string // of the side on which it fails
	// writes are the variables of the head that the call changes; tests have to write them as well.
	writes map[variable]bool
	tests  []string // that contradict it, "VaultTest.testHarvestByAnyone()"
}

// variable is a state variable by whose code writes it, in whichever instance.
type variable struct {
	contract string // qualified
	base     uint256.Int
}

// meant finds the tests of the head that contradict findings. Without tests, or without findings that they
// can contradict, it runs nothing.
func (s *Sides) meant(ctx context.Context, findings []*fuzzer.Finding, judges *pair) (map[*fuzzer.Finding][]string, error) {
	var claims []*claim
	for _, f := range findings {
		if c := judges.claimOf(f); c != nil {
			claims = append(claims, c)
		}
	}
	if len(claims) == 0 || s.recipe == nil || s.recipe.Tests == nil {
		return nil, nil
	}
	err := s.Head.RunTests(ctx, s.recipe, func(c *bytecode.Contract) bool {
		return slices.ContainsFunc(claims, func(claim *claim) bool { return bytes.Contains(c.Creation.Bytes, bytes.Trim(claim.selector, "\x00")) })
	}, func(run *world.TestRun) error { return s.hold(claims, run) })
	found := map[*fuzzer.Finding][]string{}
	for _, c := range claims {
		if len(c.tests) > 0 {
			found[c.finding] = c.tests
		}
	}
	return found, err
}

// claimOf is nil where tests cannot contradict a finding.
func (p *pair) claimOf(f *fuzzer.Finding) *claim {
	if !slices.Contains(mayBeMeant, f.Oracle.ID) {
		return nil
	}
	head, base, d, ok := p.run(f.Sequence)
	last := len(f.Sequence) - 1
	if !ok || d.Call != last || d.Kind != Succeeds && d.Kind != Reverts {
		return nil
	}
	call := &f.Sequence[last]
	c := &claim{finding: f, contract: p.Head.Space.Instances[call.Instance].Contract.QualifiedName(), kind: d.Kind, writes: map[variable]bool{}}
	if call.Function.Kind != input.Method {
		return nil
	}
	c.selector = bytes.Clone(head.Frames[head.Calls[last].Frames[0]].Input[:len(evm.ErrorSelector)])
	if d.Kind == Reverts {
		c.failure = failureOf(head.Calls[last].Outcome, head.Calls[last].Output)
		return c
	}
	c.failure = failureOf(base.Calls[last].Outcome, base.Calls[last].Output)
	p.notePlaces(head, head.Calls[last].Frames[0], func(at word, by variable) {
		if f.Oracle != oracle.PermissionWidened || p.deciding[at] != "" {
			c.writes[by] = true
		}
	})
	return c
}

// notePlaces calls note for the variables that a frame and those below it write, unless that is undone.
func (s *Sides) notePlaces(exec *evm.Execution, frame int, note func(at word, by variable)) {
	within := map[int]bool{frame: true}
	for i := frame; i < len(exec.Frames); i++ {
		f := &exec.Frames[i]
		if i > frame && (!within[f.Parent] || f.Outcome != evm.Success) {
			continue
		}
		within[i] = true
		if f.Program == nil || f.Program.Contract == nil {
			continue
		}
		for j := range f.Storage {
			if a := &f.Storage[j]; a.Write {
				note(word{a.Address, a.Base}, variable{f.Program.Contract.QualifiedName(), a.Base})
			}
		}
	}
}

// varying are the parts of messages that change from account to account.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)

// failureOf is what a call or a frame failed with, without values; empty: it succeeded.
func failureOf(outcome evm.Outcome, output []byte) string {
	selector := len(evm.ErrorSelector)
	switch {
	case outcome == evm.Success:
		return ""
	case outcome != evm.Reverted || len(output) < selector:
		return outcome.String()
	case bytes.HasPrefix(output, evm.ErrorSelector[:]):
		return varying.ReplaceAllString(string(output[selector:]), "…")
	case bytes.HasPrefix(output, evm.PanicSelector[:]):
		return string(output)
	}
	return string(output[:selector])
}

// hold holds the claims against a run of a test.
func (s *Sides) hold(claims []*claim, run *world.TestRun) error {
	head := run.Execution
	if head.Truncated || !oracle.Passes(head) {
		return nil
	}
	var base *evm.Execution
	for _, c := range claims {
		name := run.Contract.Name + "." + run.Function
		for _, at := range c.callsIn(head) {
			if slices.Contains(c.tests, name) || !c.sees(s, head, at) {
				continue
			}
			if c.kind == Reverts && head.Frames[at].Outcome == evm.Success { // it does not always fail
				c.tests = append(c.tests, name)
				continue
			}
			if base == nil {
				var err error
				if base, err = s.Head.RunOn(&s.Base.Build, run); err != nil {
					return err
				}
			}
			if c.onBase(head, at, base) {
				c.tests = append(c.tests, name)
			}
		}
	}
	return nil
}

// callsIn are the frames of a test function that are calls of the claim's function.
func (c *claim) callsIn(exec *evm.Execution) []int {
	var all []int
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.Contract == nil || isCreation(f) || !bytes.HasPrefix(f.Input, c.selector) {
			continue
		}
		if in := f.Program.Contract; in.QualifiedName() == c.contract || slices.Contains(in.Implements, bytecode.ShortName(c.contract)) {
			all = append(all, i)
		}
	}
	return all
}

// sees reports whether a call of a test does on the head what the finding's does, for an account without
// rights of its own.
func (c *claim) sees(s *Sides, exec *evm.Execution, at int) bool {
	f := &exec.Frames[at]
	switch lasts := exec.Lasting()[at]; {
	case c.kind == Reverts:
		return lasts || failureOf(f.Outcome, f.Output) == c.failure
	case !lasts || hasRights(exec, at):
		return false
	}
	missing := maps.Clone(c.writes)
	s.notePlaces(exec, at, func(_ word, by variable) { delete(missing, by) })
	return len(missing) == 0
}

// onBase reports whether the same call ends on the base as the finding's does there.
func (c *claim) onBase(head *evm.Execution, at int, base *evm.Execution) bool {
	if base.Truncated || len(base.Calls) != len(head.Calls) || oracle.Passes(base) { // it catches what it does not expect
		return false
	}
	f := &head.Frames[at]
	same := func(g *evm.Frame) bool {
		return g.Kind == f.Kind && g.Self == f.Self && g.Caller == f.Caller && bytes.Equal(g.Input, f.Input)
	}
	before := 0 // equal calls of the test
	for i := head.Calls[f.Call].Frames[0]; i < at; i++ {
		if same(&head.Frames[i]) {
			before++
		}
	}
	frames := base.Calls[f.Call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		g := &base.Frames[i]
		if !same(g) {
			continue
		}
		if before--; before >= 0 {
			continue
		}
		if c.kind == Reverts {
			return g.Outcome == evm.Success
		}
		return failureOf(g.Outcome, g.Output) == c.failure
	}
	return false
}

const (
	// maxRole is the greatest value under an account that may be a role, as the World's makers
	// have it (maxRoleValue): balances are greater.
	maxRole = 0xff
	// maxSmall is the length in bits of addresses that words hold for other reasons: a flag, a counter.
	maxSmall = 16
)

// hasRights reports whether what ran before a frame may have given its caller a right: a role in a
// mapping, or a variable that holds its address. A test of what such an account can do says nothing of others.
func hasRights(exec *evm.Execution, at int) bool {
	caller, test := exec.Frames[at].Caller, exec.Frames[exec.Calls[exec.Frames[at].Call].Frames[0]].Self
	account := new(uint256.Int).SetBytes20(caller[:])
	rights := map[word]bool{}
	for i := range at {
		f := &exec.Frames[i]
		if f.Outcome != evm.Success {
			continue
		}
		for j := range f.Storage {
			a := &f.Storage[j]
			if !a.Write || a.Address == test { // it keeps the addresses of its actors
				continue
			}
			keys := a.Keys.Words[:a.Keys.Count]
			rights[word{a.Address, a.Slot}] = slices.Contains(keys, *account) && !a.Value.IsZero() && a.Value.LtUint64(maxRole+1) ||
				len(keys) == 0 && account.BitLen() > maxSmall && holdsAccount(&a.Value, caller)
		}
	}
	for _, has := range rights {
		if has {
			return true
		}
	}
	return false
}

// holdsAccount reports whether an address is in a word, at whichever offset.
func holdsAccount(value *uint256.Int, account common.Address) bool {
	bytes32 := value.Bytes32()
	return bytes.Contains(bytes32[:], account[:])
}

// withMeant are the behaviors of an effect, with those that tests of the head contradict an oracle about.
func (p *pair) withMeant(e *Effect) []*Behavior {
	all := e.Behaviors
	for _, f := range e.Findings {
		tests := e.Meant[f]
		if len(tests) == 0 {
			continue
		}
		b := p.behavior(f.Sequence, sentBy(f.Sequence, p.Head.Space.Outsider()))
		if b == nil {
			continue
		}
		at := slices.IndexFunc(all, func(known *Behavior) bool {
			return known.Contract == b.Contract && known.Function == b.Function && known.Kind == b.Kind && known.Detail == b.Detail
		})
		if at < 0 {
			all, at = append(all, b), len(all)
		}
		all[at].Meant, all[at].Tests = f.Oracle, tests
	}
	return all
}

// sentBy reports whether a sender sends all calls.
func sentBy(seq input.Sequence, sender int) bool {
	return !slices.ContainsFunc(seq, func(c input.Call) bool { return c.Sender != sender })
}
