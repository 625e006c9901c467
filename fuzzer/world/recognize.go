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

// recognizer finds out what can be called besides what was deployed by itself: proxies, diamonds, and
// what constructors created.
type recognizer struct {
	*deployer
	recognized int // so many instances were looked at
}

// probe is calldata whose selector no function has, for lack of a better
// preimage: what answers it is a fallback function.
var probe = crypto.Keccak256([]byte("sightline: is this a proxy?"))[:4]

// recognize adds what can be called besides what was deployed by itself:
// contracts that constructors created, and the contracts behind proxies. A proxy
// is whatever hands calldata that it does not know to the code of a known
// contract by DELEGATECALL: so do ERC-1967, beacon and minimal proxies (EIP-1167),
// and their predecessors with slots of their own. Of the instances, the first
// ones are known already.
func (r *recognizer) recognize(table *bytecode.Table, known int) error {
	known = max(known, r.recognized)
	defer func() {
		r.recognized = len(r.instances)
		r.forgetFailures()
	}()
	children, err := r.children()
	if err != nil {
		return err
	}
	for i, in := range slices.Clone(r.instances[known:]) {
		if err := r.unwrap(known+i, in.Address, "proxy "+in.Name); err != nil {
			return err
		}
	}
	for _, c := range children {
		if len(r.instances) >= r.limit {
			break
		}
		if r.namer.labels[c.address] != "" {
			continue
		}
		origin := "created by " + cmp.Or(r.namer.labels[c.creator], c.creator.Hex())
		if p := table.LookupRuntime(c.code); p != nil && p.Contract != nil && !p.Contract.Library {
			r.addition(p.Contract.Name, c.address, p.Contract, origin, "")
			if err := r.unwrap(len(r.instances)-1, c.address, "proxy "+p.Contract.Name+", "+origin); err != nil {
				return err
			}
			continue
		}
		if err := r.unwrap(-1, c.address, "proxy "+origin); err != nil {
			return err
		}
	}
	return r.seeFacets(known)
}

// forgetFailures drops the failures of contracts that are there all the same: a factory, say,
// has made one.
func (r *recognizer) forgetFailures() {
	r.report.Failures = slices.DeleteFunc(r.report.Failures, func(f Failure) bool {
		return slices.ContainsFunc(r.instances, func(in evm.Instance) bool { return in.Contract == f.Contract })
	})
}

// unwrap adds the contract behind the proxy at an address, if that is one; i is
// the proxy's own instance, or −1. A proxy without functions of its own is
// replaced by what is behind it; any other stays as well.
func (r *recognizer) unwrap(i int, address common.Address, origin string) error {
	behind, err := r.behind(address)
	if err != nil || behind == nil || len(r.instances) >= r.limit {
		return err
	}
	if i >= 0 && r.instances[i].Contract == behind { // put there as a proxy
		return nil
	}
	if i >= 0 && len(r.instances[i].Contract.ABI.Methods) == 0 {
		name := r.instanceName(behind.Name + proxySuffix)
		r.instances[i].Name, r.instances[i].Contract = name, behind
		r.namer.labels[address] = name
		r.report.Additions = slices.DeleteFunc(r.report.Additions, func(a Addition) bool { return a.Address == address })
		r.report.Additions = append(r.report.Additions, Addition{Name: name, Contract: behind, Address: address, Origin: origin})
		return nil
	}
	r.addition(behind.Name+proxySuffix, address, behind, origin, "")
	return nil
}

// behind is the contract that unknown calldata is delegated to, as it is or followed by data of the
// proxy's own (EIP-3448, clones with immutable arguments); nil when it is not.
func (r *recognizer) behind(address common.Address) (*bytecode.Contract, error) {
	call := evm.Call{From: User2.Address, To: address, Data: probe, Gas: questionGas}
	exec, err := r.machine.Run(append(slices.Clip(r.calls), call))
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
