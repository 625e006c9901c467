package world

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Diamonds (EIP-2535) are proxies that choose by the selector which of several
// contracts, their facets, a call is handed to.

// facetCut is the type of what a diamond is told about one facet: its address, 0 to add
// it, and the selectors that lead there.
const facetCut = "(address,uint8,bytes4[])"

// takesCuts reports whether the parameter lists facets.
func takesCuts(p *parameter) bool {
	return p.typ.T == abi.SliceTy && p.typ.Elem.String() == facetCut
}

// isFacet reports whether a contract is meant to be part of a diamond. There is nothing
// to tell it by but the name that everybody gives them.
func isFacet(c *bytecode.Contract) bool {
	return c.Deployable() && !c.Library && nameHas(c.Name, "facet")
}

// facetNeeds are all facets of the build: a diamond is worth what it is made of.
func (dp *dependencies) facetNeeds() []need {
	var needs []need
	for _, c := range dp.build.byRole {
		if isFacet(c) {
			needs = append(needs, need{meets: func(d *bytecode.Contract) bool { return d == c }, count: 1})
		}
	}
	return needs
}

// cuts lists every deployed facet with its functions; of those that several have, the
// first one's.
func (f *finder) cuts(t abi.Type) reflect.Value {
	list := reflect.MakeSlice(t.GetType(), 0, len(f.instances))
	taken := map[string]bool{}
	for _, in := range f.instances {
		if !isFacet(in.Contract) || f.proxies[in.Address] {
			continue
		}
		var selectors [][4]byte
		for _, m := range sortedMethods(in.Contract) {
			if !taken[string(m.ID)] {
				taken[string(m.ID)] = true
				selectors = append(selectors, [4]byte(m.ID))
			}
		}
		if len(selectors) == 0 {
			continue
		}
		cut := reflect.New(t.Elem.GetType()).Elem()
		cut.Field(0).Set(reflect.ValueOf(in.Address))
		cut.Field(2).Set(reflect.ValueOf(selectors))
		list = reflect.Append(list, cut)
	}
	return list
}

// sortedMethods lists a contract's functions by signature.
func sortedMethods(c *bytecode.Contract) []abi.Method {
	var methods []abi.Method
	for _, m := range c.ABI.Methods {
		methods = append(methods, m)
	}
	slices.SortFunc(methods, func(x, y abi.Method) int { return bytes.Compare([]byte(x.Sig), []byte(y.Sig)) })
	return methods
}

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
