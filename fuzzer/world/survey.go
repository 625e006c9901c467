package world

import (
	"cmp"
	"context"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// A survey runs every test of the project once, each test contract on a chain of its own as
// in forge, to see which set-ups are worth something: those whose tests execute changed
// lines. What a contract may deploy says little of that: a base contract deploys everything
// and tests nothing.

const (
	// maxSurveyed bounds the test contracts that are run. Arbitrary; the largest projects
	// that were looked at have about 150.
	maxSurveyed = 512
	// surveyedAtOnce test contracts are run before the gas that they used is added up: so the
	// result does not depend on the number of processors.
	surveyedAtOnce = 16
	// surveyGas bounds all tests, and surveyTestGas those of one contract: a test that only
	// loops takes some eight seconds for 2^30 gas. The 593 tests of v4-core use less than 2^31.
	surveyGas     = 1 << 32
	surveyTestGas = 1 << 28
)

// survey is what running the tests of a contract showed.
type survey struct {
	// lines are the targets' lines that were executed, each with the function that did first.
	lines map[bytecode.Position]string
	// entries are the beginnings of the targets' lines, spare ones included, that each function
	// came to, by signature.
	entries map[string]map[bytecode.Location]bool
	// spare are lines that were executed in contracts of tests, qualified, which have copies of
	// them: of a library, or of a contract that a test inherits from.
	spare map[bytecode.Position][]string
	// makes are the test functions that deploy contracts with targets themselves.
	makes []made
	// failure is why the set-up failed, alone on a chain; empty: it did not.
	failure string
	at      bytecode.Location
	located bool
	gas     uint64
}

func newSurvey() *survey {
	return &survey{lines: map[bytecode.Position]string{}, entries: map[string]map[bytecode.Location]bool{}, spare: map[bytecode.Position][]string{}}
}

// covers counts lines of a set that the tests execute.
func (s *survey) covers(open map[bytecode.Position]bool) int {
	if s == nil {
		return 0
	}
	return countOpen(s, s.lines, open)
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

// coversSpare counts lines of a set that the tests execute in contracts of tests.
func (s *survey) coversSpare(open map[bytecode.Position]bool) int {
	if s == nil {
		return 0
	}
	return countOpen(s, s.spare, open)
}

// countOpen counts those of a survey's lines that are in a set; none where the set-up failed.
func countOpen[V any](s *survey, lines map[bytecode.Position]V, open map[bytecode.Position]bool) int {
	n := 0
	for line := range lines {
		if s.failure == "" && open[line] {
			n++
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

// survey runs the tests of all candidates, those of changed test files and those that may
// deploy what changed first.
func (s *setups) survey(ctx context.Context, table *bytecode.Table, options Options) error {
	var used uint64
	for some := range slices.Chunk(s.surveyed(), surveyedAtOnce) {
		if used >= surveyGas {
			return nil
		}
		if err := s.surveySome(ctx, some, table, options); err != nil {
			return err
		}
		for _, c := range some {
			used += c.survey.gas
			for line, function := range c.survey.lines {
				if _, known := s.tested[line]; !known {
					s.tested[line] = c.contract.Name + "." + function
				}
			}
		}
	}
	return nil
}

// surveyed are the candidates whose tests are run, in that order.
func (s *setups) surveyed() []*setupCandidate {
	order := slices.Clone(s.candidates)
	slices.SortStableFunc(order, func(x, y *setupCandidate) int { return y.promise() - x.promise() })
	return order[:min(len(order), maxSurveyed)]
}

// promise says how much is expected of a candidate before anything was run.
func (c *setupCandidate) promise() int {
	n := 0
	if c.changed {
		n += 2
	}
	if len(c.holds) > 0 {
		n++
	}
	return n
}

// surveySome runs the tests of some candidates in parallel. Each has a chain of its own, so
// that it does not matter which is first.
func (s *setups) surveySome(ctx context.Context, some []*setupCandidate, table *bytecode.Table, options Options) error {
	errs := make([]error, len(some))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var done sync.WaitGroup
	for i, c := range some {
		free <- struct{}{}
		done.Go(func() {
			defer func() { <-free }()
			c.survey, errs[i] = s.surveyOne(ctx, c.contract, table, options)
		})
	}
	done.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// surveyOne sets up a test contract and runs its tests.
func (s *setups) surveyOne(ctx context.Context, c *bytecode.Contract, table *bytecode.Table, options Options) (*survey, error) {
	r, up, exec, err := s.alone(ctx, c, table, options)
	if err != nil {
		return nil, err
	}
	result := newSurvey()
	result.gas = up.gas
	if exec != nil {
		s.see(exec, up.what(), result, r.table)
	}
	if up.Failure != "" {
		result.failure, result.at, result.located = up.Failure, up.At, up.Located
		return result, nil
	}
	if err := r.moveTo(r.machine.Export()); err != nil {
		return nil, err
	}
	var used uint64
	for _, m := range surveyedFunctions(c.ABI) {
		if err := ctx.Err(); err != nil || used >= surveyTestGas {
			return result, err
		}
		var deploys []*bytecode.Contract
		gas, call, err := r.tryTest(up, &m, func(exec *evm.Execution) {
			s.see(exec, m.Sig, result, r.table)
			deploys = s.deployedBy(exec, r.table)
		})
		if err != nil {
			return nil, err
		}
		if len(deploys) > 0 {
			result.makes = append(result.makes, made{TestCall{Function: m.Sig, Data: call.Data}, deploys})
		}
		used += gas
		result.gas += gas
	}
	return result, nil
}

// alone sets up a test contract on a chain of its own. What the set-up did is nil where it did not run.
func (s *setups) alone(ctx context.Context, c *bytecode.Contract, table *bytecode.Table, options Options) (*testRunner, *TestSetup, *evm.Execution, error) {
	options.Entries = nil // nothing is kept of this World
	up := &TestSetup{Contract: c}
	r, err := startRunner(options.Plan.on(foundryWorld(options.Fork, &s.chain, s.edge(options.Plan))), table, options)
	if err != nil {
		return nil, up, nil, err
	}
	r.tester = s.chain.Sender
	exec, err := r.runSetUp(ctx, up, &s.chain)
	return r, up, exec, err
}

// surveyedFunctions are those that forge would call on a test contract.
func surveyedFunctions(a abi.ABI) []abi.Method {
	list := testFunctions(a)
	first := len(list)
	for _, m := range a.Methods {
		if strings.HasPrefix(m.RawName, "invariant") && len(m.Inputs) == 0 {
			list = append(list, m)
		}
	}
	slices.SortFunc(list[first:], func(x, y abi.Method) int { return strings.Compare(x.Sig, y.Sig) })
	return list
}

// see notes the targets' lines that an execution came to.
func (s *setups) see(exec *evm.Execution, function string, result *survey, table *bytecode.Table) {
	for _, c := range exec.Covered {
		at, ok := blockStart(table, &c)
		if !ok {
			continue
		}
		lines, spare := s.Entries[at], s.Spare[at]
		if len(lines) == 0 && len(spare) == 0 {
			continue
		}
		if result.entries[function] == nil {
			result.entries[function] = map[bytecode.Location]bool{}
		}
		result.entries[function][at] = true
		for _, line := range spare {
			if !slices.Contains(result.spare[line.Position], line.Contract) {
				result.spare[line.Position] = append(result.spare[line.Position], line.Contract)
			}
		}
		for _, line := range lines {
			if _, known := result.lines[line]; !known {
				result.lines[line] = function
			}
		}
	}
}

// blockStart is where a block that was entered begins; false where its code is not known.
func blockStart(table *bytecode.Table, c *evm.Coverage) (at bytecode.Location, known bool) {
	p := table.Program(c.Code)
	if p == nil || int(c.Block) >= len(p.Blocks) {
		return at, false
	}
	return bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start}, true
}

// artifact is the code of a contract of the build, or of an artifact that is a file of the project's.
func (s *setups) artifact(name string) (creation, deployed []byte, err error) {
	creation, deployed, err = codeOf(s.contracts, name)
	if err == nil || s.ReadFile == nil || path.Ext(name) != ".json" {
		return creation, deployed, err
	}
	data, unread := s.ReadFile(name)
	if unread != nil {
		return nil, nil, err
	}
	return codeOfFile(data, name)
}

// edge is what cheatcodes of a test see of the project.
func (s *setups) edge(plan *Plan) cheatcode.Edge {
	return cheatcode.Edge{
		Artifact: s.artifact,
		ReadFile: s.ReadFile, Root: s.Root, Fork: s.fork(plan),
	}
}
