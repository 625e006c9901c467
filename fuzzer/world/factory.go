package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// factories let factories among the instances make what is wanted.
type factories struct {
	*deployer
	finder *finder
}

// maxProducts bounds the contracts that are made in this way. Arbitrary.
const maxProducts = 8

// produce lets factories among the instances, from first on, make one of each wanted
// contract that they make: a contract that asks who made it works as it should behind
// its factory only.
func (fa *factories) produce(ctx context.Context, wanted []*bytecode.Contract, first int) error {
	there := map[*bytecode.Contract]bool{} // that something made
	children, err := fa.children()
	if err != nil {
		return err
	}
	for _, c := range children {
		if p := fa.table.LookupRuntime(c.code); p != nil {
			there[p.Contract] = true
		}
	}
	most := len(there) + maxProducts
	for _, in := range slices.Clone(fa.instances[first:]) {
		for _, m := range factoryMethods(in.Contract, wanted) {
			if len(there) >= most {
				return nil
			}
			if err := fa.product(ctx, &in, &m, wanted, there); err != nil {
				return err
			}
		}
	}
	return nil
}

// product searches for arguments with which a function makes a wanted contract that is
// not there yet, and keeps the call.
func (fa *factories) product(ctx context.Context, in *evm.Instance, m *abi.Method, wanted []*bytecode.Contract, there map[*bytecode.Contract]bool) error {
	search, err := fa.finder.newSearch(m, methodParameters(in.Contract, m))
	if err != nil {
		return nil //nolint:nilerr // too large to be made up: the campaign may find arguments
	}
	found, err := fa.finder.find(ctx, search, func(a *arguments) evm.Call {
		call := evm.Call{From: Deployer.Address, To: in.Address, Data: slices.Concat(m.ID, a.packed), Gas: deployGas}
		call.Value.Set(a.wei)
		return call
	}, nil)
	if err != nil {
		return fmt.Errorf("calling %s.%s: %w", in.Name, m.Sig, err)
	}
	if found.exec == nil {
		return nil
	}
	address, c := fa.lastProduct(found.exec)
	if c == nil || there[c] || !slices.Contains(wanted, c) {
		return nil
	}
	there[c], fa.namer.names[address] = true, c.Name+" of "+in.Name
	fa.calls = append(fa.calls, found.call)
	fa.given = append(fa.given, given{address, found.arguments})
	fa.report.Calls = append(fa.report.Calls, fa.namer.callText(in.Name+"."+functionName(in.Contract, m), found.arguments, Deployer.Address))
	fa.writer.writeCall(in.Name, in.Contract, m, found.arguments, "")
	return nil
}

// lastProduct is what the last call of an execution created last, of what the build
// explains; nil when it created nothing.
func (fa *factories) lastProduct(exec *evm.Execution) (address common.Address, c *bytecode.Contract) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for _, f := range exec.Frames[frames[0]:frames[1]] {
		if f.Kind != evm.KindCreate && f.Kind != evm.KindCreate2 || f.Outcome != evm.Success {
			continue
		}
		if p := fa.table.LookupRuntime(f.Output); p != nil && p.Contract != nil {
			address, c = f.Self, p.Contract
		}
	}
	return address, c
}
