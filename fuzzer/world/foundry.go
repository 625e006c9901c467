package world

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// foundry makes a World as the set-ups of the project's tests do.
type foundry struct {
	*deployer
	setups   *setups
	linker   *linker
	parties  *parties
	callers  *callers
	twins    *twins
	runner   *testRunner
	adopter  *adopter
	examples *examples
}

// setUp runs the set-up of a test contract as forge does: libraries, the test
// contract, setUp() if it has one. When that succeeds, the World in the making has what
// it has made, and the instances are callable; when not, or when it gained nothing, all
// is as before and the result says why.
func (fo *foundry) setUp(ctx context.Context, c *setupCandidate) (*TestSetup, error) {
	s := fo.setups
	up := &TestSetup{Contract: c.contract}
	before := fo.save()
	exec, err := fo.runner.runSetUp(ctx, up, &s.chain)
	if err == nil && up.Failure == "" {
		err = fo.adopter.adopt(exec, up)
	}
	if c := fo.machine.World().Cheats; c != nil {
		up.pranks = c.State.Pranks
	}
	if err == nil && up.Failure == "" && !s.strict() && c.survey.covers(s.unrun)+c.survey.covers(s.unfollowed) == 0 && !c.spare && !s.gains(fo.instances[before.instances:]) {
		up.Failure, up.Idle = "it deploys no contract with targets that is not there already", true
	}
	if err != nil || up.Failure != "" {
		fo.restore(before)
	}
	return up, err
}

// saved is what a set-up that fails must not leave changed.
type saved struct {
	machine                           *gethvm.Reference
	calls                             evm.Sequence
	steps                             int
	nonce                             uint64
	instances, deployments, additions int
	tests, once                       int
	parties                           []party
	members                           []member
	libraries                         map[string]*library
	labels, names                     map[common.Address]string
	tried                             map[*bytecode.Contract]bool
	ran                               map[bytecode.Location]string
}

func (fo *foundry) save() saved {
	return saved{
		machine: fo.machine, calls: fo.calls, steps: len(fo.writer.steps), nonce: fo.nonce,
		instances: len(fo.instances), deployments: len(fo.report.Deployments), additions: len(fo.report.Additions),
		tests: len(fo.tests), once: len(fo.twins.once),
		parties: slices.Clone(fo.parties.met), members: fo.callers.members, libraries: maps.Clone(fo.linker.libraries), labels: maps.Clone(fo.namer.labels), names: maps.Clone(fo.namer.names), tried: maps.Clone(fo.tried),
		ran: maps.Clone(fo.report.ran),
	}
}

func (fo *foundry) restore(s saved) {
	fo.machine, fo.calls, fo.nonce = s.machine, s.calls, s.nonce
	fo.writer.steps = fo.writer.steps[:s.steps]
	fo.instances, fo.tests = fo.instances[:s.instances], fo.tests[:s.tests]
	fo.report.Deployments = fo.report.Deployments[:s.deployments]
	fo.report.Additions = fo.report.Additions[:s.additions]
	fo.callers.members = s.members
	fo.parties.met, fo.linker.libraries, fo.namer.labels, fo.namer.names, fo.tried = s.parties, s.libraries, s.labels, s.names, s.tried
	fo.report.ran, fo.twins.once = s.ran, fo.twins.once[:s.once]
}

// also runs a test function after the set-ups and adopts what it makes; or says why not, and
// leaves nothing of it.
func (fo *foundry) also(ctx context.Context, up *TestSetup, call TestCall) (failure string, err error) {
	s := fo.setups
	before := fo.save()
	if err := fo.runner.as(up); err != nil {
		return "", err
	}
	fo.calls = append(fo.calls, evm.Call{From: fo.runner.tester, To: up.Address, Data: call.Data, Gas: s.chain.Gas})
	exec, err := fo.machine.Run(fo.calls)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	if result := &exec.Calls[len(exec.Calls)-1]; result.Outcome != evm.Success {
		fo.restore(before)
		return fmt.Sprintf("its %s fails: %s", call.Function, result.Reason()), nil
	}
	if call.Made, err = fo.adopter.adoptCreated(exec, up, call.Function); err != nil {
		return "", err
	}
	up.Also = append(up.Also, call)
	return "", nil
}

