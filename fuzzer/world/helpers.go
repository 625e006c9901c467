package world

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxHelpers bounds the mocks that are deployed for functions' parameters. Arbitrary: calls
// are spread over all instances.
const maxHelpers = 8

// helpers lists the project's own mocks that functions of the instances under test, from first
// on, may be given: by the type of a parameter or of a struct's field, or by its name where it
// is a plain address: an OracleMock for `oracle`. Constructors' parameters have their needs met
// already.
func (au *auto) helpers(first int) []*bytecode.Contract {
	var list []*bytecode.Contract
	for _, in := range slices.Clone(au.instances[first:]) {
		if in.Contract == nil || role(in.Contract) != UnderTest {
			continue
		}
		for _, m := range sortedMethods(in.Contract) {
			if m.IsConstant() {
				continue
			}
			eachAccount(methodParameters(in.Contract, &m), func(p *parameter) {
				if d := au.helperFor(p, list); d != nil && len(list) < maxHelpers {
					list = append(list, d)
				}
			})
		}
	}
	return list
}

// eachAccount calls back for each parameter, fields of structs among them, that is an address
// or a list of addresses.
func eachAccount(list []parameter, do func(*parameter)) {
	for i := range list {
		eachAccount(list[i].fields, do)
		if baseType(list[i].typ).T == abi.AddressTy {
			do(&list[i])
		}
	}
}

// helperFor is the mock of the build that a parameter may be meant for; nil: there is none, or
// one is there or chosen.
func (au *auto) helperFor(p *parameter, chosen []*bytecode.Contract) *bytecode.Contract {
	serves := func(c *bytecode.Contract) bool {
		if p.contract != "" {
			return au.build.implements(c, p.contract)
		}
		if kind := kindNamed(p.name); kind != nil && kind.meets(c) {
			return true
		}
		own := words(c.Name)
		return slices.Contains(own, "mock") && slices.ContainsFunc(words(p.name), func(word string) bool { return word != "mock" && slices.Contains(own, word) })
	}
	for _, in := range au.instances {
		if in.Contract != nil && serves(in.Contract) {
			return nil
		}
	}
	for _, c := range au.build.byRole {
		if role(c) != Mock || !serves(c) {
			continue
		}
		if slices.Contains(chosen, c) || au.tried[c] {
			return nil
		}
		return c
	}
	if c := au.build.standIn(cmp.Or(p.contract, au.build.feedNamed(p))); c != nil && !slices.Contains(chosen, c) && !au.tried[c] && !slices.ContainsFunc(au.build.byRole, serves) {
		return c
	}
	return nil
}
