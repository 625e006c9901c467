package world

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The fuzz tests of a set-up say with which arguments forge would call what: they are run
// as forge runs them, with arguments of our own, where they come to what changed.

// maxFuzzTests bounds those of one World, in the order in which they were run. Arbitrary; each
// gets its share of a campaign.
const maxFuzzTests = 128

// fuzzTest is what the runs of one showed.
type fuzzTest struct {
	touches bool // some run entered code of a contract with targets
	passed  bool // some run succeeded
	clear   bool // some run did not depend on what is not here
}

// see looks at a run, the last call of an execution.
func (t *fuzzTest) see(exec *evm.Execution, lines map[string][]bytecode.Position) {
	last := &exec.Calls[len(exec.Calls)-1]
	t.passed = t.passed || last.Outcome == evm.Success
	asInForge := true
	for i := last.Frames[0]; i < last.Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Program != nil && f.Program.Contract != nil && len(lines[f.Program.Contract.QualifiedName()]) > 0 {
			t.touches = true
		}
		if f.CodeAddress == cheatcode.Address && !cheatcode.AsInForge(f.Input, f.Outcome == evm.Success) {
			asInForge = false
		}
	}
	t.clear = t.clear || asInForge
}

// worthRunning reports whether a campaign may come to what changed with it: it did, or it
// did nothing yet that would tell.
func (t *fuzzTest) worthRunning() bool { return t.clear && (t.touches || !t.passed) }

// runTests makes the test contracts callable that have fuzz tests worth running, and lets
// the account run them that forge has for it.
func (fo *foundry) runTests(ctx context.Context, w *evm.World, options Options) error {
	s := fo.setups
	left := maxFuzzTests
	for i := range s.tried {
		up := &s.tried[i]
		tests := up.tests[:min(len(up.tests), left)]
		if up.Failure != "" || len(tests) == 0 {
			continue
		}
		bare, err := fo.bare(ctx, up, options)
		if err != nil {
			return err
		}
		if bare == nil {
			continue
		}
		left -= len(tests)
		at := slices.IndexFunc(fo.instances, func(in evm.Instance) bool { return in.Address == up.Address })
		if at < 0 {
			if len(fo.instances) >= fo.limit {
				break
			}
			fo.adopter.instance(up.Contract, up.Address, nil, "its fuzz tests are run")
			at = len(fo.instances) - 1
			fo.instances[at].Asked = true
		}
		fo.instances[at].Tests, fo.instances[at].Bare = tests, bare
	}
	w.Instances = fo.instances
	if left == maxFuzzTests || slices.ContainsFunc(w.Senders, func(sender evm.Sender) bool { return sender.Address == fo.runner.tester }) {
		return nil
	}
	c := newCast(w, fo.report)
	if err := c.add("forge", party{address: fo.runner.tester, why: "runs the fuzz tests"}); err != nil {
		return err
	}
	w.Senders = c.list
	w.Senders[len(w.Senders)-1].TestsOnly = true
	return nil
}

// Tests are the fuzz tests of a World that are run, by the qualified name of the contract.
func Tests(w *evm.World) map[string][]string {
	tests := map[string][]string{}
	for _, in := range w.Instances {
		if len(in.Tests) > 0 {
			tests[in.Contract.QualifiedName()] = in.Tests
		}
	}
	return tests
}
