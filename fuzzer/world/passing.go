package world

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRun is a run of a test function that ends without a revert, alone on a chain as in forge.
type TestRun struct {
	Contract *bytecode.Contract
	Function string // its signature
	// World and Calls are what ran: libraries, the test contract, its setUp() and, as the last call, the
	// function. They are the same for all functions of a contract but for that call.
	World     *evm.World
	Calls     evm.Sequence
	Execution *evm.Execution // of all calls; valid until look returns
}

// RunTests runs test functions of the project, those of changed test files first, and shows the runs
// that end without a revert to look. concerns chooses the test contracts. It does as much as a survey at most.
func RunTests(ctx context.Context, table *bytecode.Table, options Options, concerns func(*bytecode.Contract) bool, look func(*TestRun) error) error {
	if options.Setup == nil {
		return nil
	}
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	options.Machine = append(slices.Clip(options.Machine), evm.LiftCodeSizeLimits) // as forge does
	all := *options.Setup
	all.Contracts, all.Also = nil, nil
	options.Setup = &all
	chosen, err := newSetups(table.Contracts(), options)
	if err != nil {
		return err
	}
	s := &surveyor{chosen, table, options}
	var used uint64
	for _, c := range s.surveyed() {
		if used >= surveyGas || !concerns(c.contract) {
			continue
		}
		gas, err := s.runTests(ctx, c.contract, look)
		if err != nil {
			return err
		}
		used += gas
	}
	return nil
}

// runTests sets up a test contract and shows the runs of its functions. It returns the gas that was used.
func (s *surveyor) runTests(ctx context.Context, c *bytecode.Contract, look func(*TestRun) error) (used uint64, err error) {
	r, up, _, err := s.alone(ctx, c)
	if err != nil || up.Failure != "" {
		return up.gas, err
	}
	used = up.gas
	for _, m := range testFunctions(c.ABI) {
		if err := ctx.Err(); err != nil || used >= up.gas+surveyTestGas {
			return used, err
		}
		var failed error
		gas, _, err := r.tryTest(up, &m, func(exec *evm.Execution) {
			last := &exec.Calls[len(exec.Calls)-1]
			if failed != nil || last.Outcome != evm.Success {
				return
			}
			call := evm.Call{From: r.tester, To: up.Address, Data: bytes.Clone(exec.Frames[last.Frames[0]].Input), Gas: exampleGas}
			failed = look(&TestRun{Contract: c, Function: m.Sig, World: r.machine.World(), Calls: append(slices.Clip(r.calls), call), Execution: exec})
		})
		used += gas
		if err := cmp.Or(err, failed); err != nil {
			return used, err
		}
	}
	return used, nil
}
