package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
	if _, err := au.deployWaiting(ctx, au.helpers(first), nil); err != nil { // no one asked for those that fail
		return err
	}
	if waiting, err = au.forSetters(); err != nil {
		return err
	}
	if _, err := au.deployWaiting(ctx, waiting, nil); err != nil { // likewise
		return err
	}
	au.reportFailures(failed)
	return nil
}

// forSetters are the contracts that setters of several addresses lack.
func (au *auto) forSetters() (list []*candidate, err error) {
	lacking, err := au.wiring.lacking()
	for _, c := range lacking {
		if au.copies[c]+len(list) < maxCopies {
			list = append(list, &candidate{contract: c, again: au.tried[c]})
		}
	}
	return list, err
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

// choose is the next of those that wait: the first whose dependencies are there,
// or a dependency that was not requested, or the first. A contract that is
// attempted again comes last.
func (au *auto) choose(waiting []*candidate) *candidate {
	for _, c := range waiting {
		if c.attempts == 0 && au.ready(c.contract, waiting) {
			return c
		}
	}
	var first *candidate // of a circle: one of them must come first
	for _, c := range waiting {
		if c.attempts > 0 {
			continue
		}
		d := au.dependency(c.contract)
		if d == nil {
			continue
		}
		at := slices.IndexFunc(waiting, func(w *candidate) bool { return w.contract == d })
		if at < 0 {
			return &candidate{contract: d, again: au.tried[d]}
		}
		if first == nil {
			first = waiting[at]
		}
	}
	if first == nil {
		return waiting[0]
	}
	if mock := au.instead(waiting); mock != nil {
		return &candidate{contract: mock}
	}
	return first
}

// instead is a built-in mock that one of those that wait in a circle can do with: a collateral is not the coin that is minted against it.
func (au *auto) instead(waiting []*candidate) *bytecode.Contract {
	for _, c := range waiting {
		for _, need := range au.deps.needs(c.contract) {
			if c.attempts == 0 && need.mock != nil && !au.tried[need.mock] && au.deps.count(need) == 0 {
				return need.mock
			}
		}
	}
	return nil
}

// ready reports whether every need is met, or met by nothing that waits.
func (au *auto) ready(c *bytecode.Contract, waiting []*candidate) bool {
	for _, need := range au.deps.needs(c) {
		if au.deps.count(need) >= need.count {
			continue
		}
		if typed := slices.ContainsFunc(waiting, func(w *candidate) bool { return w.contract != c && au.deps.fits(w.contract, &need) }); typed {
			return false
		}
		if au.outside(c, need) != nil {
			return false
		}
	}
	return true
}

// dependency is a contract that meets an unmet need and was not requested; nil when
// there is none.
func (au *auto) dependency(c *bytecode.Contract) *bytecode.Contract {
	for _, need := range au.deps.needs(c) {
		if au.deps.count(need) < need.count {
			if d := au.outside(c, need); d != nil {
				return d
			}
		}
	}
	return nil
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
	au.passNonces(c.contract)
	if c.failure.Reason = TooLarge(c.contract); c.failure.Reason != "" {
		return false, nil
	}
	found, err := au.construct(ctx, c.contract, code)
	if err != nil {
		return false, fmt.Errorf("deploying %s: %w", c.contract.QualifiedName(), err)
	}
	c.failure.Tries += found.tries
	if found.exec == nil {
		c.failure.Reason, c.failure.Stop = found.reason, found.stop
		return false, nil
	}
	i := au.keep(c.contract, c.failure.Tries, code, found)
	au.deps.noteMissing(c.contract)
	au.writer.writeDeployment(c.contract, c.contract, au.instances[i].Name, found.arguments)
	if !IsIdle(c.contract) { // it takes nothing
		au.given = append(au.given, given{au.instances[i].Address, found.arguments})
	}
	if err := au.deps.lookForSupply(&au.instances[i]); err != nil {
		return false, err
	}
	return true, au.initializer.initialize(ctx, i, found.arguments)
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
