package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// planner does what a plan says, step by step.
type planner struct {
	*deployer
	linker     *linker
	deps       *dependencies
	recognizer *recognizer
	repeater   *repeater
	later      []Step // of the plan, after the one that runs
}

// plannedGas is what a step gets: as much as forge gives to a setUp(), since the harnesses of
// other fuzzers deploy whole protocols in their constructors.
const plannedGas = 1 << 30

// leftByPlan is what is deployed on top of a plan: contracts with targets that it says
// nothing of.
func (p *planner) leftByPlan(s Selection, targets []string) Selection {
	var left Selection
	for _, c := range s.Wanted {
		holds := slices.ContainsFunc(targets, func(name string) bool { return named(c, name) })
		switch {
		case holds && !p.tried[c]:
			left.Wanted = append(left.Wanted, c)
		case !p.tried[c]:
			left.LeftOut = append(left.LeftOut, LeftOut{c, "the configuration does not deploy it, and nothing in it changed"})
		}
	}
	left.LeftOut = append(left.LeftOut, s.LeftOut...)
	return left
}

// follow runs a plan. An error of type *[PlanError] is a plan that cannot be
// meant so; a constructor or call that reverts is in the report, and so is what needs
// what is missing then.
func (p *planner) follow(ctx context.Context, plan *Plan) error {
	if plan.Recorded != nil {
		if err := p.repeater.repeatCalls(plan.Recorded); err != nil {
			return err
		}
		if err := p.recognizer.recognize(p.table, 0); err != nil {
			return err
		}
	}
	missing := map[string]string{} // names that a step would have made, with the reason
	for i := range plan.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &plan.Steps[i]
		if lacking, why := s.lacks(missing); lacking != "" {
			p.planFailed(s, fmt.Sprintf("it needs %s, which is not there: %s", lacking, why), nil)
			missing[s.instanceName()] = "see there"
			continue
		}
		p.later = plan.Steps[i+1:]
		reason, err := p.stepAndWrite(ctx, s)
		var later *laterError
		switch {
		case errors.As(err, &later):
			reason = p.planFailed(s, later.explain(s, p.later), nil)
		case err != nil:
			return err
		}
		if reason != "" && s.Contract != "" {
			missing[s.instanceName()] = reason
		}
	}
	return nil
}

// laterError tells that a step needs the instance of a later one.
type laterError struct{ name string }

func (e *laterError) Error() string { return e.name + " is deployed later" }

// explain says which step that is, and whether it needs this one in turn.
func (e *laterError) explain(s *Step, later []Step) string {
	at := slices.IndexFunc(later, func(l Step) bool { return l.instanceName() == e.name })
	text := fmt.Sprintf("it needs %s, which %s deploys: steps run in order", e.name, later[at].Place)
	if _, back := later[at].lacks(map[string]string{s.instanceName(): "it"}); back != "" {
		text += fmt.Sprintf("; and %s needs %s: give one of the two another address, and set it by a call afterwards", e.name, s.instanceName())
	}
	return text
}

// madeLater is the name where a later step of the plan makes an instance of it; else
// empty.
func (p *planner) madeLater(name string) string {
	if slices.ContainsFunc(p.later, func(s Step) bool { return s.Contract != "" && s.instanceName() == name }) {
		return name
	}
	return ""
}

// stepAndWrite runs one step and, if it succeeds, writes it down. The reason is step's.
func (p *planner) stepAndWrite(ctx context.Context, s *Step) (reason string, err error) {
	reason, err = p.step(ctx, s)
	if err == nil && reason == "" && !p.build.isLibrary(s.Contract) { // which writes itself down
		p.writer.steps = append(p.writer.steps, *s)
	}
	return reason, err
}

