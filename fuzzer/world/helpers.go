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
// on, may be given, and built-in ones of kinds of which there is none: by the type of a parameter or of a struct's field, or by its name where it
// is a plain address: an OracleMock for `oracle`. Constructors' parameters have their needs met
// already.
func (au *auto) helpers(first int) (list []*candidate) {
	var idle []*bytecode.Contract
	for _, in := range slices.Clone(au.instances[first:]) {
		if in.Contract == nil || role(in.Contract) != UnderTest {
			continue
		}
		for _, m := range sortedMethods(in.Contract) {
			if m.IsConstant() {
				continue
			}
			eachAccount(methodParameters(in.Contract, &m), func(p *parameter) {
				if d := cmp.Or(au.helperFor(p, list), au.standard(in.Contract, &m, p, list)); d != nil && len(list) < maxHelpers {
					list = append(list, d)
				}
				if c := au.build.standIn(p.contract); c != nil && IsIdle(c) {
					idle = append(idle, c)
				}
			})
		}
	}
	return append(list, au.others(idle, list)...)
}

// others are second instances of contracts that are idle, each listed as often as functions take it, where one is there besides: what replaces another one has to be
// another one.
func (au *auto) others(idle []*bytecode.Contract, chosen []*candidate) (list []*candidate) {
	uses := map[*bytecode.Contract]int{}
	for _, in := range au.instances {
		uses[in.Contract]++
	}
	for _, c := range idle {
		if uses[c]++; uses[c] == 2 && au.copies[c] == 0 && len(chosen)+len(list) < maxHelpers {
			list = append(list, &candidate{contract: c, again: true})
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
func (au *auto) helperFor(p *parameter, chosen []*candidate) *candidate {
	known := func(c *bytecode.Contract) bool {
		return au.tried[c] || slices.ContainsFunc(chosen, func(d *candidate) bool { return d.contract == c })
	}
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
		if known(c) {
			return nil
		}
		return &candidate{contract: c}
	}
	if c := au.build.standIn(cmp.Or(p.contract, au.build.feedNamed(p))); c != nil && !known(c) && !slices.ContainsFunc(au.build.byRole, serves) {
		return &candidate{contract: c}
	}
	return nil
}

// standard is the contract of a well-known kind that a function's parameter asks for where there is none of that kind: a token for
// `setPaymentToken(address token)`, two for functions that take two. What rescues tokens that were sent by mistake needs none.
func (au *auto) standard(c *bytecode.Contract, m *abi.Method, p *parameter, chosen []*candidate) *candidate {
	kind := p.asksFor()
	if kind == "" || nameHas(m.RawName, rescuing...) {
		return nil
	}
	n := au.deps.needOf(kind)
	if n.mock == nil || isStandIn(n.mock) || au.deps.count(n) > 0 {
		return nil
	}
	var same []*candidate
	for _, d := range chosen {
		if au.deps.fits(d.contract, &n) {
			same = append(same, d)
		}
	}
	switch {
	case len(same) == 0:
		if d := au.outside(c, n); d != nil {
			return &candidate{contract: d}
		}
	case len(same) == 1 && p.nth == 1:
		return &candidate{contract: same[0].contract, again: true}
	}
	return nil
}

// rescuing are words in the names of functions that give back what was sent by mistake.
var rescuing = []string{"rescue", "recover", "sweep", "stuck", "salvage", "emergency"}

// outside is the first contract of the build, in the order of roles, that meets
// a need and was not tried so far; else one that was deployed already and may be
// deployed again. Built-in mocks come before the contracts of other packages, which often
// are made to be inherited from: a token without a supply.
func (au *auto) outside(c *bytecode.Contract, need need) *bytecode.Contract {
	if au.deps.count(need) == 0 {
		untried := func(d *bytecode.Contract) bool { return d != c && !au.tried[d] && need.meets(d) }
		own := func(d *bytecode.Contract) bool {
			return untried(d) && au.deps.fits(d, &need) && (need.mock == nil || role(d) != Dependency)
		}
		if i := slices.IndexFunc(au.build.byRole, own); i >= 0 {
			return au.build.byRole[i]
		}
		if need.mock != nil && !au.tried[need.mock] {
			return need.mock
		}
		if i := slices.IndexFunc(au.build.byRole, untried); i >= 0 {
			return au.build.byRole[i]
		}
		return nil
	}
	for _, i := range au.instances {
		if i.Contract != c && au.deps.fits(i.Contract, &need) && !au.deps.unmintable[i.Address] && au.copies[i.Contract] < maxCopies {
			return i.Contract
		}
	}
	return nil
}
