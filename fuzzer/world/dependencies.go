package world

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// implements tells whether an instance of c can stand where the type is asked
// for: by the base list, or, since Solidity lets addresses be converted freely,
// by having every function of the type's ABI.
func (b *builder) implements(c *bytecode.Contract, typ string) bool {
	if c.Name == typ || slices.Contains(c.Implements, typ) {
		return true
	}
	for _, t := range b.contracts {
		if t.Name == typ && !t.Deployable() && hasMethods(c.ABI, t.ABI) {
			return true
		}
	}
	return false
}

// hasMethods tells whether c has every function of t, of which there is at least
// one.
func hasMethods(c, t abi.ABI) bool {
	for _, m := range t.Methods {
		if !hasMethod(c, m.Sig) {
			return false
		}
	}
	return len(t.Methods) > 0
}

func hasMethod(c abi.ABI, signature string) bool {
	for _, m := range c.Methods {
		if m.Sig == signature {
			return true
		}
	}
	return false
}

// isToken tells whether a contract looks like an ERC-20.
func isToken(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "transfer(address,uint256)") && hasMethod(c.ABI, "balanceOf(address)")
}

// maxCopies bounds the further instances of a contract that are deployed because
// parameters want different ones: a pair takes two tokens, a farm of pairs three.
const maxCopies = 2

// need is a kind of contract that a constructor asks for.
type need struct {
	meets func(*bytecode.Contract) bool
	count int // different instances that are wanted
}

// needs lists what the parameters of a contract's constructor, and of the
// initializer that will be called, ask for: contract types, and tokens by name.
func (b *builder) needs(c *bytecode.Contract) []need {
	if known, ok := b.needed[c]; ok {
		return known
	}
	lists := [][]parameter{constructorParameters(c)}
	if methods := initializers(c); len(methods) > 0 {
		lists = append(lists, methodParameters(c, &methods[0]))
	}
	var needs []need
	index := map[string]int{}
	var walk func(list []parameter)
	walk = func(list []parameter) {
		for i := range list {
			p := &list[i]
			if takesCuts(p) {
				needs = append(needs, b.facetNeeds()...)
				continue
			}
			walk(p.fields)
			kind := p.asksFor()
			if kind == "" {
				continue
			}
			n, known := index[kind]
			if !known {
				n = len(needs)
				index[kind] = n
				needs = append(needs, need{meets: func(d *bytecode.Contract) bool { return b.implements(d, kind) }})
				if kind == anyToken {
					needs[n].meets = isToken
				}
			}
			needs[n].count = min(max(needs[n].count, p.nth+p.wanted()), 1+maxCopies)
		}
	}
	for _, list := range lists {
		walk(list)
	}
	b.needed[c] = needs
	return needs
}

// ready tells whether every need is met, or met by nothing that waits.
func (b *builder) ready(c *bytecode.Contract, waiting []*candidate) bool {
	for _, need := range b.needs(c) {
		if b.count(need) >= need.count {
			continue
		}
		if typed := slices.ContainsFunc(waiting, func(w *candidate) bool { return w.contract != c && need.meets(w.contract) }); typed {
			return false
		}
		if b.outside(c, need) != nil {
			return false
		}
	}
	return true
}

// dependency is a contract that meets an unmet need and that nobody asked for;
// nil when there is none.
func (b *builder) dependency(c *bytecode.Contract) *bytecode.Contract {
	for _, need := range b.needs(c) {
		if b.count(need) < need.count {
			if d := b.outside(c, need); d != nil {
				return d
			}
		}
	}
	return nil
}

// outside is the first contract of the build, in the order of roles, that meets
// a need and was not tried so far; else one that was deployed already and may be
// deployed again.
func (b *builder) outside(c *bytecode.Contract, need need) *bytecode.Contract {
	if b.count(need) == 0 {
		for _, d := range b.byRole {
			if d != c && !b.tried[d] && need.meets(d) {
				return d
			}
		}
		return nil
	}
	for _, i := range b.instances {
		if i.Contract != c && need.meets(i.Contract) && b.copies[i.Contract] < maxCopies {
			return i.Contract
		}
	}
	return nil
}

// matching lists the deployed instances that meet a need; those that only serve
// a proxy come last.
func (b *builder) matching(meets func(*bytecode.Contract) bool) []common.Address {
	var addresses, behind []common.Address
	for _, i := range b.instances {
		switch {
		case !meets(i.Contract):
		case b.proxied[i.Address]:
			behind = append(behind, i.Address)
		default:
			addresses = append(addresses, i.Address)
		}
	}
	return append(addresses, behind...)
}

// count is the number of instances that meet a need and are more than what a
// proxy runs.
func (b *builder) count(need need) int {
	n := 0
	for _, i := range b.instances {
		if need.meets(i.Contract) && !b.proxied[i.Address] {
			n++
		}
	}
	return n
}

// takesAddress tells whether a constructor could name another instance.
func takesAddress(c *bytecode.Contract) bool {
	return slices.ContainsFunc(c.ABI.Constructor.Inputs, func(p abi.Argument) bool {
		return strings.Contains(p.Type.String(), "address")
	})
}
