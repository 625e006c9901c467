package world

import (
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Role is what a contract is for in its project.
type Role uint8

// The roles, in the order in which they are worth deploying.
const (
	UnderTest  Role = iota // what the project is about
	Mock                   // stands in for something in tests
	Dependency             // third-party code: a package or a library folder
	Test                   // tests the others
	Script                 // deploys or configures the others
)

func (r Role) String() string {
	return [...]string{"contract under test", "mock", "dependency", "test", "script"}[r]
}

// RoleOf tells a contract's role by convention, and which convention that was
// ("it is below test/"; empty for a contract under test). The first row that
// applies counts:
//
//	Dependency  the source is below node_modules/, below a lib/ that is not inside
//	            src/ or contracts/, or is named as packages are ("@scope/…",
//	            "forge-std/…", "ds-test/…", "hardhat/…")
//	Test        `sightline tests` wrote it: its name begins with Sightline_
//	Test        it inherits from Test or DSTest (forge-std, ds-test)
//	Script      it inherits from Script (forge-std)
//	UnderTest   it has property functions (echidna_…, property_…, invariant_…), or inherits
//	            the assertions of fuzzers' libraries (PropertiesAsserts, CryticAsserts): a
//	            harness, meant to be fuzzed, wherever it is
//	Test        the source is below test/ or tests/, below certora/ or fv/ (what a prover is
//	            given), or is called *.t.sol
//	Script      the source is below script/ or scripts/, or is called *.s.sol
//	Mock        the source is below mock/ or mocks/, or the contract's name says
//	            Mock
//	UnderTest   everything else
//
// Mocks in a test folder are mocks: they exist to be deployed.
//
// What Sightline wrote is under test, whatever it is called.
func RoleOf(c *bytecode.Contract) (role Role, why string) {
	if c.Generated {
		return UnderTest, ""
	}
	if why := dependencyPath(c.Source, foldersOf(c)); why != "" {
		return Dependency, why
	}
	return roleWithin(c)
}

// RoleWithin is a contract's role in the project that its source is of, be it a dependency: a router that a library's tests
// call is a Test there.
func RoleWithin(c *bytecode.Contract) Role {
	role, _ := roleWithin(c)
	return role
}

func foldersOf(c *bytecode.Contract) []string {
	return strings.Split(strings.ToLower(path.Dir(path.Clean(c.Source))), "/")
}

// roleWithin is [RoleOf] without the first row.
func roleWithin(c *bytecode.Contract) (role Role, why string) {
	folders := foldersOf(c)
	below := func(names ...string) (string, bool) {
		for _, f := range folders {
			if slices.Contains(names, f) {
				return "it is below " + f + "/", true
			}
		}
		return "", false
	}
	if strings.HasPrefix(c.Name, writtenTest) {
		return Test, "Sightline wrote it"
	}
	if base := inherits(c, "Test", "DSTest"); base != "" {
		return Test, "it inherits from " + base
	}
	if base := inherits(c, "Script"); base != "" {
		return Script, "it inherits from " + base
	}
	if IsHarness(c) {
		return UnderTest, ""
	}
	if why, ok := below("mock", "mocks"); ok {
		return Mock, why
	}
	if slices.Contains(words(c.Name), "mock") {
		return Mock, "its name says so"
	}
	if why, ok := below("test", "tests", "certora", "fv"); ok {
		return Test, why
	}
	if strings.HasSuffix(c.Source, ".t.sol") {
		return Test, "its source is called *.t.sol"
	}
	if why, ok := below("script", "scripts"); ok {
		return Script, why
	}
	if strings.HasSuffix(c.Source, ".s.sol") {
		return Script, "its source is called *.s.sol"
	}
	return UnderTest, ""
}

// packages without a scope that every project means the same by.
var packages = []string{"forge-std", "ds-test", "hardhat"}

// dependencyPath says why a source is third-party code; empty when it is not.
func dependencyPath(source string, folders []string) string {
	if strings.HasPrefix(source, "@") {
		return "it is of the package " + folders[0]
	}
	if slices.Contains(packages, folders[0]) {
		return "it is of the package " + folders[0]
	}
	for i, f := range folders {
		own := slices.Contains(folders[:i], "src") || slices.Contains(folders[:i], "contracts")
		if f == "node_modules" || f == "lib" && !own {
			return "it is below " + f + "/"
		}
	}
	return ""
}

// inherits is the first of the names that a contract inherits from; empty when
// there is none. Its own name does not count: many a contract under test is
// called Test.
func inherits(c *bytecode.Contract, names ...string) string {
	if len(c.Implements) == 0 {
		return ""
	}
	for _, name := range names {
		if slices.Contains(c.Implements[1:], name) {
			return name
		}
	}
	return ""
}

// hasProperties reports whether a fuzzer is asked to check something of the contract.
func hasProperties(c *bytecode.Contract) bool { return Properties(c) > 0 }

// IsHarness reports whether a contract is written for a fuzzer, which no chain gets: it has properties, or inherits the assertions of
// a library for that, of crytic/properties or Chimera, which its functions make of what they call.
func IsHarness(c *bytecode.Contract) bool { return hasProperties(c) || c.AssertsAsHarness() }

// Properties counts the functions by which a contract asks a fuzzer to check something: the
// prefixes are those of Echidna, Medusa and Foundry.
func Properties(c *bytecode.Contract) int {
	n := 0
	for _, m := range c.ABI.Methods {
		if len(m.Inputs) == 0 && isPropertyName(m.RawName) {
			n++
		}
	}
	return n
}

func isPropertyName(name string) bool {
	return slices.ContainsFunc([]string{"echidna_", "property_", "invariant_"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
