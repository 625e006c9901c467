package world

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// addresses lists what an address parameter could mean, the likeliest first:
//
//	an instance of the contract or interface that it is declared with
//	an instance named like it, or of which it has the initials
//	a token or a price feed, when its name says token, asset, weth, feed …
//	an instance whose name shares words with it, the most first: router, factory, oracle …
//	an instance to delegate to, when its name says logic, implementation …
//	the deployer, when its name says owner, admin, treasury …
//	another sender, when its name says forwarder, operator, minter …
//	the senders, the test contracts of set-ups, whatever else is there, zero
//
// Where an earlier parameter asks for the same kind of contract, another instance
// comes first.
func (f *finder) addresses(p *parameter) []common.Address {
	var list []common.Address
	add := func(addresses ...common.Address) {
		for _, a := range addresses {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	if p.contract != "" {
		add(f.notBesides(p, rotate(f.deps.useful(f.implements(p.contract)), p.nth))...)
	}
	own, named := words(p.name), meant(p.name)
	add(f.deps.matching(func(c *bytecode.Contract) bool {
		return len(c.Name) > 2 && (strings.EqualFold(c.Name, strings.Trim(p.name, "_")) || sameWords(c.Name, named) || isInitials(p.name, c.Name))
	})...)
	if kind := kindNamed(p.name); kind != nil {
		add(rotate(f.deps.useful(kind.meets), p.nth)...)
	}
	shared := map[string]int{}      // words, by contract's name
	for n := len(own); n > 0; n-- { // fallbackHandler is a CompatibilityFallbackHandler sooner than a FallbackManager
		add(f.deps.matching(func(c *bytecode.Contract) bool {
			if _, known := shared[c.Name]; !known {
				shared[c.Name] = sharedWords(c.Name, own)
			}
			return shared[c.Name] == n
		})...)
	}
	if logicName(p.name) {
		add(f.logic()...)
	}
	for _, role := range accountRoles {
		if nameHas(p.name, role.words...) {
			add(Senders()[role.sender].Address)
		}
	}
	if logicName(p.name) {
		add(f.deps.matching(anything)...)
	}
	add(User1.Address, Deployer.Address, User2.Address)
	add(f.tests...)
	add(f.deps.matching(anything)...)
	add(common.Address{})
	return list
}

// logic lists what a proxy could run: instances that serve a proxy already come
// first, then those with an initializer.
func (f *finder) logic() []common.Address {
	var serving, others []common.Address
	for _, i := range f.instances {
		switch {
		case f.proxied[i.Address]:
			serving = append(serving, i.Address)
		case len(initializers(i.Contract)) > 0 && !f.proxies[i.Address]:
			others = append(others, i.Address)
		}
	}
	return append(serving, others...)
}

func anything(*bytecode.Contract) bool { return true }

func (f *finder) implements(contract string) func(*bytecode.Contract) bool {
	return func(c *bytecode.Contract) bool { return f.build.implements(c, contract) }
}

// notBesides puts instances last that are the only ones of a type that another parameter asks for: a token and gold, which is one, should not be the same.
func (f *finder) notBesides(p *parameter, list []common.Address) []common.Address {
	var first, last []common.Address
	for _, a := range list {
		if slices.ContainsFunc(p.besides, func(other string) bool {
			only := f.deps.useful(f.implements(other))
			return len(only) == 1 && only[0] == a
		}) {
			last = append(last, a)
		} else {
			first = append(first, a)
		}
	}
	return append(first, last...)
}

// rotate lets the list begin with its nth element, counted in a circle.
func rotate(list []common.Address, n int) []common.Address {
	if len(list) == 0 {
		return nil
	}
	n %= len(list)
	return slices.Concat(list[n:], list[:n])
}
