package world

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// dependencies knows what the parameters of contracts ask for, and which instances meet it.
type dependencies struct {
	*deployer
	needed     map[*bytecode.Contract][]need
	unmintable map[common.Address]bool // tokens that cannot be minted, see lookForSupply
	// told are the instances that others have been told of, or that they made when they were told.
	told map[common.Address]bool
}

func newDependencies(d *deployer) *dependencies {
	return &dependencies{deployer: d, needed: map[*bytecode.Contract][]need{}, unmintable: map[common.Address]bool{}, told: map[common.Address]bool{}}
}

// hasMethods reports whether c has every function of t, of which there is at least
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

// isToken reports whether a contract looks like an ERC-20.
func isToken(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "transfer(address,uint256)") && hasMethod(c.ABI, "balanceOf(address)")
}

// isWrappedEther reports whether a contract looks like WETH.
func isWrappedEther(c *bytecode.Contract) bool {
	return isToken(c) && hasMethod(c.ABI, "deposit()") && hasMethod(c.ABI, "withdraw(uint256)")
}

// isNFT reports whether a contract looks like an ERC-721.
func isNFT(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "ownerOf(uint256)") && hasMethod(c.ABI, "transferFrom(address,address,uint256)")
}

// isMultiToken reports whether a contract looks like an ERC-1155.
func isMultiToken(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "balanceOf(address,uint256)") && hasMethod(c.ABI, approveAll)
}

// isFeed reports whether a contract looks like one of Chainlink's price feeds.
func isFeed(c *bytecode.Contract) bool { return hasMethod(c.ABI, "latestRoundData()") }

// maxCopies bounds the further instances of a contract that are deployed because
// parameters want different ones: a pair takes two tokens, a farm of pairs three.
const maxCopies = 2

// need is a kind of contract that a constructor asks for.
type need struct {
	meets func(*bytecode.Contract) bool
	mock  *bytecode.Contract // built-in, for where the build has nothing of the kind; nil: none
	count int                // different instances that are wanted
}

// needs lists what the parameters of a contract's constructor, of the initializer that
// will be called, and of functions that make contracts ask for: contract types, and
// tokens by name.
func (dp *dependencies) needs(c *bytecode.Contract) []need {
	if known, ok := dp.needed[c]; ok {
		return known
	}
	lists := [][]parameter{constructorParameters(c)}
	if methods := initializers(c); len(methods) > 0 {
		lists = append(lists, methodParameters(c, &methods[0]))
	}
	for _, m := range factoryMethods(c, dp.build.contracts) {
		lists = append(lists, methodParameters(c, &m))
	}
	var needs []need
	index := map[string]int{}
	var walk func(list []parameter)
	walk = func(list []parameter) {
		for i := range list {
			p := &list[i]
			if takesCuts(p) {
				needs = append(needs, dp.facetNeeds()...)
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
				needs = append(needs, dp.needOf(kind))
			}
			needs[n].count = min(max(needs[n].count, p.nth+p.wanted()), 1+maxCopies)
		}
	}
	for _, list := range lists {
		walk(list)
	}
	dp.needed[c] = needs
	return needs
}

// needOf is the need for one contract of a kind.
func (dp *dependencies) needOf(kind string) need {
	if i := slices.IndexFunc(namedKinds, func(k namedKind) bool { return k.name == kind }); i >= 0 {
		return need{meets: namedKinds[i].meets, mock: namedMock(namedKinds[i].mock)}
	}
	meets := func(d *bytecode.Contract) bool { return dp.build.implements(d, kind) }
	return need{meets: meets, mock: mockFor(meets)}
}

// fits reports whether a contract is what a need asks for. A token that is made of
// another one, as a vault's shares are, is not what to begin with: no account has any
// yet, and two of that kind would wait for each other.
func (dp *dependencies) fits(c *bytecode.Contract, n *need) bool {
	return n.meets(c) && (n.mock == nil || !isToken(n.mock) || !dp.takesToken(c))
}

// takesToken reports whether a contract's constructor or initializer asks for a token.
func (dp *dependencies) takesToken(c *bytecode.Contract) bool {
	return slices.ContainsFunc(dp.needs(c), func(n need) bool { return n.mock != nil && isToken(n.mock) })
}

// ready reports whether every need is met, or met by nothing that waits.
func (au *auto) ready(c *bytecode.Contract, waiting []*candidate) bool {
	for _, need := range au.deps.needs(c) {
		if au.deps.count(need) >= need.count {
			continue
		}
		if typed := slices.ContainsFunc(waiting, func(w *candidate) bool { return w.contract != c && au.deps.fits(w.contract, &need) }); typed {
			return false
		}
		if au.outside(c, need) != nil {
			return false
		}
	}
	return true
}

// dependency is a contract that meets an unmet need and was not requested; nil when
// there is none.
func (au *auto) dependency(c *bytecode.Contract) *bytecode.Contract {
	for _, need := range au.deps.needs(c) {
		if au.deps.count(need) < need.count {
			if d := au.outside(c, need); d != nil {
				return d
			}
		}
	}
	return nil
}

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

// matching lists the deployed instances that meet a need; those that others have been told
// of come first, and those that only serve a proxy or are not initialized last.
func (dp *dependencies) matching(meets func(*bytecode.Contract) bool) []common.Address {
	var told, addresses, behind []common.Address
	for _, i := range dp.instances {
		switch {
		case !meets(i.Contract):
		case dp.proxied[i.Address], dp.spares[i.Address]:
			behind = append(behind, i.Address)
		case dp.told[i.Address]:
			told = append(told, i.Address)
		default:
			addresses = append(addresses, i.Address)
		}
	}
	return slices.Concat(told, addresses, behind)
}

// useful is matching, with tokens that are made of others after the rest, and
// those that cannot be minted at the end.
func (dp *dependencies) useful(meets func(*bytecode.Contract) bool) []common.Address {
	var plain, derived, unmintable []common.Address
	for _, a := range dp.matching(meets) {
		i := slices.IndexFunc(dp.instances, func(in evm.Instance) bool { return in.Address == a })
		switch {
		case dp.unmintable[a]:
			unmintable = append(unmintable, a)
		case isToken(dp.instances[i].Contract) && dp.takesToken(dp.instances[i].Contract):
			derived = append(derived, a)
		default:
			plain = append(plain, a)
		}
	}
	return slices.Concat(plain, derived, unmintable)
}

// count is the number of instances that meet a need, without those that only a
// proxy runs and tokens that cannot be minted.
func (dp *dependencies) count(need need) int {
	n := 0
	for _, i := range dp.instances {
		if dp.fits(i.Contract, &need) && !dp.proxied[i.Address] && !dp.spares[i.Address] && !dp.unmintable[i.Address] {
			n++
		}
	}
	return n
}

// takesAddress reports whether a constructor could name another instance.
func takesAddress(c *bytecode.Contract) bool {
	return slices.ContainsFunc(c.ABI.Constructor.Inputs, func(p abi.Argument) bool {
		return strings.Contains(p.Type.String(), "address")
	})
}
