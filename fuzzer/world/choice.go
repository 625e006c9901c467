package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
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
	if hasMethod(c.contract.ABI, evm.SetUp) {
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
	if hasMethod(c.contract.ABI, evm.SetUp) {
		up.Function = evm.SetUp
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
		if hasMethod(c.contract.ABI, evm.SetUp) {
			up.Function = evm.SetUp
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

// alsoCall adds a call that options name.
func (s *setups) alsoCall(c *bytecode.Contract, call []byte) {
	if s.Also == nil {
		s.Also = map[string][][]byte{}
	}
	name := c.QualifiedName()
	s.Also[name] = append(slices.Clip(s.Also[name]), call)
}

// holdsTargets reports whether a contract's own code has lines of targets.
func (s *setups) holdsTargets(c *bytecode.Contract) bool {
	return len(s.Lines[c.QualifiedName()]) > 0
}

// tests adds up, over lines that no set-up executes or is followed to yet, the test functions that
// execute them.
func (s *setups) tests(v *survey) int {
	if v == nil || v.failure != "" {
		return 0
	}
	n := 0
	for function, entries := range v.entries {
		if !strings.HasPrefix(function, "test") {
			continue // a set-up
		}
		for at := range entries {
			for _, line := range s.Entries[at] {
				if s.unrun[line] || s.unfollowed[line] {
					n++
				}
			}
		}
	}
	return n
}

// useSpare makes those lines targets, in contracts of tests, that no test executes elsewhere.
func (s *setups) useSpare(c *setupCandidate, r *Report) {
	lines := slices.SortedFunc(maps.Keys(c.survey.spare), func(x, y bytecode.Position) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	for _, line := range lines {
		if !s.unrun[line] {
			continue
		}
		delete(s.unrun, line)
		for _, contract := range c.survey.spare[line] {
			s.Lines[contract] = append(s.Lines[contract], line)
			r.useSpare(contract, line)
		}
	}
}
