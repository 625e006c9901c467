// Package testsolc compiles Solidity for tests, with the npm solc that ./test
// installs. It reads just what tests of the fuzzer need; the product's own
// reader is diffmap/compile.
package testsolc

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
)

// Settings of a compilation. The zero value is the newest installed solc with
// the optimizer off, as in the debug build.
type Settings struct {
	Package  string // npm package under .cache/npm/node_modules; "": solc
	ViaIR    bool
	Optimize bool
	Fork     string // the EVM version; "": the compiler's default
}

// Compile compiles one source unit named test.sol and returns its contracts in
// order of appearance. Results are cached by content below .cache, since the
// compiler takes seconds to start.
func Compile(t testing.TB, source string, settings Settings) []*bytecode.Contract {
	t.Helper()
	if settings.Package == "" {
		settings.Package = "solc"
	}
	modules := modulesDir(t)
	input, err := json.Marshal(standardInput(source, settings))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := ask(modules, settings.Package, input)
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := Read(raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return contracts
}

// Contract finds a contract by name.
func Contract(t testing.TB, contracts []*bytecode.Contract, name string) *bytecode.Contract {
	t.Helper()
	for _, c := range contracts {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no contract %q", name)
	return nil
}

func modulesDir(t testing.TB) string {
	t.Helper()
	modules, err := findModules()
	if err != nil {
		t.Fatal(err)
	}
	return modules
}

func findModules() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	modules := filepath.Join(dir, ".cache", "npm", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		return "", fmt.Errorf("%s is missing: run ./test once, it installs the compilers that tests need", modules)
	}
	return modules, nil
}

func standardInput(source string, s Settings) map[string]any {
	settings := map[string]any{
		"optimizer":       map[string]any{"enabled": s.Optimize},
		"outputSelection": map[string]any{"*": map[string]any{"*": []string{"abi", "evm.bytecode", "evm.deployedBytecode"}, "": []string{"ast"}}},
	}
	if s.Fork != "" {
		settings["evmVersion"] = s.Fork
	}
	if s.ViaIR {
		settings["viaIR"] = true
		if !s.Optimize {
			settings["optimizer"] = map[string]any{"enabled": false, "details": map[string]any{
				"yul": true, "yulDetails": map[string]any{"optimizerSteps": "u:"}}}
		}
	}
	return map[string]any{
		"language": "Solidity",
		"sources":  map[string]any{"test.sol": map[string]any{"content": source}},
		"settings": settings,
	}
}

// ask runs the compiler unless it has run on this input before.
func ask(modules, pkg string, input []byte) ([]byte, error) {
	installed, err := os.ReadFile(filepath.Join(modules, pkg, "package.json"))
	if err != nil {
		return nil, err
	}
	var about struct{ Version string }
	if err := json.Unmarshal(installed, &about); err != nil {
		return nil, fmt.Errorf("package.json of %s: %w", pkg, err)
	}
	return testcache.Answer("testsolc", about.Version, input, func() ([]byte, error) {
		return soljson.Compile(filepath.Join(modules, pkg, "soljson.js"), input)
	})
}

type output struct {
	Errors []struct {
		Severity         string
		FormattedMessage string
	}
	Sources   map[string]struct{ AST node }
	Contracts map[string]map[string]struct {
		ABI json.RawMessage
		EVM struct{ Bytecode, DeployedBytecode artifact }
	}
}

type artifact struct {
	Object         string
	LinkReferences map[string]map[string][]struct{ Start, Length uint32 }
	// ImmutableReferences are keyed by AST id.
	ImmutableReferences map[string][]struct{ Start, Length uint32 }
}

// node is the part of an AST node that contracts are described with.
type node struct {
	ID                      int
	NodeType                string
	Name                    string
	Kind                    string
	ContractKind            string
	Nodes                   []node
	LinearizedBaseContracts []int
	Parameters              struct{ Parameters []node }
	TypeDescriptions        struct{ TypeString string }
}

// Read turns solc's standard-JSON output into contracts, by source and then in
// order of appearance.
func Read(raw []byte) ([]*bytecode.Contract, error) {
	var out output
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	for _, e := range out.Errors {
		if e.Severity == "error" {
			return nil, errors.New(e.FormattedMessage)
		}
	}
	names := map[int]string{}
	var sources []string
	for source, s := range out.Sources {
		sources = append(sources, source)
		for _, n := range s.AST.Nodes {
			names[n.ID] = n.Name
		}
	}
	slices.Sort(sources)
	var contracts []*bytecode.Contract
	for _, source := range sources {
		for _, n := range out.Sources[source].AST.Nodes {
			if n.NodeType != "ContractDefinition" {
				continue
			}
			compiled := out.Contracts[source][n.Name]
			c := &bytecode.Contract{Name: n.Name, Source: source, Library: n.ContractKind == "library", RawABI: compiled.ABI}
			if err := json.Unmarshal(compiled.ABI, &c.ABI); err != nil {
				return nil, fmt.Errorf("%s: ABI: %w", n.Name, err)
			}
			var err error
			if c.Creation, err = compiled.EVM.Bytecode.code(bytecode.Creation); err != nil {
				return nil, fmt.Errorf("%s: %w", n.Name, err)
			}
			if c.Runtime, err = compiled.EVM.DeployedBytecode.code(bytecode.Runtime); err != nil {
				return nil, fmt.Errorf("%s: %w", n.Name, err)
			}
			for _, id := range n.LinearizedBaseContracts {
				c.Implements = append(c.Implements, names[id])
			}
			c.ArgumentTypes = argumentTypes(n)
			contracts = append(contracts, c)
		}
	}
	return contracts, nil
}

// argumentTypes names the contract types among a constructor's parameters.
func argumentTypes(contract node) []string {
	var types []string
	for _, n := range contract.Nodes {
		if n.NodeType != "FunctionDefinition" || n.Kind != "constructor" {
			continue
		}
		for _, p := range n.Parameters.Parameters {
			name, _ := strings.CutPrefix(p.TypeDescriptions.TypeString, "contract ")
			if name == p.TypeDescriptions.TypeString {
				name = ""
			}
			types = append(types, name)
		}
	}
	return types
}

func (a artifact) code(kind bytecode.Kind) (*bytecode.Code, error) {
	if a.Object == "" {
		return nil, nil
	}
	code := &bytecode.Code{Kind: kind}
	text := []byte(a.Object)
	for file, libraries := range a.LinkReferences {
		for library, places := range libraries {
			for _, p := range places {
				code.Links = append(code.Links, bytecode.Link{Library: file + ":" + library, Offset: p.Start})
				copy(text[2*p.Start:], strings.Repeat("0", 40))
			}
		}
	}
	slices.SortFunc(code.Links, func(a, b bytecode.Link) int { return int(a.Offset) - int(b.Offset) })
	for _, places := range a.ImmutableReferences {
		for _, p := range places {
			code.Immutables = append(code.Immutables, bytecode.Range{Start: p.Start, End: p.Start + p.Length})
		}
	}
	slices.SortFunc(code.Immutables, func(a, b bytecode.Range) int { return int(a.Start) - int(b.Start) })
	code.Bytes = make([]byte, hex.DecodedLen(len(text)))
	if _, err := hex.Decode(code.Bytes, text); err != nil {
		return nil, fmt.Errorf("bytecode: %w", err)
	}
	return code, nil
}

// Soljson is the soljson.js of an npm package below .cache/npm; "" is the newest.
func Soljson(t testing.TB, pkg string) string {
	t.Helper()
	if pkg == "" {
		pkg = "solc"
	}
	return filepath.Join(modulesDir(t), pkg, "soljson.js")
}
