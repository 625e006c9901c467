package world

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// probe is calldata whose selector no function has, for lack of a better
// preimage: what answers it is a fallback function.
var probe = crypto.Keccak256([]byte("sightline: is this a proxy?"))[:4]

// recognize adds what can be called besides what was deployed by itself:
// contracts that constructors created, and the contracts behind proxies. A proxy
// is whatever hands calldata that it does not know to the code of a known
// contract by DELEGATECALL: so do ERC-1967, beacon and minimal proxies (EIP-1167),
// and their predecessors with slots of their own. Of the instances, the first
// ones are known already.
func (b *builder) recognize(table *bytecode.Table, known int) error {
	known = max(known, b.recognized)
	defer func() {
		b.recognized = len(b.instances)
		b.forgetFailures()
	}()
	children, err := b.children()
	if err != nil {
		return err
	}
	for i, in := range slices.Clone(b.instances[known:]) {
		if err := b.unwrap(known+i, in.Address, "proxy "+in.Name); err != nil {
			return err
		}
	}
	for _, c := range children {
		if len(b.instances) >= b.limit {
			break
		}
		if b.namer.labels[c.address] != "" {
			continue
		}
		origin := "created by " + cmp.Or(b.namer.labels[c.creator], c.creator.Hex())
		if p := table.LookupRuntime(c.code); p != nil && p.Contract != nil && !p.Contract.Library {
			b.addition(p.Contract.Name, c.address, p.Contract, origin, "")
			if err := b.unwrap(len(b.instances)-1, c.address, "proxy "+p.Contract.Name+", "+origin); err != nil {
				return err
			}
			continue
		}
		if err := b.unwrap(-1, c.address, "proxy "+origin); err != nil {
			return err
		}
	}
	return b.seeFacets(known)
}

// forgetFailures drops the failures of contracts that are there all the same: a factory, say,
// has made one.
func (b *builder) forgetFailures() {
	b.report.Failures = slices.DeleteFunc(b.report.Failures, func(f Failure) bool {
		return slices.ContainsFunc(b.instances, func(in evm.Instance) bool { return in.Contract == f.Contract })
	})
}

// unwrap adds the contract behind the proxy at an address, if that is one; i is
// the proxy's own instance, or −1. A proxy without functions of its own is
// replaced by what is behind it; any other stays as well.
func (b *builder) unwrap(i int, address common.Address, origin string) error {
	behind, err := b.behind(address)
	if err != nil || behind == nil || len(b.instances) >= b.limit {
		return err
	}
	if i >= 0 && b.instances[i].Contract == behind { // put there as a proxy
		return nil
	}
	if i >= 0 && len(b.instances[i].Contract.ABI.Methods) == 0 {
		name := b.instanceName(behind.Name + proxySuffix)
		b.instances[i].Name, b.instances[i].Contract = name, behind
		b.namer.labels[address] = name
		b.report.Additions = slices.DeleteFunc(b.report.Additions, func(a Addition) bool { return a.Address == address })
		b.report.Additions = append(b.report.Additions, Addition{Name: name, Contract: behind, Address: address, Origin: origin})
		return nil
	}
	b.addition(behind.Name+proxySuffix, address, behind, origin, "")
	return nil
}

// behind is the contract that unknown calldata is delegated to, as it is or followed by data of the
// proxy's own (EIP-3448, clones with immutable arguments); nil when it is not.
func (b *builder) behind(address common.Address) (*bytecode.Contract, error) {
	call := evm.Call{From: User2.Address, To: address, Data: probe, Gas: questionGas}
	exec, err := b.machine.Run(append(slices.Clip(b.calls), call))
	if err != nil {
		return nil, err
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for _, f := range exec.Frames[frames[0]:frames[1]] {
		if f.Kind == evm.KindDelegateCall && f.Self == address &&
			bytes.HasPrefix(f.Input, probe) && f.Program != nil && f.Program.Contract != nil && !f.Program.Contract.Library {
			return f.Program.Contract, nil
		}
	}
	return nil, nil
}
