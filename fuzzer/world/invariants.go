package world

import (
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// A test contract with invariant_… functions says what must hold of what it sets up,
// whatever is called. Its functions are asked, and what it says of who may call what
// (Foundry's targetContract, targetSelector, excludeSender …) is their scope. Handlers,
// through which it wants contracts to be called, are called as well.

// maxHandlers bounds the handlers of a test contract. Arbitrary; tests have one or two.
const maxHandlers = 16

// askInvariants makes a test contract with invariants one that is asked.
func (a *adopter) askInvariants(up *TestSetup) error {
	if !hasInvariants(up.Contract) || len(a.instances) >= a.limit {
		return nil
	}
	scope, err := a.scopeOf(up)
	if err != nil {
		return err
	}
	handlers := slices.Clone(scope.Contracts)
	for address := range scope.Selectors {
		handlers = append(handlers, address)
	}
	slices.SortFunc(handlers, common.Address.Cmp)
	a.addHandlers(slices.Compact(handlers), up.Contract.Name)
	i := slices.IndexFunc(a.instances, func(in evm.Instance) bool { return in.Address == up.Address })
	if i < 0 {
		a.instance(up.Contract, up.Address, nil, "asked for its invariants")
		i = len(a.instances) - 1
		a.instances[i].Asked = true
	}
	a.instances[i].Scope = scope
	return nil
}

// addHandlers makes the test's own contracts among the targets callable. They may use
// cheatcodes.
func (a *adopter) addHandlers(addresses []common.Address, test string) {
	for _, address := range addresses[:min(len(addresses), maxHandlers)] {
		account := a.machine.World().Accounts[address]
		if account == nil {
			continue
		}
		p := a.table.LookupRuntime(account.Code)
		if p == nil || p.Contract == nil || !isTestCode(p.Contract) && role(p.Contract) == UnderTest {
			continue // called in any case
		}
		a.actors = append(a.actors, address)
		known := slices.ContainsFunc(a.instances, func(in evm.Instance) bool { return in.Address == address })
		if !known && len(a.instances) < a.limit {
			a.tried[p.Contract] = true
			a.instance(p.Contract, address, nil, "handler of "+test)
		}
	}
}

// scopeTypes are what Foundry's StdInvariant answers with.
var (
	addressList  = mustType("address[]", nil)
	selectorList = mustType("tuple[]", []abi.ArgumentMarshaling{{Name: "addr", Type: "address"}, {Name: "selectors", Type: "bytes4[]"}})
)

func mustType(name string, components []abi.ArgumentMarshaling) abi.Type {
	t, err := abi.NewType(name, "", components)
	if err != nil {
		panic(err) // the type is ours
	}
	return t
}

// scopeOf asks a test contract what its invariants speak of.
func (a *adopter) scopeOf(up *TestSetup) (*evm.Scope, error) {
	s := &evm.Scope{}
	for _, list := range []struct {
		function string
		to       *[]common.Address
	}{
		{"targetContracts()", &s.Contracts}, {"excludeContracts()", &s.ExcludedContracts},
		{"targetSenders()", &s.Senders}, {"excludeSenders()", &s.ExcludedSenders},
	} {
		values, err := a.ask(up, list.function, addressList)
		if err != nil {
			return nil, err
		}
		if addresses, ok := values.([]common.Address); ok {
			*list.to = addresses
		}
	}
	for _, list := range []struct {
		function string
		to       *map[common.Address][][4]byte
	}{{"targetSelectors()", &s.Selectors}, {"excludeSelectors()", &s.ExcludedSelectors}} {
		values, err := a.ask(up, list.function, selectorList)
		if err != nil {
			return nil, err
		}
		entries, ok := values.([]struct {
			Addr      common.Address `json:"addr"`
			Selectors [][4]uint8     `json:"selectors"`
		})
		if !ok || len(entries) == 0 {
			continue
		}
		*list.to = map[common.Address][][4]byte{}
		for _, e := range entries {
			(*list.to)[e.Addr] = append((*list.to)[e.Addr], e.Selectors...)
		}
	}
	return s, nil
}

// ask is the answer of a test contract's function; nil where it has none, or answers
// something else.
func (a *adopter) ask(up *TestSetup, function string, answer abi.Type) (any, error) {
	if !hasMethod(up.Contract.ABI, function) {
		return nil, nil //nolint:nilnil // no answer is not a failure
	}
	exec, err := a.machine.Run(append(slices.Clip(a.calls), evm.Call{From: User2.Address, To: up.Address, Data: selector(function)}))
	if err != nil {
		return nil, err
	}
	values, err := abi.Arguments{{Type: answer}}.Unpack(exec.Calls[len(exec.Calls)-1].Output)
	if err != nil || len(values) != 1 {
		return nil, nil //nolint:nilerr,nilnil // the contract says nothing of use
	}
	return values[0], nil
}
