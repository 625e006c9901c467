package world

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// build is the contracts of a build, which people and types name.
type build struct {
	contracts []*bytecode.Contract          // of the table
	byRole    []*bytecode.Contract          // those that can be deployed, the best stand-ins first
	standIns  map[string]*bytecode.Contract // by the interface's name; nil: it has none
}

func newBuild(contracts []*bytecode.Contract) *build {
	b := &build{contracts: contracts}
	for _, c := range contracts {
		if c.Deployable() && !c.Library {
			b.byRole = append(b.byRole, c)
		}
	}
	slices.SortStableFunc(b.byRole, func(c, d *bytecode.Contract) int { return cmp.Compare(role(c), role(d)) })
	return b
}

// implements reports whether an instance of c can stand where the type is asked
// for: by the base list, or, since Solidity lets addresses be converted freely,
// by having every function of the type's ABI.
func (b *build) implements(c *bytecode.Contract, typ string) bool {
	if c.Name == typ || slices.Contains(c.Implements, typ) {
		return true
	}
	if IsBuiltInMock(c) && isStandard(typ) { // the name means another one
		return false
	}
	for _, t := range b.contracts {
		if t.Name == typ && !t.Deployable() && hasMethods(c.ABI, t.ABI) {
			return true
		}
	}
	return false
}

// standIn is the contract that stands in for the interfaces of a name; nil: there is none. It is the same one each time.
func (b *build) standIn(name string) *bytecode.Contract {
	if c, known := b.standIns[name]; known {
		return c
	}
	functions := b.interfaceFunctions(name)
	c := feedFor(name, functions)
	if c == nil && !b.isImplemented(name, functions) {
		c = idleFor(name, functions)
	}
	if b.standIns == nil {
		b.standIns = map[string]*bytecode.Contract{}
	}
	b.standIns[name] = c
	return c
}

// interfaceFunctions are the functions of the interfaces of a name.
func (b *build) interfaceFunctions(name string) (functions []abi.Method) {
	for _, t := range b.contracts {
		if t.Name != name || t.Deployable() || t.Library {
			continue
		}
		for _, m := range sortedMethods(t) {
			if !slices.ContainsFunc(functions, func(other abi.Method) bool { return other.Sig == m.Sig }) {
				functions = append(functions, m)
			}
		}
	}
	return functions
}

// isImplemented reports whether the build has a contract that an interface of this name may mean: it has all of its functions, or more than half of
// them and its constructor does not ask for such a contract itself, as a vault does that is like its venue.
func (b *build) isImplemented(name string, functions []abi.Method) bool {
	return slices.ContainsFunc(b.byRole, func(c *bytecode.Contract) bool {
		has := 0
		for i := range functions {
			if hasMethod(c.ABI, functions[i].Sig) {
				has++
			}
		}
		asks := slices.ContainsFunc(constructorParameters(c), func(p parameter) bool { return p.contract == name })
		return 2*has > len(functions) && !asks || b.implements(c, name)
	})
}

// feedNamed is the interface with a stand-in that a plain address means by its name, IPriceOracle for priceOracle: the one that shares the most
// words with it. Empty: there is none, or there are several.
func (b *build) feedNamed(p *parameter) (name string) {
	if baseType(p.typ).T != abi.AddressTy || p.contract != "" || !nameHas(p.name, feedWords...) {
		return ""
	}
	most, named := 0, meant(p.name)
	for _, t := range b.contracts {
		switch shared := sharedWords(t.Name, named); {
		case t.Deployable() || shared < max(1, most) || t.Name == name || isStandard(t.Name) || b.standIn(t.Name) == nil || IsIdle(b.standIn(t.Name)):
		case shared == most:
			name = ""
		default:
			most, name = shared, t.Name
		}
	}
	return name
}

// plannedContract is the contract with a name of the plan's.
func (b *build) plannedContract(name, place string) (*bytecode.Contract, error) {
	var found []*bytecode.Contract
	for _, c := range b.contracts {
		if named(c, name) {
			found = append(found, c)
		}
	}
	if ours, ok := strings.CutPrefix(name, mockPrefix); ok && len(found) == 0 {
		if c := cmp.Or(namedMock(ours), b.standIn(ours)); c != nil {
			return c, nil
		}
		return nil, planError(place, "Sightline brings no contract %q, but %s; and the build has no interface of that name that something could stand in for", name, strings.Join(mockNames(), ", "))
	}
	switch len(found) {
	case 0:
		return nil, planError(place, "the build has no contract %q%s", name, b.instead())
	case 1:
		return found[0], nil
	}
	return nil, planError(place, "the build has several contracts named %q: write %s", name, found[0].QualifiedName())
}

// instead names contracts that a plan may have meant: some under test.
func (b *build) instead() string {
	const shown = 5 // of a line's length; arbitrary
	var names []string
	for _, c := range b.byRole {
		if c.Deployable() && !c.Library && role(c) == UnderTest && len(names) < shown {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; it has " + strings.Join(names, ", ")
}

// isLibrary reports whether a plan's name is that of a library.
func (b *build) isLibrary(name string) bool {
	c, err := b.plannedContract(name, "")
	return err == nil && c.Library
}

// seenAs is the contract whose functions the step's instance has.
func (b *build) seenAs(s *Step, c *bytecode.Contract) (*bytecode.Contract, error) {
	if s.As == "" {
		return c, nil
	}
	return b.plannedContract(s.As, s.Place)
}
