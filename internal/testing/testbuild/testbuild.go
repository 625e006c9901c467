// Package testbuild compiles Solidity for tests that need what internal/testing/testsolc
// leaves out: several sources, any installed compiler, and the way from an
// instruction back to its line. It goes through the product's own build reader.
package testbuild

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
)

// Project is a compiled set of sources.
type Project struct {
	Output *compile.Output
}

// Compile compiles sources (path to text) with the solc of that version, the
// optimizer off as in the debug build. Results are kept between
// runs, since the compiler takes seconds to start.
func Compile(t testing.TB, version string, sources map[string]string) *Project {
	t.Helper()
	return CompileWith(t, version, sources, nil)
}

// CompileWith compiles as [Compile] does, with settings of standard JSON (nil: none but what
// is asked for).
func CompileWith(t testing.TB, version string, sources map[string]string, settings map[string]any) *Project {
	t.Helper()
	input, output := standardJSON(t, version, sources, settings)
	read, err := compile.ReadSolc(input, output, "solc "+version, reading.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return &Project{read}
}

// Write compiles as [Compile] does, with settings of standard JSON (nil: none but what is
// asked for), and writes NAME.input.json and NAME.output.json into a folder, as standard JSON
// goes into a compiler and out of it. It returns their paths.
func Write(t testing.TB, folder, name, version string, sources map[string]string, settings map[string]any) (input, output string) {
	t.Helper()
	in, out := standardJSON(t, version, sources, settings)
	input, output = filepath.Join(folder, name+".input.json"), filepath.Join(folder, name+".output.json")
	for path, data := range map[string][]byte{input: in, output: out} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return input, output
}

// standardJSON is a compiler's input and output.
func standardJSON(t testing.TB, version string, sources map[string]string, settings map[string]any) (input, output []byte) {
	t.Helper()
	root := moduleRoot(t)
	compiler := compilerOf(t, root, version)
	content := map[string]any{}
	for path, text := range sources {
		content[path] = map[string]any{"content": text}
	}
	all := map[string]any{"outputSelection": selection}
	maps.Copy(all, settings)
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": content, "settings": all})
	if err != nil {
		t.Fatal(err)
	}
	output, err = testcache.Answer("testbuild", compiler.Version(), input, func() ([]byte, error) {
		return soljson.Compile(compiler.Path(), input)
	})
	if err != nil {
		t.Fatal(err)
	}
	return input, output
}

// compilers are those that were found, by version: to know one, all of it is read.
var compilers sync.Map

func compilerOf(t testing.TB, root, version string) *solc.Compiler {
	t.Helper()
	if known, ok := compilers.Load(version); ok {
		return known.(*solc.Compiler) //nolint:errcheck,forcetypeassert // nothing else is kept
	}
	modules := filepath.Join(root, ".cache", "npm", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		t.Fatalf("%s is missing: run ./test once, it installs the compilers that tests need", modules)
	}
	compiler, err := solc.Find(context.Background(), []string{version}, solc.Options{NodeModules: []string{modules}, Cache: testcache.Folder("builds")})
	if err != nil {
		t.Fatal(err)
	}
	compilers.Store(version, compiler)
	return compiler
}

var selection = map[string]any{"*": map[string]any{"": []string{"ast"}, "*": []string{
	"abi", "evm.bytecode.object", "evm.bytecode.sourceMap", "evm.bytecode.linkReferences",
	"evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap", "evm.deployedBytecode.linkReferences",
	"evm.deployedBytecode.immutableReferences",
}}}

// Layouts are settings of standard JSON that ask for storage layouts in addition, which
// compilers before 0.5.13 do not have.
func Layouts() map[string]any {
	all := maps.Clone(selection["*"].(map[string]any))                    //nolint:errcheck,forcetypeassert // it is a map, above
	all["*"] = append(slices.Clone(all["*"].([]string)), "storageLayout") //nolint:errcheck,forcetypeassert // likewise
	return map[string]any{"outputSelection": map[string]any{"*": all}}
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test's folder")
	return ""
}

// Contracts are the contracts of one source, of all when source is "".
func (p *Project) Contracts(source string) []*bytecode.Contract {
	all := compile.Contracts([]*compile.Output{p.Output})
	if source == "" {
		return all
	}
	var some []*bytecode.Contract
	for _, c := range all {
		if c.Source == source {
			some = append(some, c)
		}
	}
	return some
}

// Positions finds the line of an instruction. The table must be of contracts
// that this project's Contracts returned.
func (p *Project) Positions(table *bytecode.Table) *diffmap.Positions {
	return diffmap.NewPositions([]*compile.Output{p.Output}, table, diffmap.Options{})
}

var want = regexp.MustCompile(`// want (.*)$`)

// Wants reads what a source expects of its lines, from comments at their ends:
//
//	assert(x < 5); // want assertion
//
// Lines count from 1.
func Wants(source string) map[int]string {
	wants := map[int]string{}
	for i, line := range strings.Split(source, "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			wants[i+1] = m[1]
		}
	}
	return wants
}
