package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Diamonds (EIP-2535) are proxies that choose by the selector which of several
// contracts, their facets, a call is handed to.

// maxFacetProbes bounds the calls that look for the facets of one contract: a diamond of
// ten facets takes about so many tenths of it. Arbitrary.
const maxFacetProbes = 512

// seeFacets adds the facets behind those instances, from the first on, that are
// diamonds: whose fallback function hands calls of another instance's functions to
// that instance's code.
func (r *recognizer) seeFacets(first int) error {
	known := slices.Clone(r.instances)
	for i := first; i < len(known); i++ {
		if !known[i].Contract.ABI.HasFallback() || r.proxies[known[i].Address] {
			continue
		}
		if err := r.facetsOf(known[i], known); err != nil {
			return err
		}
	}
	return nil
}

// facetsOf adds what is behind one instance.
func (r *recognizer) facetsOf(diamond evm.Instance, known []evm.Instance) error {
	probes, burnt := 0, 0
	hands := true // whether its code hands calls on at all, as far as is known
	for _, facet := range known {
		seen := func(in evm.Instance) bool { return in.Address == diamond.Address && in.Contract == facet.Contract }
		if facet.Address == diamond.Address || r.proxies[facet.Address] || slices.ContainsFunc(r.instances, seen) || len(r.instances) >= r.limit {
			continue
		}
		for _, m := range sortedMethods(facet.Contract) {
			if _, own := diamond.Contract.ABI.Methods[m.Name]; own || probes == maxFacetProbes || burnt == maxExhausted || !hands {
				continue
			}
			probes++
			behind, root, err := r.delegatesTo(diamond.Address, facet.Address, m.ID)
			if err != nil {
				return err
			}
			outcome := root.Outcome
			hands = root.Program == nil || mayDelegate(root.Program)
			if !behind && outcome == evm.OutOfGas {
				burnt++
			}
			if behind {
				r.proxied[facet.Address] = true
				r.addition(facet.Contract.Name+proxySuffix, diamond.Address, facet.Contract, "facet of the diamond "+diamond.Name, "")
				break
			}
		}
	}
	return nil
}

// mayDelegate reports whether a program has a DELEGATECALL. Most fallback functions only take ether: one call of theirs
// shows the program, and the others need not be made.
func mayDelegate(p *bytecode.Program) (found bool) {
	p.Instructions(func(pc uint32) bool {
		found = vm.OpCode(p.Bytes[pc]) == vm.DELEGATECALL
		return !found
	})
	return found
}

// delegatesTo reports whether a contract hands calls of a function to the code at an
// address, with the frame of such a call, which is valid until the machine runs again.
func (r *recognizer) delegatesTo(address, code common.Address, selector []byte) (bool, *evm.Frame, error) {
	// Without arguments: the facet refuses it, but it is asked.
	exec, err := r.machine.Run(append(slices.Clip(r.calls), evm.Call{From: User2.Address, To: address, Data: selector, Gas: questionGas}))
	if err != nil {
		return false, nil, err
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	return slices.ContainsFunc(exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return f.Kind == evm.KindDelegateCall && f.Self == address && f.CodeAddress == code && bytes.Equal(f.Input, selector)
	}), &exec.Frames[frames[0]], nil
}
