// Package upgrade compares the storage layouts of contracts that are made to be upgraded
// with those of the base version, and demonstrates clashes by execution.
package upgrade

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/layout"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// This file finds the contracts that are made to be upgraded: those that the World has
// behind a proxy, and those under test that say so.

// upgradable is a contract of the head that runs, or is to run, on storage that an
// earlier version of it has written.
type upgradable struct {
	contract *compile.Contract
	output   *compile.Output
	because  string // for people
	from     string // the contract that it takes over from, as its comment names it; empty: its own base version
	presumed bool   // neither a proxy of the project's nor a comment says so: an earlier version need not have been one
}

// saysUpgradeable are contracts of OpenZeppelin, and of libraries modeled on it, that only
// contracts behind proxies inherit from.
var saysUpgradeable = []string{"UUPSUpgradeable", initializable}

const initializable = "Initializable"

// OpenZeppelin's annotations of contracts (documentation of its upgrades plugins).
var (
	ozUpgrades     = regexp.MustCompile(`@custom:oz-upgrades\b`)
	ozUpgradesFrom = regexp.MustCompile(`@custom:oz-upgrades-from\s+(\S+)`)
)

// upgradables lists them, in the order of the builds. d is nil where nothing was
// deployed.
func upgradables(outputs []*compile.Output, d *deploy.Deployment) []upgradable {
	p := proxied{}
	if d != nil {
		p = proxiedIn(d)
	}
	var found []upgradable
	for _, o := range outputs {
		unit := layout.NewUnit(o, nil)
		for _, c := range o.Contracts {
			if !c.Deployable() || c.Library || c.Generated {
				continue
			}
			u := upgradable{contract: c, output: o}
			u.because, u.from = declaredUpgradeable(c, unit)
			u.presumed = !annotated(c, unit)
			switch name := c.QualifiedName(); {
			case p.behind[name] != "" && (!p.chosen[name] || mayRunBehindProxy(c, o)):
				u.because, u.presumed = "it runs behind "+p.behind[name], false
			case p.clones[name], u.presumed && upgradeableBase(c) == initializable && isCloned(c, outputs):
				continue // a minimal proxy's implementation never changes
			case u.because == "" && p.own[name]:
				u.because = "it can only be initialized behind a proxy"
			}
			if u.because != "" {
				found = append(found, u)
			}
		}
	}
	return found
}

// declaredUpgradeable says how a contract under test declares that it is upgraded; empty
// where it does not.
func declaredUpgradeable(c *compile.Contract, unit *layout.Unit) (because, from string) {
	if role, _ := world.RoleOf(&c.Contract); role != world.UnderTest {
		return "", ""
	}
	if named := ozUpgradesFrom.FindStringSubmatch(commentOf(c, unit)); named != nil {
		return "it is annotated @custom:oz-upgrades-from " + named[1], named[1]
	}
	if annotated(c, unit) {
		return "it is annotated @custom:oz-upgrades", ""
	}
	if base := upgradeableBase(c); base != "" {
		return "it inherits from " + base, ""
	}
	return "", ""
}

// upgradeableBase is what a contract inherits from that only contracts behind proxies do; empty where it does not.
func upgradeableBase(c *compile.Contract) string {
	for _, base := range saysUpgradeable {
		if c.Name != base && slices.Contains(c.Implements, base) {
			return base
		}
	}
	return ""
}

// annotated reports whether a contract's comment says that it is upgraded.
func annotated(c *compile.Contract, unit *layout.Unit) bool {
	return ozUpgrades.MatchString(commentOf(c, unit))
}

func commentOf(c *compile.Contract, unit *layout.Unit) string {
	declaration := unit.Declaration(c.UnitName())
	if declaration == nil {
		return ""
	}
	return unit.Comment(declaration)
}

// mayRunBehindProxy reports whether an earlier version of a contract may have run behind a proxy: it says so, or
// has a function that sets it up. What a constructor sets up is not there behind a proxy.
func mayRunBehindProxy(c *compile.Contract, o *compile.Output) bool {
	for _, m := range c.ABI.Methods {
		if world.IsInitializer(m.RawName) {
			return true
		}
	}
	return upgradeableBase(c) != "" || annotated(c, layout.NewUnit(o, nil))
}

// isCloned reports whether a contract of the builds makes minimal proxies, and sets up or creates the given one.
func isCloned(c *compile.Contract, outputs []*compile.Output) bool {
	return slices.ContainsFunc(outputs, func(o *compile.Output) bool {
		return slices.ContainsFunc(o.Contracts, func(factory *compile.Contract) bool {
			if factory == c || factory.Runtime == nil || !slices.ContainsFunc(minimalCode, func(start []byte) bool { return bytes.Contains(factory.Runtime.Bytes, start) }) {
				return false
			}
			code := bytecode.Program{Bytes: factory.Runtime.Bytes}
			for _, m := range c.ABI.Methods {
				if world.IsInitializer(m.RawName) && code.Names([4]byte(m.ID)) {
					return true
				}
			}
			return factory.Creation != nil && c.Creation != nil && bytes.Contains(factory.Creation.Bytes, c.Creation.Bytes)
		})
	})
}

