package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// maxTries bounds the runs per attempt at a contract: enough for
	// every single deviation from the preferred arguments of a typical
	// constructor (four parameters, some ten candidates each).
	maxTries = 64
	// maxAttempts: a contract that failed is attempted again once, when others
	// have been deployed that its arguments could name.
	maxAttempts = 2
	// deployGas is four transactions' worth of gas: code of the debug build is
	// two to three times as long as the release build's, and must be paid for.
	deployGas = 4 * evm.CallGas
	// questionGas is what views, proxies and diamonds get that are asked what they are: most
	// take a hundredth of it, and a fallback function that burns all its gas does so quickly.
	questionGas = 1 << 20
	// maxExhaustedInAll bounds the runs of all constructors and initializers that end out of
	// gas, half a minute's: after so many, each contract has one, with one transaction's gas.
	// Arbitrary.
	maxExhaustedInAll = 16
	// maxExhausted bounds the runs of a constructor that end out of gas: other
	// arguments seldom help, and each costs the most a run can cost.
	maxExhausted = 4
)

// builder makes a World: it holds what each strategy knows.
type builder struct {
	*deployer

	copies      map[*bytecode.Contract]int // instances beyond the first
	actors      []common.Address           // handlers of their invariants
	tester      common.Address             // who runs their fuzz tests
	later       []Step                     // of a plan, after the one that runs
	wiring      *wiring
	callers     *callers
	linker      *linker
	deps        *dependencies
	recognizer  *recognizer
	finder      *finder
	initializer *initializer
	parties     *parties
	factories   *factories
	funder      *funder
	twins       *twins
}

// startBuilder makes a builder that goes on from a World.
func startBuilder(w *evm.World, table *bytecode.Table, options Options) (*builder, error) {
	machine, err := gethvm.New(w, table, options.Machine...)
	if err != nil {
		return nil, err
	}
	b := newBuilder(machine, table.Contracts(), options.MaxInstances)
	b.table, b.machineOptions = table, options.Machine
	for _, entry := range options.Entries {
		b.twins.entries[entry] = true
	}
	if options.Plan != nil {
		for _, s := range options.Plan.Senders {
			b.report.Senders = append(b.report.Senders, Party{Name: s.Name, Address: s.Address, Why: "the configuration names it"})
		}
	}
	return b, nil
}

