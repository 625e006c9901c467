package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxAttempts: a contract that failed is attempted again once, when others
// have been deployed that its arguments could name.
const maxAttempts = 2

// auto deploys contracts without being told how.
type auto struct {
	*deployer
	linker      *linker
	deps        *dependencies
	finder      *finder
	initializer *initializer
	wiring      *wiring
	copies      map[*bytecode.Contract]int // instances beyond the first
}

// candidate is a contract that waits to be deployed.
type candidate struct {
	contract *bytecode.Contract
	again    bool // it is deployed already, and others want a second one
	attempts int
	seen     int // instances there were at the last attempt
	failure  Failure
}

// deployAll deploys the contracts in rounds: in each, everything whose
// dependencies are there; when that is nothing, a dependency from outside the
// list, or else the first that waits, with what arguments there are.
func (au *auto) deployAll(ctx context.Context, wanted []*bytecode.Contract) error {
	var waiting, failed []*candidate
	for _, c := range au.build.contracts {
		if !c.Deployable() && !c.Library {
			failed = append(failed, &candidate{contract: c, failure: Failure{Contract: c, Reason: "it has no code: an interface or an abstract contract"}})
		}
	}
	for _, c := range wanted {
		if c.Deployable() && !c.Library {
			waiting = append(waiting, &candidate{contract: c})
		}
	}
	first := len(au.instances)
	failed, err := au.deployWaiting(ctx, waiting, failed)
	if err != nil {
		return err
	}
	waiting = nil
	for _, c := range au.helpers(first) {
		waiting = append(waiting, &candidate{contract: c})
	}
	if _, err := au.deployWaiting(ctx, waiting, nil); err != nil { // no one asked for those that fail
		return err
	}
	au.reportFailures(failed)
	return nil
}

// deployWaiting deploys candidates until none waits, and adds those that failed to others.
func (au *auto) deployWaiting(ctx context.Context, waiting, failed []*candidate) ([]*candidate, error) {
	for len(waiting) > 0 {
		next := au.choose(waiting)
		waiting = slices.DeleteFunc(waiting, func(c *candidate) bool { return c == next })
		deployed, err := au.attempt(ctx, next)
		if err != nil {
			return nil, err
		}
		if !deployed {
			if !next.again {
				failed = append(failed, next)
			}
			continue
		}
		if err := au.wiring.wire(ctx, false); err != nil {
			return nil, err
		}
		// A failed one may now find the instance it needs.
		for _, f := range slices.Clone(failed) {
			if f.attempts > 0 && f.attempts < maxAttempts && f.seen < len(au.instances) && takesAddress(f.contract) {
				failed = slices.DeleteFunc(failed, func(c *candidate) bool { return c == f })
				waiting = append(waiting, f)
			}
		}
	}
	return failed, nil
}

// reportFailures lists what could not be deployed in table order, libraries last.
func (au *auto) reportFailures(failed []*candidate) {
	order := map[*bytecode.Contract]int{}
	for i, c := range au.build.contracts {
		order[c] = i
	}
	slices.SortFunc(failed, func(x, y *candidate) int { return cmp.Compare(order[x.contract], order[y.contract]) })
	au.explainCircles(failed)
	au.report.Failures = append(au.report.Failures, au.planned...)
	for _, f := range failed {
		au.report.Failures = append(au.report.Failures, f.failure)
	}
	au.linker.reportLibraries()
}

// choose is the next of those that wait: the first whose dependencies are there,
// or a dependency that was not requested, or the first. A contract that is
// attempted again comes last.
func (au *auto) choose(waiting []*candidate) *candidate {
	for _, c := range waiting {
		if c.attempts == 0 && au.ready(c.contract, waiting) {
			return c
		}
	}
	for _, c := range waiting {
		if c.attempts > 0 {
			continue
		}
		d := au.dependency(c.contract)
		if d == nil {
			continue
		}
		for _, w := range waiting { // a circle: one of them must come first
			if w.contract == d {
				return w
			}
		}
		return &candidate{contract: d, again: au.tried[d]}
	}
	return waiting[0]
}

