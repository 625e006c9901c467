package world

import (
	"cmp"
	"fmt"
	"slices"

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
// tokens and contracts by name.
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
			if isBeacon(c) && logicName(p.name) {
				needs = append(needs, need{meets: dp.isRunByProxies, count: 1})
				continue
			}
			kind := cmp.Or(p.asksFor(), dp.initialed(p), dp.namesake(c, p))
			if kind == "" || kind == feedKind {
				kind = cmp.Or(dp.build.feedNamed(p), kind)
			}
			if kind == "" {
				continue
			}
			n, known := index[kind]
			if !known {
				n = len(needs)
				index[kind] = n
				needs = append(needs, dp.needOf(kind))
			}
			needs[n].count = min(max(needs[n].count, p.nth+p.wanted()+dp.kin(p)), 1+maxCopies)
		}
	}
	for _, list := range lists {
		walk(list)
	}
	dp.needed[c] = needs
	return needs
}

// isRunByProxies reports whether a contract is there to be run by proxies.
func (dp *dependencies) isRunByProxies(c *bytecode.Contract) bool {
	return role(c) == UnderTest && c.Deployable() && !c.Library && len(initializers(c)) > 0
}

// kin counts the contracts that other parameters ask for by their types, and that would do for a parameter as well.
func (dp *dependencies) kin(p *parameter) (n int) {
	for _, other := range p.besides {
		if slices.ContainsFunc(dp.build.contracts, func(c *bytecode.Contract) bool {
			return c.Name == other && c.Deployable() && dp.build.implements(c, p.contract)
		}) {
			n++
		}
	}
	return n
}

// initialed is the contract of which an address has the initials for a name; empty: there is none.
func (dp *dependencies) initialed(p *parameter) string {
	if baseType(p.typ).T != abi.AddressTy {
		return ""
	}
	for _, c := range dp.build.contracts {
		if c.Deployable() && isInitials(p.name, c.Name) {
			return c.Name
		}
	}
	return ""
}

// namesake is the contract under test that an address of a constructor of c means by its name: the one that is called the same, or the only one of
// which the name has all its words, a NaivePool for pool; empty: there is none. An owner does not have to be a contract, unless one is called that.
func (dp *dependencies) namesake(c *bytecode.Contract, p *parameter) (name string) {
	named := meant(p.name)
	if p.typ.T != abi.AddressTy || len(named) == 0 {
		return ""
	}
	several := false
	for _, d := range dp.build.contracts {
		switch {
		case d == c || !d.Deployable() || d.Generated || role(d) != UnderTest:
		case sameWords(d.Name, named):
			return d.Name
		case sharedWords(d.Name, named) == len(named) && !namesAccount(p):
			several = several || name != "" && name != d.Name
			name = d.Name
		}
	}
	if several {
		return ""
	}
	return name
}

// needOf is the need for one contract of a kind.
func (dp *dependencies) needOf(kind string) need {
	if i := slices.IndexFunc(namedKinds, func(k namedKind) bool { return k.name == kind }); i >= 0 {
		return need{meets: namedKinds[i].meets, mock: namedMock(namedKinds[i].mock)}
	}
	meets := func(d *bytecode.Contract) bool { return dp.build.implements(d, kind) }
	return need{meets: meets, mock: cmp.Or(mockFor(meets), dp.build.standIn(kind))}
}

// fits reports whether a contract is what a need asks for. A token that is made of
// another one, as a vault's shares are, is not what to begin with: no account has any
// yet, and two of that kind would wait for each other.
func (dp *dependencies) fits(c *bytecode.Contract, n *need) bool {
	return n.meets(c) && (n.mock == nil || !isToken(n.mock) || dp.takesToken(n.mock) || !dp.takesToken(c))
}

// takesToken reports whether a contract's constructor or initializer asks for a token.
func (dp *dependencies) takesToken(c *bytecode.Contract) bool {
	return slices.ContainsFunc(dp.needs(c), func(n need) bool { return n.mock != nil && isToken(n.mock) })
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

// noteMissing says of a contract that was deployed last which types its constructor asks
// for that nothing deployed has: a sender stands in, and what is called on it does nothing.
func (dp *dependencies) noteMissing(c *bytecode.Contract) {
	d := &dp.report.Deployments[len(dp.report.Deployments)-1]
	var notes []string
	for i, p := range constructorParameters(c) {
		if p.contract == "" || len(dp.matching(func(d *bytecode.Contract) bool { return dp.build.implements(d, p.contract) })) > 0 {
			continue
		}
		notes = append(notes, fmt.Sprintf("parameter %d: nothing deployed implements %s", i+1, p.contract))
	}
	d.Notes = append(notes, d.Notes...)
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

// lookForSupply notes a new instance if it is a token that no account has and that is
// unmintable: the ERC-20 of a library of contracts, deployed as it is. A contract that
// takes payment in it could never be paid.
func (dp *dependencies) lookForSupply(in *evm.Instance) error {
	if !isToken(in.Contract) || makesTokens(in.Contract) || !hasMethod(in.Contract.ABI, "totalSupply()") {
		return nil
	}
	supply, err := dp.word(in, "totalSupply()", nil)
	dp.unmintable[in.Address] = supply != nil && supply.IsZero()
	return err
}

// makingWords begin the names of functions that make tokens, or give them to the caller.
var makingWords = []string{"mint", "deposit", "issue", "faucet", "drip", "claim", "wrap", "airdrop", "allocate", "give", "initialize"}

// makesTokens reports whether a token has functions by which an account may obtain
// some.
func makesTokens(c *bytecode.Contract) bool {
	for _, m := range c.ABI.Methods {
		list := words(m.RawName)
		if !m.IsConstant() && len(list) > 0 && slices.Contains(makingWords, list[0]) {
			return true
		}
	}
	return false
}