// step runs one step. The reason says why it failed on the chain, empty: it did not.
func (p *planner) step(ctx context.Context, s *Step) (reason string, err error) {
	r := &resolver{address: p.addressOf, later: p.madeLater, names: p.knownNames, calldata: p.calldata}
	from := Deployer.Address
	if s.From != "" {
		if from, err = r.named(&Value{Text: s.From, Place: s.Place}); err != nil {
			return "", err
		}
	}
	value := new(uint256.Int)
	if s.Value.Text != "" {
		wei, err := wholeNumber(&s.Value)
		if err != nil {
			return "", err
		}
		if overflow := value.SetFromBig(wei); overflow || wei.Sign() < 0 {
			return "", planError(s.Value.Place, "%s is not an amount of wei", s.Value.Text)
		}
	}
	switch {
	case s.Contract == "":
		return p.plannedCall(s, r, from, value)
	case s.Address != "":
		return p.plannedInstance(ctx, s, r, from, value)
	}
	return p.plannedDeployment(ctx, s, r, from, value)
}

// free reports whether nothing has the name of the step's instance.
func (p *planner) free(s *Step) error {
	if _, taken := p.addressOf(s.instanceName()); taken {
		return planError(s.Place, "there is something named %s already: give this one another name", s.instanceName())
	}
	return nil
}

// plannedInstance names a contract that is on the chain.
func (p *planner) plannedInstance(ctx context.Context, s *Step, r *resolver, from common.Address, value *uint256.Int) (string, error) {
	c, err := p.build.plannedContract(s.Contract, s.Place)
	if err != nil {
		return "", err
	}
	seen, err := p.build.seenAs(s, c)
	if err != nil {
		return "", err
	}
	if !common.IsHexAddress(s.Address) {
		return "", planError(s.Place, "%q is not an address", s.Address)
	}
	if err := p.free(s); err != nil {
		return "", err
	}
	address := common.HexToAddress(s.Address)
	a, err := p.machine.World().Account(address)
	if err != nil {
		return "", err
	}
	none := a == nil || len(a.Code) == 0
	if none && !s.Replace { // unless an earlier step has made it
		made, err := p.children()
		if err != nil {
			return "", err
		}
		none = !slices.ContainsFunc(made, func(c child) bool { return c.address == address })
	}
	origin := "was there"
	switch {
	case none && !s.Replace:
		return "", planError(s.Place, "the address %s has no code", s.Address)
	case none:
		reason, err := p.place(ctx, s, c, seen, address, &creationOf{resolver: r, from: from, value: value})
		return reason, err
	case s.Replace:
		reason, err := p.replace(ctx, s, c, address, &creationOf{resolver: r, from: from, value: value})
		if reason != "" || err != nil {
			return reason, err
		}
		origin = "was there, with the code of this build"
	}
	p.tried[c] = true
	p.addition(s.instanceName(), address, seen, origin, "")
	return "", nil
}

// creationOf is how a planned contract is created.
type creationOf struct {
	*resolver
	from  common.Address
	value *uint256.Int
	at    *common.Address // nil: where the sender's nonce says
}

// replace puts a contract's code at an address.
func (p *planner) replace(ctx context.Context, s *Step, c *bytecode.Contract, address common.Address, how *creationOf) (string, error) {
	found, _, reason, err := p.construct(ctx, s, c, how)
	if reason != "" || err != nil {
		return reason, err
	}
	code := slices.Clone(found.exec.Calls[len(found.exec.Calls)-1].Output)
	if err := p.runCalls(); err != nil {
		return "", err
	}
	w := p.machine.Export()
	there, err := w.Account(address)
	if err != nil {
		return "", err
	}
	changed := *there
	changed.Code = code
	w.Accounts[address] = &changed
	p.untold = true
	return "", p.moveTo(w)
}

