package world

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

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

// setups is the choice of test contracts.
type setups struct {
	*SetupOptions
	chain      Chain
	contracts  []*bytecode.Contract
	candidates []*setupCandidate
	unheld     map[bytecode.Position]bool // targets' lines that no instance holds
	unrun      map[bytecode.Position]bool // targets' lines that no test of a used set-up executes
	unfollowed map[bytecode.Position]bool // of the others, those that sequences of its calls do not
	tried      []TestSetup
	used       []usedSetup
	tested     map[bytecode.Position]string // see [Report.TestedBy]
	met        map[bytecode.Location]bool   // targets' lines that examples came to
	gas        uint64                       // that they used, and those that failed
	answers    *cheatcode.Answers           // what cheatcodes were told of files and artifacts
	recorded   cheatcode.Edge               // of the World
}

// usedSetup is one that made the World, as an index of those tried.
type usedSetup struct {
	*setupCandidate
	setUp int
}

// setupCandidate is a test contract that was not run.
type setupCandidate struct {
	contract *bytecode.Contract
	holds    []*bytecode.Contract // what it may deploy that has targets, itself included
	changed  bool                 // its source is part of the change
	survey   *survey              // nil: its tests were not run
	spare    bool                 // it is used for lines of its own copies
}

func newSetups(contracts []*bytecode.Contract, options Options) (*setups, error) {
	s := &setups{SetupOptions: options.Setup, chain: DefaultChain(), contracts: contracts, unheld: map[bytecode.Position]bool{}, unrun: map[bytecode.Position]bool{}, unfollowed: map[bytecode.Position]bool{}, tested: map[bytecode.Position]string{}, met: map[bytecode.Location]bool{}}
	if s.Chain != nil {
		s.chain = *s.Chain
	}
	var holders []*bytecode.Contract
	for _, c := range contracts {
		lines := s.Lines[c.QualifiedName()]
		for _, l := range lines {
			s.unheld[l], s.unrun[l] = true, true
		}
		if len(lines) > 0 {
			holders = append(holders, c)
		}
	}
	own := *options.Setup
	own.Also = maps.Clone(own.Also)
	s.SetupOptions = &own
	for _, name := range s.Contracts {
		c, call, err := NamedTest(contracts, name)
		if err != nil {
			return nil, err
		}
		if call != nil {
			s.alsoCall(c, call)
		}
		if call == nil || !slices.ContainsFunc(s.candidates, func(other *setupCandidate) bool { return other.contract == c }) {
			s.candidates = append(s.candidates, &setupCandidate{contract: c})
		}
	}
	if len(s.Contracts) > 0 {
		return s, nil
	}
	for _, c := range contracts {
		if !IsTestContract(c) {
			continue
		}
		candidate := &setupCandidate{contract: c, changed: s.Changed != nil && s.Changed(c)}
		for _, h := range holders {
			if h == c || creates(c, h) || fetches(c, h) {
				candidate.holds = append(candidate.holds, h)
			}
		}
		s.candidates = append(s.candidates, candidate)
	}
	return s, nil
}

// fork is the chain that tests may fork; nil where there is none.
func (s *setups) fork(plan *Plan) *cheatcode.Fork {
	if s.Fork == nil || plan == nil || plan.Origin == nil || plan.Block == nil {
		return nil
	}
	at := plan.Block
	return &cheatcode.Fork{Check: s.Fork, Environment: cheatcode.Environment{
		ChainID: at.ChainID, Number: at.Number, Time: at.Time, Coinbase: at.Coinbase, PrevRandao: at.PrevRandao,
		BaseFee: at.BaseFee, BlobBaseFee: 1, GasLimit: at.GasLimit, // blob gas costs at least 1 wei (EIP-4844)
	}}
}

// fetches reports whether c names d in a literal, as vm.getCode and deployCode take
// it.
func fetches(c, d *bytecode.Contract) bool {
	return slices.ContainsFunc(c.Texts, func(text string) bool { return isNamed(d, text) })
}

// strict reports whether the user named the set-ups, which then count whatever they
// deploy.
func (s *setups) strict() bool { return len(s.Contracts) > 0 }

// next takes out the candidate to run next, the best of those that are worth it for a
// reason; nil when there is none.
func (s *setups) next(reason func(worth) int) *setupCandidate {
	best, most := -1, worth{}
	for i, c := range s.candidates {
		if s.strict() {
			best = 0
			break
		}
		if w := s.worth(c); reason(w) > 0 && (best < 0 || w.compare(most) > 0) {
			best, most = i, w
		}
	}
	if best < 0 {
		return nil
	}
	c := s.candidates[best]
	s.candidates = slices.Delete(s.candidates, best, best+1)
	return c
}

// worth is what a candidate adds to the set-ups that were run.
type worth struct {
	runs   int // lines that its tests execute, doubled where they are part of the change
	spare  int // likewise, in its own copy of a library
	follow int // lines that its tests execute and that no sequence does yet
	holds  int // lines that its code holds
	tests  int // how many of its tests execute such lines, added up
	setUp  int // 1: it has a setUp()
	asked  int // 1: it says what must hold of changed contracts
}

func (w worth) compare(v worth) int {
	return cmp.Or(cmp.Compare(w.runs, v.runs), cmp.Compare(w.spare, v.spare), cmp.Compare(w.follow, v.follow),
		cmp.Compare(w.tests, v.tests), cmp.Compare(w.holds, v.holds), cmp.Compare(w.setUp, v.setUp))
}

