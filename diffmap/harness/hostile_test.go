package harness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/harness"
)

// read reads a source unit's nodes as a build has them.
func read(nodes string) (*compile.Output, error) {
	const contracts = `{"a.sol":{"A":{"abi":[],"evm":{"bytecode":{"object":""},"deployedBytecode":{"object":""}}}}}`
	ast := fmt.Sprintf(`{"nodeType":"SourceUnit","src":"0:99:0","id":1,"nodes":[%s]}`, nodes)
	return compile.ReadSolc(nil, fmt.Appendf(nil, `{"sources":{"a.sol":{"id":0,"ast":%s}},"contracts":%s}`, ast, contracts), "test", reading.Limits{})
}

// library is a library with a function of a name, with a parameter of a type and a name.
func library(name, function, parameter, typ string) string {
	return fmt.Sprintf(`{"nodeType":"ContractDefinition","src":"0:99:0","id":2,"name":%q,"contractKind":"library","nodes":[
		{"nodeType":"FunctionDefinition","src":"0:99:0","id":3,"name":%q,"kind":"function","visibility":"internal","body":{"nodeType":"Block","src":"0:9:0"},
		"parameters":{"nodeType":"ParameterList","src":"0:9:0","parameters":[{"nodeType":"VariableDeclaration","src":"0:9:0","id":4,"name":%q,"storageLocation":"default","typeName":%s}]}}]}`,
		name, function, parameter, typ)
}

const number = `{"nodeType":"ElementaryTypeName","src":"0:9:0","name":"uint256"}`

// circular is two abstract contracts that inherit from each other, and lack a function.
const circular = `{"nodeType":"ContractDefinition","src":"0:99:0","id":2,"name":"A","contractKind":"contract","linearizedBaseContracts":[2,3,2],"nodes":[
	{"nodeType":"FunctionDefinition","src":"0:99:0","id":5,"name":"f","kind":"function","visibility":"internal"},
	{"nodeType":"ModifierDefinition","src":"0:99:0","id":6,"name":"m","body":{"nodeType":"Block","src":"0:9:0"}}],
	"baseContracts":[{"nodeType":"InheritanceSpecifier","src":"0:9:0","baseName":{"nodeType":"IdentifierPath","src":"0:9:0","referencedDeclaration":3}}]},
	{"nodeType":"ContractDefinition","src":"0:99:0","id":3,"name":"B","contractKind":"contract","linearizedBaseContracts":[3,2],"nodes":[],
	"baseContracts":[{"nodeType":"InheritanceSpecifier","src":"0:9:0","baseName":{"nodeType":"IdentifierPath","src":"0:9:0","referencedDeclaration":2}}]}`

// private is a function that only calls itself.
const private = `{"nodeType":"FunctionDefinition","src":"0:99:0","id":3,"name":"f","visibility":"private","body":{"nodeType":"Block","src":"0:9:0","statements":[
	{"nodeType":"Identifier","src":"0:9:0","referencedDeclaration":3}]}}`

// TestHostileNames: no name of a stranger gets into the text unless it is an identifier.
func TestHostileNames(t *testing.T) {
	for name, test := range map[string]struct{ nodes, missing string }{
		"of a function":  {library("A", "f() internal {} } contract PWNED { function g", "x", number), "identifier"},
		"of a library":   {library("A {} contract PWNED", "f", "x", number), "identifier"},
		"of a parameter": {library("A", "f", "x) external {} } contract PWNED { function g(uint y", number), ""},
		"of a type":      {library("A", "f", "x", `{"nodeType":"ElementaryTypeName","src":"0:9:0","name":"uint x) {} } contract PWNED {"}`), "not one of the language's"},
		"of an array":    {library("A", "f", "x", `{"nodeType":"ArrayTypeName","src":"0:9:0","baseType":`+number+`,"typeDescriptions":{"typeString":"uint256[1] PWNED"}}`), "length"},
		"deep":           {library("A", "f", "x", strings.Repeat(`{"nodeType":"ArrayTypeName","src":"0:9:0","typeDescriptions":{"typeString":"uint256[]"},"baseType":`, 20)+number+strings.Repeat("}", 20)), "deeper"},
		"no type":        {library("A", "f", "x", `{"nodeType":"Odd","src":"0:9:0"}`), "a type is a Odd"},
		"missing type":   {library("A", "f", "x", "null"), "unknown"},
		"private":        {private, ""},
		"circular":       {circular, ""},
	} {
		o, err := read(test.nodes)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h, text := write(o)
		if strings.Contains(text, "PWNED") || test.missing != "" && !strings.Contains(described(h), test.missing) {
			t.Errorf("%s: %s\n%s", name, text, described(h))
		}
	}
}

// write asks for harnesses of all that an output declares.
func write(o *compile.Output) (*harness.Harness, string) {
	var wanted []*compile.Node
	for _, s := range o.Sources {
		s.AST.Walk(func(n *compile.Node) bool {
			if n.Type == "FunctionDefinition" || n.Type == "ModifierDefinition" || n.Type == "VariableDeclaration" {
				wanted = append(wanted, n)
			}
			return true
		})
	}
	h := harness.Write(o, wanted, solc.Version{Minor: 8, Patch: 30})
	return h, string(h.Source())
}

// FuzzWrite writes harnesses for any AST that can be read. The text has no contract but its own,
// whatever is refused of it.
func FuzzWrite(f *testing.F) {
	f.Add(library("A", "f", "x", number), 300)
	f.Add(circular, 200)
	f.Add(private, 0)
	f.Fuzz(func(t *testing.T, nodes string, at int) {
		o, err := read(nodes)
		if err != nil {
			return
		}
		h, text := write(o)
		for range 8 {
			if strings.ContainsFunc(text, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' }) {
				t.Fatalf("characters that no name has: %q", text)
			}
			named := 0
			for _, c := range h.Contracts() {
				if c.Name != "" {
					named++
				}
			}
			if n := strings.Count(text, "\ncontract "); n != named {
				t.Fatalf("%d contracts, want %d:\n%s", n, named, text)
			}
			if !h.Reject(at, "refused") {
				break
			}
			text = string(h.Source())
		}
	})
}