// senders lists the senders of a World that set-ups made: those of every World, the
// test contracts, and those that the set-ups prescribe, or else up to maxParties that
// they made special, the strongest sign first.
func (fo *foundry) senders(w *evm.World) ([]evm.Sender, error) {
	s := fo.setups
	c := newCast(w, fo.report)
	for _, up := range s.tried {
		if up.Failure == "" {
			if err := c.add(up.Contract.Name, party{address: up.Address, why: "test contract"}); err != nil {
				return nil, err
			}
		}
	}
	for _, absent := range s.Absent {
		if err := c.add(absent.Name, party{address: absent.Address, why: "test contract of another version"}); err != nil {
			return nil, err
		}
	}
	if s.Senders != nil {
		err := c.addPrescribed(s.Senders)
		return c.list, err
	}
	if fo.namer.names[s.chain.Sender] == "" {
		fo.namer.names[s.chain.Sender] = "forge" // that its tests call by no name
	}
	for _, in := range w.Instances {
		if in.Scope == nil {
			continue
		}
		for _, sender := range in.Scope.Senders { // without them, none of its calls would be in scope
			fo.parties.addParty(party{address: sender, sign: targeted, why: "target sender of " + in.Name})
		}
	}
	err := fo.parties.addParties(c)
	return c.list, err
}

// addPrescribed adds senders that another World has. A contract in whose name a test calls goes by
// its name: this World may have it elsewhere.
func (c *cast) addPrescribed(senders []evm.Sender) error {
	for _, s := range senders {
		address := s.Address
		if i := slices.IndexFunc(c.world.Instances, func(in evm.Instance) bool { return in.Name == s.Name }); i >= 0 {
			address = c.world.Instances[i].Address
		}
		if other, taken := c.taken[s.Name]; taken && other != address || c.sending[address] || s.TestsOnly || s.Outsider || s.IsContract() {
			continue
		}
		if err := c.add(s.Name, party{address: address, key: s.Key}); err != nil {
			return err
		}
	}
	return nil
}

// settle leaves of cheatcodes what campaigns need. Contracts under test must not
// find them: whoever may choose what is called would rule the chain. Test contracts
// that are called need them, and what a set-up mocked stays so. Of files and artifacts
// those stay that were asked for: a reproducer has them.
func (fo *foundry) settle(w *evm.World) {
	s := fo.setups
	asked := harnesses(w.Instances)
	callable := len(asked) > 0 || slices.ContainsFunc(w.Instances, func(in evm.Instance) bool {
		return slices.Contains(fo.tests, in.Address) || slices.Contains(fo.adopter.actors, in.Address)
	})
	if !callable && len(w.Cheats.State.Mocks) == 0 {
		w.DisableCheats()
		return
	}
	s.Asked.Ask(w.Cheats.Edge)
	w.Cheats.Edge = cheatcode.Edge{}
	if callable && !s.answers.Empty() {
		w.Cheats.Answers = s.answers
	}
	w.Cheats.Only = onlyFor(fo.tests, fo.adopter.actors, asked)
	for _, in := range w.Instances {
		if len(in.Tests) == 0 {
			continue
		}
		w.Cheats.Tester, w.Cheats.Lenient = fo.runner.tester, s.Lenient
		alone := in.Bare.World.Cheats // everybody's calls of cheatcodes count, as in forge
		alone.Tester, alone.Lenient = fo.runner.tester, s.Lenient
		alone.Edge, alone.Answers = cheatcode.Edge{}, w.Cheats.Answers
	}
}