func newBuilder(machine *gethvm.Reference, contracts []*bytecode.Contract, limit int) *builder {
	b := &builder{
		deployer: newDeployer(machine, contracts, limit),
		copies:   map[*bytecode.Contract]int{},
	}
	b.linker = &linker{deployer: b.deployer, libraries: map[string]*library{}}
	b.deps = &dependencies{deployer: b.deployer, needed: map[*bytecode.Contract][]need{}, unmintable: map[common.Address]bool{}, told: map[common.Address]bool{}}
	b.recognizer = &recognizer{deployer: b.deployer}
	b.finder = &finder{deployer: b.deployer, deps: b.deps}
	b.initializer = &initializer{deployer: b.deployer, linker: b.linker, finder: b.finder}
	b.parties = &parties{deployer: b.deployer}
	b.wiring = &wiring{deployer: b.deployer, deps: b.deps, recognizer: b.recognizer, initializer: b.initializer}
	b.callers = &callers{deployer: b.deployer, finder: b.finder}
	b.factories = &factories{deployer: b.deployer, finder: b.finder}
	b.funder = &funder{deployer: b.deployer, deps: b.deps, wiring: b.wiring}
	b.twins = &twins{deployer: b.deployer, entries: map[bytecode.Location]bool{}}
	return b
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
func (b *builder) deployAll(ctx context.Context, wanted []*bytecode.Contract) error {
	var waiting, failed []*candidate
	for _, c := range b.build.contracts {
		if !c.Deployable() && !c.Library {
			failed = append(failed, &candidate{contract: c, failure: Failure{Contract: c, Reason: "it has no code: an interface or an abstract contract"}})
		}
	}
	for _, c := range wanted {
		if c.Deployable() && !c.Library {
			waiting = append(waiting, &candidate{contract: c})
		}
	}
	first := len(b.instances)
	failed, err := b.deployWaiting(ctx, waiting, failed)
	if err != nil {
		return err
	}
	waiting = nil
	for _, c := range b.helpers(first) {
		waiting = append(waiting, &candidate{contract: c})
	}
	if _, err := b.deployWaiting(ctx, waiting, nil); err != nil { // no one asked for those that fail
		return err
	}
	b.reportFailures(failed)
	return nil
}

// deployWaiting deploys candidates until none waits, and adds those that failed to others.
func (b *builder) deployWaiting(ctx context.Context, waiting, failed []*candidate) ([]*candidate, error) {
	for len(waiting) > 0 {
		next := b.choose(waiting)
		waiting = slices.DeleteFunc(waiting, func(c *candidate) bool { return c == next })
		deployed, err := b.attempt(ctx, next)
		if err != nil {
			return nil, err
		}
		if !deployed {
			if !next.again {
				failed = append(failed, next)
			}
			continue
		}
		if err := b.wiring.wire(ctx, false); err != nil {
			return nil, err
		}
		// A failed one may now find the instance it needs.
		for _, f := range slices.Clone(failed) {
			if f.attempts > 0 && f.attempts < maxAttempts && f.seen < len(b.instances) && takesAddress(f.contract) {
				failed = slices.DeleteFunc(failed, func(c *candidate) bool { return c == f })
				waiting = append(waiting, f)
			}
		}
	}
	return failed, nil
}

// deployAndEquip deploys contracts and does what makes them usable.
func (b *builder) deployAndEquip(ctx context.Context, wanted []*bytecode.Contract) error {
	first := len(b.instances)
	b.wiring.from = first
	if err := b.deployAll(ctx, wanted); err != nil {
		return err
	}
	if err := b.wiring.wire(ctx, true); err != nil {
		return err
	}
	if err := b.funder.grantRoles(ctx, first); err != nil {
		return err
	}
	if err := b.wiring.initializeFurther(ctx, first); err != nil {
		return err
	}
	if err := b.factories.produce(ctx, wanted, first); err != nil {
		return err
	}
	return b.funder.fund(ctx, first)
}

// reportFailures lists what could not be deployed in table order, libraries last.
func (b *builder) reportFailures(failed []*candidate) {
	order := map[*bytecode.Contract]int{}
	for i, c := range b.build.contracts {
		order[c] = i
	}
	slices.SortFunc(failed, func(x, y *candidate) int { return cmp.Compare(order[x.contract], order[y.contract]) })
	b.explainCircles(failed)
	b.report.Failures = append(b.report.Failures, b.planned...)
	for _, f := range failed {
		b.report.Failures = append(b.report.Failures, f.failure)
	}
	b.linker.reportLibraries()
}

// choose is the next of those that wait: the first whose dependencies are there,
// or a dependency that was not requested, or the first. A contract that is
// attempted again comes last.
func (b *builder) choose(waiting []*candidate) *candidate {
	for _, c := range waiting {
		if c.attempts == 0 && b.ready(c.contract, waiting) {
			return c
		}
	}
	for _, c := range waiting {
		if c.attempts > 0 {
			continue
		}
		d := b.dependency(c.contract)
		if d == nil {
			continue
		}
		for _, w := range waiting { // a circle: one of them must come first
			if w.contract == d {
				return w
			}
		}
		return &candidate{contract: d, again: b.tried[d]}
	}
	return waiting[0]
}

// attempt searches for constructor arguments with which the contract deploys.
func (b *builder) attempt(ctx context.Context, c *candidate) (bool, error) {
	c.attempts++
	b.tried[c.contract] = true
	if c.again {
		b.copies[c.contract]++
	}
	c.seen = len(b.instances)
	c.failure.Contract = c.contract
	if len(b.instances) >= b.limit {
		c.failure.LeftOut = true
		c.failure.Reason = fmt.Sprintf("the limit of %d deployed contracts was reached", b.limit)
		return false, nil
	}
	code, err := b.linker.link(ctx, c.contract)
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
	search, err := b.finder.newSearch(&constructor, constructorParameters(c.contract))
	if err != nil {
		c.failure.Reason = err.Error()
		return false, nil //nolint:nilerr // the contract cannot be deployed: a failure in the report
	}
	found, err := b.finder.find(ctx, search, func(a *arguments) evm.Call { return b.creation(code, a) }, nil)
	if err != nil {
		return false, fmt.Errorf("deploying %s: %w", c.contract.QualifiedName(), err)
	}
	c.failure.Tries += found.tries
	if found.exec == nil {
		c.failure.Reason, c.failure.Stop = explain(found, code), found.stop
		return false, nil
	}
	i := b.keep(c.contract, c.failure.Tries, code, found)
	b.deps.noteMissing(c.contract)
	b.writer.writeDeployment(c.contract, c.contract, b.instances[i].Name, found.arguments)
	b.given = append(b.given, given{b.instances[i].Address, found.arguments})
	if err := b.deps.lookForSupply(&b.instances[i]); err != nil {
		return false, err
	}
	return true, b.initializer.initialize(ctx, i, found.arguments)
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