// proxied says which contracts the World has behind proxies, by their qualified names.
type proxied struct {
	behind map[string]string // proxies that the project put there and that may be upgraded: what they are
	clones map[string]bool   // minimal proxies (EIP-1167), whose implementation is part of their code
	own    map[string]bool   // proxies that nothing but the automatic deployment put there
	chosen map[string]bool   // behind proxies of the project for which the automatic deployment chose them, and only these
}

func proxiedIn(d *deploy.Deployment) proxied {
	p := proxied{map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	own, chosen := map[common.Address]bool{}, map[common.Address]bool{}
	for _, searched := range d.Setup.Deployments[d.Setup.Given:] {
		chosen[searched.Address] = true
	}
	for i := range d.Setup.Additions {
		if a := &d.Setup.Additions[i]; a.OwnProxy() {
			own[a.Address] = true
		}
	}
	for i := range d.World.Instances {
		in := &d.World.Instances[i]
		account := d.World.Accounts[in.Address]
		if in.Contract == nil || in.Contract.Runtime == nil || account == nil {
			continue
		}
		name := in.Contract.QualifiedName()
		switch front := proxyAt(in.Contract, account.Code, d.Table); {
		case front == minimalProxy:
			p.clones[name] = true
		case front != "" && own[in.Address]:
			p.own[name] = true
		case front != "" && (p.behind[name] == "" || p.chosen[name] && !chosen[in.Address]):
			p.behind[name], p.chosen[name] = front, chosen[in.Address]
		}
	}
	return p
}

const minimalProxy = "a minimal proxy"

// proxyAt names the proxy whose code an instance of a contract has; empty where it has
// the contract's own, or code that is not known to be a proxy's.
func proxyAt(c *bytecode.Contract, code []byte, table *bytecode.Table) string {
	if slices.ContainsFunc(minimalCode, func(start []byte) bool { return bytes.HasPrefix(code, start) }) {
		return minimalProxy
	}
	const delegateCall = 0xf4
	p := table.LookupRuntime(code)
	switch own := table.Program(c.Runtime.ID); {
	case p != nil && own != nil && p == table.Recognized(own), bytes.IndexByte(code, delegateCall) < 0:
		return ""
	case p != nil && p.Contract != nil:
		return "the proxy " + p.Contract.Name
	case slices.ContainsFunc(proxySlots, func(slot common.Hash) bool { return bytes.Contains(code, slot[:]) }):
		return "an ERC-1967 proxy"
	}
	return ""
}

// minimalCode is how the code of minimal proxies begins: EIP-1167's, the one that it
// grew from ("0age's"), and ERC-7511's with PUSH0.
var minimalCode = [][]byte{
	common.FromHex("363d3d373d3d3d363d73"),
	common.FromHex("3d3d3d3d363d3d37363d73"),
	common.FromHex("365f5f375f5f365f73"),
}

// proxySlots are where ERC-1967 proxies keep their implementations.
var proxySlots = []common.Hash{world.ImplementationSlot, world.BeaconSlot}

// predecessor finds the contract that another one upgrades: its own base version, or the
// contract that its comment names, from the base if it is there, otherwise from the head.
func (u *upgradable) predecessor(base *compile.Output, renamed map[string]string) (*compile.Contract, *compile.Output, error) {
	source := func(c *compile.Contract) string {
		if head, ok := renamed[c.Source]; ok {
			return head
		}
		return c.Source
	}
	if u.from == "" {
		for _, c := range base.Contracts {
			if source(c) == u.contract.Source && c.Name == u.contract.Name {
				return c, base, nil
			}
		}
		return nil, nil, nil
	}
	for _, o := range []*compile.Output{base, u.output} {
		var named []*compile.Contract
		for _, c := range o.Contracts {
			if c.Name == u.from || strings.HasSuffix("/"+source(c)+":"+c.Name, "/"+u.from) {
				named = append(named, c)
			}
		}
		switch len(named) {
		case 0:
		case 1:
			return named[0], o, nil
		default:
			return nil, nil, fmt.Errorf("its comment says that it upgrades %s, but %d contracts have that name", u.from, len(named))
		}
	}
	return nil, nil, fmt.Errorf("its comment says that it upgrades %s, but no contract has that name", u.from)
}
