package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// maxTries bounds the constructor runs per attempt at a contract: enough for
	// every single deviation from the preferred arguments of a typical
	// constructor (four parameters, some ten candidates each), and at worst half
	// a minute on a constructor that burns all its gas.
	maxTries = 64
	// maxAttempts: a contract that failed is attempted again once, when others
	// have been deployed that its arguments could name.
	maxAttempts = 2
	// deployGas is four transactions' worth of gas: code of the mapping build is
	// some two to three times as long as what is shipped, and must be paid for.
	deployGas = 4 * evm.CallGas
	// maxExhausted bounds the runs of a constructor that end out of gas: other
	// arguments seldom help, and each costs the most a run can cost.
	maxExhausted = 4
)

// builder deploys contracts one after the other.
type builder struct {
	machine   *evm.Reference
	contracts []*bytecode.Contract // all there are
	limit     int

	calls     evm.Sequence // the successful deployments
	instances []evm.Instance
	tried     map[*bytecode.Contract]bool
	libraries map[string]*library // by qualified name
	labels    map[common.Address]string
	report    *Report
}

// candidate is a contract that waits to be deployed.
type candidate struct {
	contract *bytecode.Contract
	order    int // in the table
	attempts int
	seen     int // instances there were at the last attempt
	failure  Failure
}

// deployAll deploys the contracts in rounds: in each, everything whose
// dependencies are there; when that is nothing, a dependency from outside the
// list, or else the first that waits, with what arguments there are.
func (b *builder) deployAll(ctx context.Context, wanted []*bytecode.Contract) error {
	var waiting, failed []*candidate
	for i, c := range wanted {
		switch {
		case c.Library:
		case !c.Deployable():
			failed = append(failed, &candidate{contract: c, order: i, failure: Failure{Contract: c, Reason: "it has no code: an interface or an abstract contract"}})
		default:
			waiting = append(waiting, &candidate{contract: c, order: i})
		}
	}
	for len(waiting) > 0 {
		next := b.choose(waiting)
		waiting = slices.DeleteFunc(waiting, func(c *candidate) bool { return c == next })
		deployed, err := b.attempt(ctx, next)
		if err != nil {
			return err
		}
		if !deployed {
			failed = append(failed, next)
			continue
		}
		// A failed one may now find the instance it needs.
		for _, f := range slices.Clone(failed) {
			if f.attempts > 0 && f.attempts < maxAttempts && f.seen < len(b.instances) && takesAddress(f.contract) {
				failed = slices.DeleteFunc(failed, func(c *candidate) bool { return c == f })
				waiting = append(waiting, f)
			}
		}
	}
	slices.SortFunc(failed, func(x, y *candidate) int { return cmp.Compare(x.order, y.order) })
	for _, f := range failed {
		b.report.Failures = append(b.report.Failures, f.failure)
	}
	b.reportLibraries(wanted)
	return nil
}

// choose is the next of those that wait: the first whose dependencies are there,
// or a dependency that nobody asked for, or the first. A contract that is
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
		return &candidate{contract: d, order: len(b.contracts)}
	}
	return waiting[0]
}

// attempt searches for constructor arguments with which the contract deploys.
func (b *builder) attempt(ctx context.Context, c *candidate) (bool, error) {
	c.attempts++
	b.tried[c.contract] = true
	c.seen = len(b.instances)
	c.failure.Contract = c.contract
	if len(b.instances) >= b.limit {
		c.failure.Reason = fmt.Sprintf("the limit of %d deployed contracts was reached", b.limit)
		return false, nil
	}
	code, err := b.link(ctx, c.contract)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		c.failure.Reason = err.Error()
		return false, nil
	}
	c.failure.Code = code
	search, err := newSearch(c.contract, b)
	if err != nil {
		c.failure.Reason = err.Error()
		return false, nil //nolint:nilerr // the contract cannot be deployed: a failure in the report
	}
	exhausted := 0
	for tries := 0; tries < maxTries && exhausted < maxExhausted; tries++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		arguments, ok := search.next()
		if !ok {
			break
		}
		c.failure.Tries++
		call := b.creation(code, arguments)
		exec, err := b.machine.Run(append(slices.Clip(b.calls), call))
		if err != nil {
			return false, fmt.Errorf("deploying %s: %w", c.contract.QualifiedName(), err)
		}
		result := &exec.Calls[len(exec.Calls)-1]
		if result.Outcome == evm.Success {
			b.keep(c, code, call, arguments, exec)
			return true, nil
		}
		if result.Outcome == evm.OutOfGas {
			exhausted++
		}
		c.failure.Reason = "constructor: " + result.Reason
		if texts := b.describe(arguments); len(texts) > 0 {
			c.failure.Reason += fmt.Sprintf(" (last tried with %s)", join(texts))
		}
		search.learn(arguments, exec)
	}
	return false, nil
}

// creation is the deployment call. The address is the one that a chain would
// derive from the deployer's nonce.
func (b *builder) creation(code []byte, arguments *arguments) evm.Call {
	call := evm.Call{
		From:    Deployer.Address,
		Create:  true,
		Address: crypto.CreateAddress(Deployer.Address, uint64(len(b.calls))),
		Data:    slices.Concat(code, arguments.packed),
		Gas:     deployGas,
	}
	call.Value.Set(arguments.wei)
	return call
}

// keep adds a successful deployment to the World.
func (b *builder) keep(c *candidate, code []byte, call evm.Call, arguments *arguments, exec *evm.Execution) {
	name := b.instanceName(c.contract.Name)
	b.calls = append(b.calls, call)
	b.instances = append(b.instances, evm.Instance{Name: name, Address: call.Address, Contract: c.contract})
	b.labels[call.Address] = name
	b.report.Deployments = append(b.report.Deployments, Deployment{
		Name:      name,
		Contract:  c.contract,
		Address:   call.Address,
		Arguments: b.describe(arguments),
		Tries:     c.failure.Tries,
		Code:      code,
		Call:      call,
		Covered:   coveredBy(exec, len(exec.Calls)-1),
	})
}

// coveredBy is what one call of an execution entered; call 0 in a sequence of
// its own.
func coveredBy(exec *evm.Execution, call int) []evm.Coverage {
	var covered []evm.Coverage
	for _, c := range exec.Covered {
		if c.Call == call {
			c.Call = 0
			covered = append(covered, c)
		}
	}
	return covered
}

// instanceName makes a contract's name unique: "Vault", "Vault#2".
func (b *builder) instanceName(name string) string {
	unique := name
	for n := 2; slices.ContainsFunc(b.instances, func(i evm.Instance) bool { return i.Name == unique }); n++ {
		unique = fmt.Sprintf("%s#%d", name, n)
	}
	return unique
}
