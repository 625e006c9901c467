package world

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// adopter makes instances of what set-ups have left behind.
type adopter struct {
	*deployer
	setups     *setups
	recognizer *recognizer
	parties    *parties
	callers    *callers
	twins      *twins
	actors     []common.Address // handlers of invariants
}

// adopt goes on from what a set-up has left behind, and makes the contracts among it
// instances.
func (a *adopter) adopt(exec *evm.Execution, up *TestSetup) error {
	a.tests = append(a.tests, up.Address)
	var err error
	if up.Made, err = a.adoptCreated(exec, up, up.Function); err != nil {
		return err
	}
	return a.askInvariants(up)
}

// adoptCreated adopts what calls of a set-up have made, the last of which is of a function of
// its test contract; empty: of none. It returns what they gave code.
func (a *adopter) adoptCreated(exec *evm.Execution, up *TestSetup, function string) ([]MadeAccount, error) {
	first := len(a.instances)
	created := createdBy(exec)
	a.report.keepUses(madeBy(exec))
	a.note(exec, func(call int) string {
		if function != "" && call == len(exec.Calls)-1 {
			return up.Contract.Name + "." + function
		}
		return a.nameCall(&a.calls[call])
	})
	a.twins.findOnce(exec, 1)
	a.parties.meet(exec)
	a.callers.keepMembers(exec)
	world := a.machine.Export()
	a.parties.meetLabeled(world.Cheats.State.Labels)
	before := a.machine.World()
	if err := a.moveTo(world); err != nil {
		return nil, err
	}
	made, err := madeAccounts(before, world, created)
	if err != nil {
		return nil, err
	}
	if a.setups.holdsTargets(up.Contract) && function == up.Function {
		a.instance(up.Contract, up.Address, nil, "its "+up.what())
	}
	var unknown []creation
	origin := func(c *creation) string {
		if !c.call.Create {
			return "put there by " + up.Contract.Name
		}
		return "deployed by " + a.namer.nameOf(c.creator, up.Contract.Name)
	}
	put, err := appeared(before, world, created)
	if err != nil {
		return nil, err
	}
	for _, c := range append(created, put...) {
		if c.address == up.Address || a.namer.labels[c.address] != "" || len(a.instances) >= a.limit {
			continue
		}
		account := world.Accounts[c.address]
		if account == nil || len(account.Code) == 0 {
			continue // destructed, or created by a call that failed
		}
		p := a.table.LookupRuntime(account.Code)
		switch {
		case p == nil:
			unknown = append(unknown, c)
		case p.Contract == nil || p.Contract.Library || isTestCode(p.Contract) && !a.setups.holdsTargets(p.Contract):
		default:
			a.tried[p.Contract] = true
			a.instance(p.Contract, c.address, &c, origin(&c))
		}
	}
	return made, a.seeThrough(first, unknown, origin)
}

// seeThrough finds the contracts behind the proxies among the new instances, from
// the first on, and among what no contract of the build explains.
func (a *adopter) seeThrough(first int, unknown []creation, origin func(*creation) string) error {
	for i, in := range slices.Clone(a.instances[first:]) {
		if err := a.recognizer.unwrap(first+i, in.Address, "proxy "+in.Name); err != nil {
			return err
		}
	}
	for _, c := range unknown {
		if err := a.recognizer.unwrap(-1, c.address, "proxy "+origin(&c)); err != nil {
			return err
		}
	}
	return a.recognizer.seeFacets(first)
}

// makeCallable makes a test contract an instance whose functions are called, if it is not one yet.
func (a *adopter) makeCallable(up *TestSetup) {
	for i := range a.instances {
		if a.instances[i].Address == up.Address {
			a.instances[i].Asked = false
			return
		}
	}
	a.instance(up.Contract, up.Address, nil, "its "+up.what())
}

func (up *TestSetup) what() string {
	if up.Function == "" {
		return "constructor"
	}
	return up.Function
}