// construct runs a planned constructor. The reason says why it failed on the chain.
func (p *planner) construct(ctx context.Context, s *Step, c *bytecode.Contract, how *creationOf) (found *outcome, code []byte, reason string, err error) {
	if !c.Deployable() {
		return nil, nil, "", planError(s.Place, "%s cannot be deployed: it is an interface or an abstract contract", s.Contract)
	}
	constructor := constructorOf(c)
	packed, values, err := how.pack(constructor.Inputs, s.Message.Arguments, s.Place, "the constructor of "+c.Name)
	if err != nil {
		return nil, nil, "", err
	}
	if code, err = p.linker.link(ctx, c); err != nil {
		if ctx.Err() != nil {
			return nil, nil, "", ctx.Err()
		}
		return nil, nil, p.planFailed(s, err.Error(), c), nil
	}
	a := &arguments{inputs: constructor.Inputs, values: values, wei: how.value, packed: packed}
	call := p.creation(code, a)
	call.Gas = plannedGas
	if how.from != Deployer.Address {
		call.From, call.Address = how.from, crypto.CreateAddress(how.from, p.nonceOf(how.from))
	}
	if how.at != nil {
		call.Address = *how.at
	}
	exec, err := p.machine.Run(append(slices.Clip(p.calls), call))
	if err != nil {
		return nil, nil, "", fmt.Errorf("deploying %s: %w", c.QualifiedName(), err)
	}
	p.tried[c] = true
	if result := &exec.Calls[len(exec.Calls)-1]; result.Outcome != evm.Success {
		reason = p.planFailed(s, "constructor: "+result.Reason(), c)
		p.planned[len(p.planned)-1].Stop = stopOf(exec, len(exec.Calls)-1)
		return nil, nil, reason, nil
	}
	return &outcome{call: call, arguments: a, exec: exec}, code, "", nil
}

// plannedDeployment deploys a contract.
func (p *planner) plannedDeployment(ctx context.Context, s *Step, r *resolver, from common.Address, value *uint256.Int) (string, error) {
	c, err := p.build.plannedContract(s.Contract, s.Place)
	if err != nil {
		return "", err
	}
	if c.Library {
		return p.plannedLibrary(ctx, s, c)
	}
	seen, err := p.build.seenAs(s, c)
	if err != nil {
		return "", err
	}
	if err := p.free(s); err != nil {
		return "", err
	}
	found, code, reason, err := p.construct(ctx, s, c, &creationOf{resolver: r, from: from, value: value})
	if reason != "" || err != nil {
		return reason, err
	}
	i := p.keep(c, 1, code, found)
	p.deps.noteMissing(c)
	p.rename(i, s.instanceName(), seen, found.arguments)
	return "", p.deps.lookForSupply(&p.instances[i])
}

// plannedLibrary deploys a library, which is linked wherever it is needed. Without such
// a step it is deployed when it is first needed.
func (p *planner) plannedLibrary(ctx context.Context, s *Step, c *bytecode.Contract) (string, error) {
	if s.Name != "" || s.As != "" || s.From != "" || s.Value.Text != "" || len(s.Message.Arguments) > 0 {
		return "", planError(s.Place, "%s is a library: it has no name of its own, no arguments and no sender", s.Contract)
	}
	p.tried[c] = true
	if _, err := p.linker.libraryAddress(ctx, c.QualifiedName()); err != nil {
		return err.Error(), ctx.Err() // the report says it of every library
	}
	return "", nil
}

// rename gives the latest deployment the name and the functions that the plan wants.
// Where these are another contract's, an instance of that among its arguments is what
// the proxy runs.
func (p *planner) rename(i int, name string, seen *bytecode.Contract, a *arguments) {
	in := &p.instances[i]
	d := &p.report.Deployments[len(p.report.Deployments)-1]
	in.Name, d.Name, p.namer.labels[in.Address] = name, name, name
	if seen != in.Contract {
		d.Notes = append(d.Notes, "called as "+seen.Name)
		in.Contract = seen
		p.proxies[in.Address] = true
		for _, behind := range a.addresses() {
			if slices.ContainsFunc(p.instances[:i], func(o evm.Instance) bool { return o.Address == behind && o.Contract == seen }) {
				p.proxied[behind] = true
			}
		}
	}
}

// plannedFunction is what a step calls.
func (p *planner) plannedFunction(s *Step) (*evm.Instance, *abi.Method, error) {
	instance, function, ok := strings.Cut(s.Message.Function, ".")
	i := slices.IndexFunc(p.instances, func(in evm.Instance) bool { return in.Name == instance })
	if !ok || i < 0 {
		return nil, nil, planError(s.Place, "%q: want INSTANCE.FUNCTION; instances up to here: %s", s.Message.Function, strings.Join(p.instanceNames(), ", "))
	}
	in := p.instances[i]
	m, err := functionNamed(in.Contract, function, s.Place)
	return &in, m, err
}