// attempt searches for constructor arguments with which the contract deploys.
func (au *auto) attempt(ctx context.Context, c *candidate) (bool, error) {
	c.attempts++
	au.tried[c.contract] = true
	if c.again {
		au.copies[c.contract]++
	}
	c.seen = len(au.instances)
	c.failure.Contract = c.contract
	if len(au.instances) >= au.limit {
		c.failure.LeftOut = true
		c.failure.Reason = fmt.Sprintf("the limit of %d deployed contracts was reached", au.limit)
		return false, nil
	}
	code, err := au.linker.link(ctx, c.contract)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		c.failure.Reason = err.Error()
		return false, nil
	}
	c.failure.Code = code
	if c.failure.Reason = TooLarge(c.contract); c.failure.Reason != "" {
		return false, nil
	}
	constructor := constructorOf(c.contract)
	search, err := au.finder.newSearch(&constructor, constructorParameters(c.contract))
	if err != nil {
		c.failure.Reason = err.Error()
		return false, nil //nolint:nilerr // the contract cannot be deployed: a failure in the report
	}
	found, err := au.finder.find(ctx, search, func(a *arguments) evm.Call { return au.creation(code, a) }, nil)
	if err != nil {
		return false, fmt.Errorf("deploying %s: %w", c.contract.QualifiedName(), err)
	}
	c.failure.Tries += found.tries
	if found.exec == nil {
		c.failure.Reason, c.failure.Stop = explain(found, code), found.stop
		return false, nil
	}
	i := au.keep(c.contract, c.failure.Tries, code, found)
	au.deps.noteMissing(c.contract)
	au.writer.writeDeployment(c.contract, c.contract, au.instances[i].Name, found.arguments)
	au.given = append(au.given, given{au.instances[i].Address, found.arguments})
	if err := au.deps.lookForSupply(&au.instances[i]); err != nil {
		return false, err
	}
	return true, au.initializer.initialize(ctx, i, found.arguments)
}

// constructorOf is the contract's constructor under its name for people.
func constructorOf(c *bytecode.Contract) abi.Method {
	constructor := c.ABI.Constructor
	constructor.Name = "constructor"
	return constructor
}

// outcome is what came of a search.
type outcome struct {
	call      evm.Call
	arguments *arguments
	exec      *evm.Execution // of the call behind all others; nil when none succeeded
	tries     int
	reason    string // of the failure that came furthest, the first of equals
	stop      *Stop  // of that failure
}

// find runs a call with one choice of arguments after the other, until it
// succeeds or nothing is left to try. Every execution is shown to look, unless
// that is nil.
func (f *finder) find(ctx context.Context, s *search, call func(*arguments) evm.Call, look func(*evm.Execution)) (*outcome, error) {
	o := &outcome{}
	furthest := -1
	most := maxExhausted
	if f.exhausted >= maxExhaustedInAll {
		most = 1
	}
	for exhausted := 0; o.tries < maxTries && exhausted < most; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		arguments, ok := s.next()
		if !ok {
			break
		}
		o.tries++
		o.call, o.arguments = call(arguments), arguments
		if most == 1 {
			o.call.Gas = evm.CallGas
		}
		exec, err := f.machine.Run(append(slices.Clip(f.calls), o.call))
		if err != nil {
			return nil, err
		}
		if look != nil {
			look(exec)
		}
		result := &exec.Calls[len(exec.Calls)-1]
		if result.Outcome == evm.Success {
			o.exec = exec
			return o, nil
		}
		if result.Outcome == evm.OutOfGas {
			exhausted++
			f.exhausted++
		}
		if progress := progressOf(exec); progress > furthest {
			furthest, o.reason, o.stop = progress, result.Reason(), stopOf(exec, len(exec.Calls)-1)
			if texts := f.namer.describe(arguments); len(texts) > 0 {
				o.reason += fmt.Sprintf(" (with %s)", join(texts))
			}
		}
		s.proposeAfter(arguments, exec)
	}
	return o, nil
}

// progressOf counts the different blocks that the last call entered: of two
// failures, the one that came further says more about what is missing.
func progressOf(exec *evm.Execution) int {
	progress := 0
	for _, c := range exec.Covered {
		if c.Call == len(exec.Calls)-1 {
			progress++
		}
	}
	return progress
}

// noteMissing says of a contract that was deployed last which types its constructor asks
// for that nothing deployed has: a sender stands in, and what is called on it does nothing.
func (dp *dependencies) noteMissing(c *bytecode.Contract) {
	d := &dp.report.Deployments[len(dp.report.Deployments)-1]
	var notes []string
	for i, p := range constructorParameters(c) {
		if p.contract == "" || len(dp.matching(func(d *bytecode.Contract) bool { return dp.build.implements(d, p.contract) })) > 0 {
			continue
		}
		notes = append(notes, fmt.Sprintf("parameter %d: nothing deployed implements %s", i+1, p.contract))
	}
	d.Notes = append(notes, d.Notes...)
}
