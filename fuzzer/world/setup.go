package world

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// SetupOptions say which of the project's own Foundry tests make the World.
type SetupOptions struct {
	// Contracts names the test contracts to use, in this order, and calls of their functions
	// that are made afterwards, see [NamedTest]; empty: [Make] chooses.
	Contracts []string
	// Strict makes it an error when one of Contracts fails. For a World that is to
	// be compared with another one, made in the same way.
	Strict bool
	// Senders send calls, in addition to the test contracts; nil: [Make] chooses.
	Senders []evm.Sender
	// Lenient is [evm.Cheats.Lenient].
	Lenient bool
	// Tests are the fuzz tests to run, signatures by the qualified name of the test
	// contract; nil: [Make] chooses.
	Tests map[string][]string
	// Also are calls of test functions that make the World after the set-ups, as calldata by
	// the qualified name of the test contract; nil: [Make] chooses, unless Contracts do.
	Also map[string][][]byte
	// Lines are the targets' lines by the qualified name of the contract that
	// holds them.
	Lines map[string][]bytecode.Position
	// Entries are the instructions with which the code of these lines begins: [Make] runs all
	// tests to see which of them come to which. nil: it goes by what they may deploy.
	Entries map[bytecode.Location][]bytecode.Position
	// Spare are entries likewise, in contracts of tests, of lines that contracts under test hold
	// as well: where no test executes a line there, the tests' contract is a target itself, and
	// Lines get its line.
	Spare map[bytecode.Location][]SpareLine
	// Changed reports whether the change touches a test contract's source: what its tests
	// execute counts double. nil: it touches none.
	Changed func(c *bytecode.Contract) bool
	// Chain is what the tests run on; nil: [DefaultChain].
	Chain *Chain
	// ReadFile reads a file of the project for a cheatcode, and Root is the project's
	// folder as cheatcodes return it; nil and empty: those cheatcodes are refused.
	ReadFile func(path string) ([]byte, error)
	Root     string
	// Asked are the answers that cheatcodes got in another World, made in the same way:
	// those of this World get them too. nil: none.
	Asked *cheatcode.Answers
	// Places are the addresses of test contracts, by their qualified names, in the World of another build that ran
	// the same set-ups and others, and Names its instances: those of this World go by the same addresses and names.
	// nil: this build is the only one.
	Places map[string]common.Address
	Names  map[common.Address]PlacedName
	// Absent are test contracts of that build, as its senders, that this one lacks: they send here as well, and
	// have not set up anything.
	Absent []evm.Sender
	// Fork says why a test cannot fork the chain that the plan's Origin is, see
	// [cheatcode.Fork]; nil: none can.
	Fork func(name string, block *uint64) error
}

// TestSetup is the outcome of a test contract's set-up.
type TestSetup struct {
	Contract *bytecode.Contract
	Function string // "setUp()"; empty when only its constructor ran
	// Failure says, for people, why nothing of it is in the World; empty: all is.
	Failure string
	// Idle: nothing is wrong with it, or nothing that matters: it is of no use here.
	Idle bool
	// At is the instruction that made it fail, when Located.
	At      bytecode.Location
	Located bool

	Address common.Address // of the test contract

	// Made are the accounts that it gave code, libraries and the test contract itself included,
	// by address.
	Made []MadeAccount

	// Also are the test functions that were run after all set-ups, since they deploy what has
	// targets themselves.
	Also []TestCall

	gas    uint64            // that it used
	tests  []string          // its fuzz tests that are worth running, by signature
	pranks []cheatcode.Prank // that it left open
}

// PlacedName is what an instance of a contract, by its qualified name, is called.
type PlacedName struct{ Contract, Name string }

// SpareLine is a line in a contract of tests.
type SpareLine struct {
	bytecode.Position
	Contract string // qualified
}

// TestCall is the call of a test function.
type TestCall struct {
	Function string // its signature
	Data     []byte
	Made     []MadeAccount // as a set-up's
}

const (
	// maxSetups bounds the set-ups that one World is made of: each brings a sender
	// and some instances, over which a campaign's calls are spread. Arbitrary; most
	// pull requests touch what one or two test contracts set up.
	maxSetups = 32
	// maxSetupTries bounds those that are run to find them, at up to a second each
	// (2^30 gas). Arbitrary.
	maxSetupTries = 64
	// maxSetupGas bounds the gas of all of them, as a multiple of what one may use: a
	// set-up that does nothing but loop takes 2^30 gas in some eight seconds.
	maxSetupGas = 4
)

// run runs set-ups as long as they are worth it: first those whose tests execute lines that
// no other's do.
func (fo *foundry) run(ctx context.Context) error {
	s := fo.setups
	if err := fo.runFor(ctx, func(w worth) int { return w.runs }); err != nil {
		return err
	}
	for _, u := range s.used {
		if u.survey.coversSpare(s.unrun) > 0 && len(fo.instances) < fo.limit {
			up := &s.tried[u.setUp]
			s.useSpare(u.setupCandidate, fo.report)
			if s.holdsTargets(up.Contract) {
				fo.adopter.makeCallable(up)
			}
		}
	}
	if err := fo.runFor(ctx, func(w worth) int { return w.spare }); err != nil {
		return err
	}
	return fo.runFor(ctx, func(w worth) int { return w.holds + w.asked })
}

// runFor runs set-ups as long as there is one that is worth it for a reason.
func (fo *foundry) runFor(ctx context.Context, reason func(worth) int) error {
	s := fo.setups
	for len(s.used) < maxSetups && len(s.tried) < maxSetupTries && s.gas/maxSetupGas < s.chain.Gas {
		c := s.next(reason)
		if c == nil {
			return nil
		}
		if c.survey != nil && c.survey.failure != "" { // it would fail here, too
			s.tried = append(s.tried, c.failed())
			continue
		}
		if err := fo.use(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// use runs a set-up.
func (fo *foundry) use(ctx context.Context, c *setupCandidate) error {
	s := fo.setups
	if !s.strict() && c.survey.covers(s.unrun) == 0 && c.survey.coversSpare(s.unrun) > 0 {
		c.spare = true
		s.useSpare(c, fo.report)
	}
	up, err := fo.setUp(ctx, c)
	if err != nil {
		return fmt.Errorf("setting up %s: %w", c.contract.QualifiedName(), err)
	}
	s.tried = append(s.tried, *up)
	s.gas += up.gas
	if up.Failure != "" && s.Strict {
		return fmt.Errorf("%s cannot be set up: %s", c.contract.QualifiedName(), up.Failure)
	}
	if up.Failure != "" {
		return nil
	}
	s.used = append(s.used, usedSetup{c, len(s.tried) - 1})
	if c.survey != nil {
		for line := range c.survey.lines {
			delete(s.unrun, line)
		}
	}
	s.hold(fo.instances)
	return nil
}