// plannedCall runs a call.
func (p *planner) plannedCall(s *Step, r *resolver, from common.Address, value *uint256.Int) (string, error) {
	in, m, err := p.plannedFunction(s)
	if err != nil {
		return "", err
	}
	packed, values, err := r.pack(m.Inputs, s.Message.Arguments, s.Place, s.Message.Function)
	if err != nil {
		return "", err
	}
	call := evm.Call{From: from, To: in.Address, Data: slices.Concat(m.ID, packed), Gas: plannedGas, Value: *value}
	exec, err := p.machine.Run(append(slices.Clip(p.calls), call))
	if err != nil {
		return "", err
	}
	text := p.namer.callText(s.Message.Function, &arguments{inputs: m.Inputs, values: values, wei: value}, from)
	if result := &exec.Calls[len(exec.Calls)-1]; result.Outcome != evm.Success {
		reason := text + " fails: " + result.Reason()
		p.report.Notes = append(p.report.Notes, "deploy, "+s.Place+": "+reason)
		return reason, nil
	}
	p.calls = append(p.calls, call)
	p.report.Calls = append(p.report.Calls, text)
	return "", nil
}

// functionNamed is a contract's function by its name or signature.
func functionNamed(c *bytecode.Contract, name, place string) (*abi.Method, error) {
	var found []string
	var method abi.Method
	for _, m := range c.ABI.Methods {
		if m.RawName == name || m.Sig == name {
			found, method = append(found, m.Sig), m
		}
	}
	slices.Sort(found)
	switch len(found) {
	case 0:
		return nil, planError(place, "%s has no function %s", c.Name, name)
	case 1:
		return &method, nil
	}
	return nil, planError(place, "%s has several functions %s: write one of %s", c.Name, name, strings.Join(found, ", "))
}

// calldata encodes a call that is passed as bytes.
func (p *planner) calldata(m *PlannedMessage) ([]byte, error) {
	name, function, ok := strings.Cut(m.Function, ".")
	if !ok {
		return nil, planError(m.Place, "%q: want CONTRACT.FUNCTION", m.Function)
	}
	c, err := p.build.plannedContract(name, m.Place)
	if err != nil {
		return nil, err
	}
	method, err := functionNamed(c, function, m.Place)
	if err != nil {
		return nil, err
	}
	r := &resolver{address: p.addressOf, later: p.madeLater, names: p.knownNames, calldata: func(inner *PlannedMessage) ([]byte, error) {
		return nil, planError(inner.Place, "a call within a call within a call")
	}}
	packed, _, err := r.pack(method.Inputs, m.Arguments, m.Place, m.Function)
	return slices.Concat(method.ID, packed), err
}

// nonceOf is how many transactions an account has sent.
func (p *planner) nonceOf(from common.Address) uint64 {
	n := uint64(0)
	if a := p.machine.World().Accounts[from]; a != nil {
		n = a.Nonce
	}
	for i := range p.calls {
		if p.calls[i].From == from {
			n++
		}
	}
	return n
}

// planFailed reports a step that could not be done and returns the reason.
func (p *planner) planFailed(s *Step, reason string, c *bytecode.Contract) string {
	if c == nil {
		c, _ = p.build.plannedContract(s.Contract, s.Place)
	}
	reason = "deploy, " + s.Place + ": " + reason
	if c == nil {
		p.report.Notes = append(p.report.Notes, reason)
		return reason
	}
	p.tried[c] = true
	p.planned = append(p.planned, Failure{Contract: c, Reason: reason, Tries: 1})
	return reason
}

// place creates a contract at an address of the plan's choice, where none is.
func (p *planner) place(ctx context.Context, s *Step, c, seen *bytecode.Contract, address common.Address, how *creationOf) (string, error) {
	how.at = &address
	found, code, reason, err := p.construct(ctx, s, c, how)
	if reason != "" || err != nil {
		return reason, err
	}
	i := p.keep(c, 1, code, found)
	p.deps.noteMissing(c)
	p.rename(i, s.instanceName(), seen, found.arguments)
	return "", nil
}