func (s *setups) worth(c *setupCandidate) worth {
	w := worth{runs: c.survey.covers(s.unrun), spare: c.survey.coversSpare(s.unrun), follow: c.survey.covers(s.unfollowed), holds: s.gain(c.holds)}
	w.tests = s.tests(c.survey)
	if c.changed {
		w.runs, w.spare, w.follow = 2*w.runs, 2*w.spare, 2*w.follow
	}
	if hasMethod(c.contract.ABI, setUpSignature) {
		w.setUp = 1
	}
	if len(c.holds) > 0 && hasInvariants(c.contract) {
		w.asked = 1
	}
	return w
}

// gain counts the lines that contracts hold and no instance does.
func (s *setups) gain(contracts []*bytecode.Contract) int {
	seen := map[bytecode.Position]bool{}
	for _, c := range contracts {
		for _, l := range s.Lines[c.QualifiedName()] {
			if s.unheld[l] {
				seen[l] = true
			}
		}
	}
	return len(seen)
}

// gains reports whether instances hold lines that no other does.
func (s *setups) gains(instances []evm.Instance) bool {
	return slices.ContainsFunc(instances, func(in evm.Instance) bool { return s.gain([]*bytecode.Contract{in.Contract}) > 0 })
}

// run runs set-ups as long as they are worth it: first those whose tests execute lines that
// no other's do.
func (s *setups) run(ctx context.Context, f *foundry) error {
	if err := s.runFor(ctx, f, func(w worth) int { return w.runs }); err != nil {
		return err
	}
	for _, u := range s.used {
		if u.survey.coversSpare(s.unrun) > 0 && len(f.instances) < f.limit {
			up := &s.tried[u.setUp]
			s.useSpare(u.setupCandidate, f.report)
			if s.holdsTargets(up.Contract) {
				f.adopter.makeCallable(up)
			}
		}
	}
	if err := s.runFor(ctx, f, func(w worth) int { return w.spare }); err != nil {
		return err
	}
	return s.runFor(ctx, f, func(w worth) int { return w.holds + w.asked })
}

// runFor runs set-ups as long as there is one that is worth it for a reason.
func (s *setups) runFor(ctx context.Context, f *foundry, reason func(worth) int) error {
	for len(s.used) < maxSetups && len(s.tried) < maxSetupTries && s.gas/maxSetupGas < s.chain.Gas {
		c := s.next(reason)
		if c == nil {
			return nil
		}
		if c.survey != nil && c.survey.failure != "" { // it would fail here, too
			s.tried = append(s.tried, c.failed())
			continue
		}
		if err := s.use(ctx, f, c); err != nil {
			return err
		}
	}
	return nil
}

// use runs a set-up.
func (s *setups) use(ctx context.Context, f *foundry, c *setupCandidate) error {
	if !s.strict() && c.survey.covers(s.unrun) == 0 && c.survey.coversSpare(s.unrun) > 0 {
		c.spare = true
		s.useSpare(c, f.report)
	}
	up, err := f.setUp(ctx, c, s)
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
	s.hold(f.instances)
	return nil
}

// hold takes the lines off that instances hold.
func (s *setups) hold(instances []evm.Instance) {
	for _, in := range instances {
		for _, l := range s.Lines[in.Contract.QualifiedName()] {
			delete(s.unheld, l)
		}
	}
}

// failed is the set-up of a candidate that failed in the survey.
func (c *setupCandidate) failed() TestSetup {
	up := TestSetup{Contract: c.contract, Failure: c.survey.failure, At: c.survey.at, Located: c.survey.located}
	if hasMethod(c.contract.ABI, setUpSignature) {
		up.Function = setUpSignature
	}
	return up
}

// nameRest says of all other test contracts why they are not used.
func (s *setups) nameRest() {
	if s.strict() {
		return
	}
	if !s.succeeded() { // then those matter that only add nothing
		for i := range s.tried {
			s.tried[i].Idle = false
		}
	}
	for _, c := range s.candidates {
		up := TestSetup{Contract: c.contract, Idle: true}
		if hasMethod(c.contract.ABI, setUpSignature) {
			up.Function = setUpSignature
		}
		switch v := c.survey; {
		case v == nil:
			up.Failure = "it deploys no contract with targets that is not there already"
			if len(s.Entries) > 0 || s.gain(c.holds) > 0 {
				up.Failure = "there was no time to run it"
			}
		case v.failure != "":
			up = c.failed()
			up.Idle = !c.changed && len(c.holds) == 0
		case v.covers(s.unrun) > 0, v.coversSpare(s.unrun) > 0:
			up.Failure = fmt.Sprintf("a World is made of at most %d set-ups", maxSetups)
		case v.covers(s.unfollowed) > 0:
			up.Failure = "its tests execute changed lines, as those of others do whose calls could not be followed there"
		case len(v.lines) > 0, len(v.spare) > 0:
			up.Failure = "its tests execute no changed line that those of others do not"
		default:
			up.Failure = "its tests execute no changed line"
		}
		s.tried = append(s.tried, up)
	}
}

func (s *setups) succeeded() bool {
	return slices.ContainsFunc(s.tried, func(up TestSetup) bool { return up.Failure == "" })
}

// settle leaves of cheatcodes what campaigns need. Contracts under test must not
// find them: whoever may choose what is called would rule the chain. Test contracts
// that are called need them, and what a set-up mocked stays so. Of files and artifacts
// those stay that were asked for: a reproducer has them.
func (fo *foundry) settle(w *evm.World, s *setups) {
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
