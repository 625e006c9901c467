package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// adopt makes what a set-up has left behind the builder's state, and the contracts
// among it instances.
func (b *builder) adopt(exec *evm.Execution, up *TestSetup, s *setups) error {
	b.tests = append(b.tests, up.Address)
	var err error
	if up.Made, err = b.adoptCreated(exec, up, up.Function, s); err != nil {
		return err
	}
	return b.askInvariants(up)
}

// adoptCreated adopts what calls of a set-up have made, the last of which is of a function of
// its test contract; empty: of none. It returns what they gave code.
func (b *builder) adoptCreated(exec *evm.Execution, up *TestSetup, function string, s *setups) ([]MadeAccount, error) {
	first := len(b.instances)
	created := b.createdBy(exec)
	b.report.keepUses(madeBy(exec))
	b.note(exec, func(call int) string {
		if function != "" && call == len(exec.Calls)-1 {
			return up.Contract.Name + "." + function
		}
		return b.nameCall(&b.calls[call])
	})
	b.twins.findOnce(exec, 1)
	b.parties.meet(exec)
	b.callers.keepMembers(exec)
	world := b.machine.Export()
	b.parties.meetLabeled(world.Cheats.State.Labels)
	before := b.machine.World()
	if err := b.moveTo(world); err != nil {
		return nil, err
	}
	made, err := madeAccounts(before, world, created)
	if err != nil {
		return nil, err
	}
	if b.holdsTargets(up.Contract, s) && function == up.Function {
		b.instance(up.Contract, up.Address, nil, "its "+up.what())
	}
	var unknown []creation
	origin := func(c *creation) string {
		if !c.call.Create {
			return "put there by " + up.Contract.Name
		}
		return "deployed by " + b.namer.nameOf(c.creator, up.Contract.Name)
	}
	put, err := appeared(before, world, created)
	if err != nil {
		return nil, err
	}
	for _, c := range append(created, put...) {
		if c.address == up.Address || b.namer.labels[c.address] != "" || len(b.instances) >= b.limit {
			continue
		}
		account := world.Accounts[c.address]
		if account == nil || len(account.Code) == 0 {
			continue // destructed, or created by a call that failed
		}
		p := b.table.LookupRuntime(account.Code)
		switch {
		case p == nil:
			unknown = append(unknown, c)
		case p.Contract == nil || p.Contract.Library || isTestCode(p.Contract) && !b.holdsTargets(p.Contract, s):
		default:
			b.tried[p.Contract] = true
			b.instance(p.Contract, c.address, &c, origin(&c))
		}
	}
	return made, b.seeThrough(first, unknown, origin)
}

// seeThrough finds the contracts behind the proxies among the new instances, from
// the first on, and among what no contract of the build explains.
func (b *builder) seeThrough(first int, unknown []creation, origin func(*creation) string) error {
	for i, in := range slices.Clone(b.instances[first:]) {
		if err := b.recognizer.unwrap(first+i, in.Address, "proxy "+in.Name); err != nil {
			return err
		}
	}
	for _, c := range unknown {
		if err := b.recognizer.unwrap(-1, c.address, "proxy "+origin(&c)); err != nil {
			return err
		}
	}
	return b.recognizer.seeFacets(first)
}

// makeCallable makes a test contract an instance whose functions are called, if it is not one yet.
func (b *builder) makeCallable(up *TestSetup) {
	for i := range b.instances {
		if b.instances[i].Address == up.Address {
			b.instances[i].Asked = false
			return
		}
	}
	b.instance(up.Contract, up.Address, nil, "its "+up.what())
}

func (up *TestSetup) what() string {
	if up.Function == "" {
		return "constructor"
	}
	return up.Function
}

// holdsTargets reports whether a contract's own code has lines of targets.
func (b *builder) holdsTargets(c *bytecode.Contract, s *setups) bool {
	return len(s.Lines[c.QualifiedName()]) > 0
}

// creation is a contract that a set-up created.
type creation struct {
	address, creator common.Address
	call             evm.Call // that would create it again; no code when that is not known
	salted           bool     // by CREATE2
}

// createdBy lists what an execution created, in order, but for its own
// deployments.
func (b *builder) createdBy(exec *evm.Execution) []creation {
	var created []creation
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Depth == 0 || f.Kind != evm.KindCreate && f.Kind != evm.KindCreate2 || f.Outcome != evm.Success {
			continue
		}
		c := creation{address: f.Self, creator: f.Caller, salted: f.Kind == evm.KindCreate2}
		c.call = evm.Call{From: f.Caller, Create: true, Address: f.Self, Data: bytes.Clone(f.Input), Value: f.Value}
		created = append(created, c)
	}
	return created
}

// appeared lists accounts that have got code from one World to the next and are
// not among those known, by address: cheatcodes put code anywhere, and an
// execution records only so many frames.
func appeared(before, after *evm.World, known []creation) ([]creation, error) {
	var found []creation
	for address, a := range after.Accounts {
		old, err := before.Account(address)
		if err != nil {
			return nil, err
		}
		if len(a.Code) == 0 || old != nil && len(old.Code) > 0 ||
			slices.ContainsFunc(known, func(c creation) bool { return c.address == address }) {
			continue
		}
		found = append(found, creation{address: address})
	}
	slices.SortFunc(found, func(x, y creation) int { return x.address.Cmp(y.address) })
	return found, nil
}

// instance adds an instance that a set-up made; c is nil for the test contract.
func (b *builder) instance(contract *bytecode.Contract, address common.Address, c *creation, origin string) {
	d := Deployment{Contract: contract, Address: address, Tries: 1, Notes: []string{origin}}
	if c != nil && contract.Creation != nil {
		if n := len(contract.Creation.Bytes); b.creates(contract, c.call.Data) {
			d.Code, d.Call = c.call.Data[:n:n], c.call
			d.Arguments = b.namer.describeRaw(contract.ABI.Constructor.Inputs, c.call.Data[n:])
		}
	}
	d.Name = b.add(contract.Name, address, contract)
	b.report.Deployments = append(b.report.Deployments, d)
}

// creates reports whether creation code with arguments is that of a contract.
func (b *builder) creates(c *bytecode.Contract, initcode []byte) bool {
	p := b.table.LookupCreation(initcode)
	return p != nil && bytes.Equal(p.Bytes, c.Creation.Bytes)
}
