package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// creation is a contract that a set-up created.
type creation struct {
	address, creator common.Address
	call             evm.Call // that would create it again; no code when that is not known
	salted           bool     // by CREATE2
}

// createdBy lists what an execution created, in order, but for its own
// deployments.
func createdBy(exec *evm.Execution) []creation {
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

// MadeAccount is an account that a set-up gave code.
type MadeAccount struct {
	Address common.Address
	// Salted: the address depends on code, since CREATE2 made the account or what created it.
	// It is another one where the code is compiled otherwise.
	Salted bool
}

// madeAccounts are the accounts that have got code from one World to the next; created are the
// creations that are known to have happened between them.
func madeAccounts(before, after *evm.World, created []creation) ([]MadeAccount, error) {
	salted := map[common.Address]bool{}
	for _, c := range created { // in order: who creates is there before
		salted[c.address] = c.salted || salted[c.creator]
	}
	all, err := appeared(before, after, nil)
	if err != nil {
		return nil, err
	}
	made := make([]MadeAccount, len(all))
	for i, c := range all {
		made[i] = MadeAccount{c.address, salted[c.address]}
	}
	return made, nil
}

// instance adds an instance that a set-up made; c is nil for the test contract.
func (a *adopter) instance(contract *bytecode.Contract, address common.Address, c *creation, origin string) {
	d := Deployment{Contract: contract, Address: address, Tries: 1, Notes: []string{origin}}
	if c != nil && contract.Creation != nil {
		if n := len(contract.Creation.Bytes); a.creates(contract, c.call.Data) {
			d.Code, d.Call = c.call.Data[:n:n], c.call
			d.Arguments = a.namer.describeRaw(contract.ABI.Constructor.Inputs, c.call.Data[n:])
		}
	}
	name := contract.Name
	if placed := a.setups.Names[address]; placed.Contract == contract.QualifiedName() {
		name = placed.Name
	}
	d.Name = a.add(name, address, contract)
	a.report.Deployments = append(a.report.Deployments, d)
}

// creates reports whether creation code with arguments is that of a contract.
func (a *adopter) creates(c *bytecode.Contract, initcode []byte) bool {
	p := a.table.LookupCreation(initcode)
	return p != nil && bytes.Equal(p.Bytes, c.Creation.Bytes)
}
