package world

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/fuzzer/evm"
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

// surveyor runs tests, each test contract on a chain of its own.
type surveyor struct {
	*setups
	table   *bytecode.Table
	options Options // of the machines that tests run on
}

// run runs the tests of all candidates, those of changed test files and those that may
// deploy what changed first.
func (s *surveyor) run(ctx context.Context) error {
	var used uint64
	for some := range slices.Chunk(s.surveyed(), surveyedAtOnce) {
		if used >= surveyGas {
			return nil
		}
		if err := s.surveySome(ctx, some); err != nil {
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
func (s *surveyor) surveyed() []*setupCandidate {
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
func (s *surveyor) surveySome(ctx context.Context, some []*setupCandidate) error {
	errs := make([]error, len(some))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var done sync.WaitGroup
	for i, c := range some {
		free <- struct{}{}
		done.Go(func() {
			defer func() { <-free }()
			c.survey, errs[i] = s.surveyOne(ctx, c.contract)
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
func (s *surveyor) surveyOne(ctx context.Context, c *bytecode.Contract) (*survey, error) {
	r, up, exec, err := s.alone(ctx, c)
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
			deploys = s.deployedBy(exec)
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
func (s *surveyor) alone(ctx context.Context, c *bytecode.Contract) (*testRunner, *TestSetup, *evm.Execution, error) {
	options := s.options
	options.Entries = nil // nothing is kept of this World
	up := &TestSetup{Contract: c}
	r, err := startRunner(options.Plan.on(foundryWorld(options.Fork, &s.chain, s.edge(options.Plan))), s.table, options)
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

// deployedBy lists the contracts with targets that the last call of an execution, a test
// function, has created; none if it failed.
func (s *surveyor) deployedBy(exec *evm.Execution) []*bytecode.Contract {
	if exec.Calls[len(exec.Calls)-1].Outcome != evm.Success {
		return nil
	}
	var contracts []*bytecode.Contract
	for _, c := range createdBy(exec) {
		p := s.table.LookupCreation(c.call.Data)
		if p != nil && p.Contract != nil && len(s.Lines[p.Contract.QualifiedName()]) > 0 && !slices.Contains(contracts, p.Contract) {
			contracts = append(contracts, p.Contract)
		}
	}
	return contracts
}

// made is what a test function deploys.
type made struct {
	TestCall
	contracts []*bytecode.Contract // with targets
}
