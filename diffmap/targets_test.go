package diffmap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
)

// npmFolder is the folder of the npm packages that the tests need.
func npmFolder(t testing.TB) string {
	t.Helper()
	folder := filepath.Join("..", ".cache", "npm", "node_modules")
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("%s is missing: run ./test once, it installs the compilers and contracts that tests need", folder)
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// compilers holds those found so far, by version: finding one starts node.
var compilers = map[string]*solc.Compiler{}

// compileSources makes the debug build of sources with the solc named by version;
// "-ir" behind it asks for the via-IR one, "-located" for that with places in inline
// assembly, "-shipped" for the optimizer's.
func compileSources(t testing.TB, version string, sources map[string]string) *compile.Output {
	t.Helper()
	number, mode, _ := strings.Cut(version, "-")
	settings := map[string]any{"outputSelection": map[string]any{"*": map[string]any{"": []string{"ast"}, "*": []string{
		"abi", "evm.bytecode.object", "evm.bytecode.sourceMap", "evm.bytecode.linkReferences",
		"evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap", "evm.deployedBytecode.linkReferences",
		"evm.deployedBytecode.immutableReferences",
	}}}}
	switch mode {
	case "ir", "located":
		steps := "u:"
		if v, err := solc.ParseVersion(number); err == nil && v.Less(solc.Version{Major: 0, Minor: 8, Patch: 18}) {
			steps = "u" // as the debug build has it
		}
		settings["viaIR"] = true
		settings["optimizer"] = map[string]any{"details": map[string]any{"yul": true,
			"yulDetails": map[string]any{"stackAllocation": true, "optimizerSteps": steps}}}
	case "shipped":
		settings["optimizer"] = map[string]any{"enabled": true, "runs": 200}
	}
	compiler := compilerOf(t, number)
	input := standardInput(t, sources, settings)
	output, err := compile.ReadSolc(input, compileOnce(t, compiler, input), "solc "+version, reading.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	output.Compiler, output.Debug = compiler.Version(), mode == "ir" || mode == "located"
	if mode == "located" {
		var changes []unified.ChangedLine
		for name, text := range sources {
			changes = append(changes, wholeLines(name, []byte(text))...)
		}
		options := func(*compile.Output) solc.Options {
			return solc.Options{NodeModules: []string{npmFolder(t)}, Cache: testcache.Folder("builds")}
		}
		if err := LocateAssembly(t.Context(), []*compile.Output{output}, changes, Options{}, options, compile.DebugOptions{Cache: testcache.Folder("builds")}); err != nil {
			t.Fatal(err)
		}
	}
	return output
}

// checkSources checks that sources are Solidity of a version, as [compileSources] has them. No code is made, which takes longest.
func checkSources(t testing.TB, version string, sources map[string]string) {
	t.Helper()
	number, _, _ := strings.Cut(version, "-")
	input := standardInput(t, sources, map[string]any{"outputSelection": map[string]any{"*": map[string]any{"*": []string{"abi"}}}})
	var output struct {
		Errors []struct{ Severity, FormattedMessage string }
	}
	if err := json.Unmarshal(compileOnce(t, compilerOf(t, number), input), &output); err != nil {
		t.Fatal(err)
	}
	for _, e := range output.Errors {
		if e.Severity == "error" {
			t.Errorf("%s: %s", version, e.FormattedMessage)
		}
	}
}

func compilerOf(t testing.TB, number string) *solc.Compiler {
	t.Helper()
	if compilers[number] == nil {
		compiler, err := solc.Find(context.Background(), []string{number}, solc.Options{NodeModules: []string{npmFolder(t)}, Cache: testcache.Folder("builds")})
		if err != nil {
			t.Fatal(err)
		}
		compilers[number] = compiler
	}
	return compilers[number]
}

func standardInput(t testing.TB, sources map[string]string, settings map[string]any) []byte {
	t.Helper()
	content := map[string]any{}
	for name, text := range sources {
		content[name] = map[string]any{"content": text}
	}
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": content, "settings": settings})
	if err != nil {
		t.Fatal(err)
	}
	return input
}

// compileOnce takes what the same compiler answered before, since it takes
// seconds to start.
func compileOnce(t testing.TB, compiler *solc.Compiler, input []byte) []byte {
	t.Helper()
	hash := sha256.Sum256(append([]byte(compiler.Version()), input...))
	file := filepath.Join(testcache.Folder("builds"), hex.EncodeToString(hash[:12])+".json")
	if text, err := os.ReadFile(file); err == nil && json.Valid(text) {
		return text
	}
	text, err := soljson.Compile(compiler.Path(), input)
	if err != nil { // a fresh one may answer
		text, err = compiler.Compile(context.Background(), input)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return text
}

// compileYul is the debug build of a Yul source.
func compileYul(t testing.TB, version, name, text string) *compile.Output {
	t.Helper()
	input, err := json.Marshal(map[string]any{"language": "Yul", "sources": map[string]any{name: map[string]any{"content": text}}})
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := solc.Find(context.Background(), []string{version}, solc.Options{NodeModules: []string{npmFolder(t)}, Cache: testcache.Folder("builds")})
	if err != nil {
		t.Fatal(err)
	}
	output, err := compile.DebugBuild(context.Background(), input, compiler, compile.DebugOptions{Cache: testcache.Folder("builds")})
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// fixture is a source in one build.
type fixture struct {
	name, version string
	text          []byte
	outputs       []*compile.Output
	table         *bytecode.Table
}

// fixtures compiles every source that fits pattern with the compilers that its
// comment "compile:" lists, those behind "|" in long tests alone: each has another
// source that is always compiled.
func fixtures(t testing.TB, pattern string) []fixture {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	var list []fixture
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "// compile: ")
		versions, _, ok := strings.Cut(rest, "\n")
		if !ok {
			t.Fatalf("%s: no compile: comment", path)
		}
		name := filepath.Base(path)
		usual, more, _ := strings.Cut(versions, "|")
		if long.Asked() {
			usual += more
		}
		for _, version := range strings.Fields(usual) {
			output := compileSources(t, version, map[string]string{name: string(text)})
			outputs := []*compile.Output{output}
			list = append(list, fixture{strings.TrimSuffix(name, ".sol"), version, text, outputs,
				bytecode.NewTable(compile.Contracts(outputs))})
		}
	}
	return list
}

// wholeLines is a change of every byte of every line.
func wholeLines(path string, text []byte) []unified.ChangedLine {
	lines := newLineTable(text)
	var changes []unified.ChangedLine
	for i, start := range lines {
		end := len(text)
		if i+1 < len(lines) {
			end = lines[i+1]
		}
		change := unified.ChangedLine{Path: path, Line: i + 1, Kind: unified.LineAdded, Formatting: start == end}
		if start < end {
			change.Spans = []unified.Span{{Start: start, End: end}}
		}
		changes = append(changes, change)
	}
	return changes
}

// listing prints every line of a source with who owns it and how many entries
// that has, or why nobody does.
func listing(f fixture, m *Mapping) string {
	var b strings.Builder
	lines := strings.Split(string(f.text), "\n")
	for _, l := range m.Lines {
		fmt.Fprintf(&b, "%3d | %-58s |", l.Position.Line, strings.TrimRight(lines[l.Position.Line-1], " "))
		for _, i := range l.Targets {
			target := m.Targets[i]
			_, name, _ := strings.Cut(target.Contract, ":")
			creation := 0
			for _, e := range target.Entries {
				if f.table.Program(e.Code).Code.Kind == bytecode.Creation {
					creation++
				}
			}
			if creation > 0 {
				fmt.Fprintf(&b, " %s.creation %d", name, creation)
			}
			if n := len(target.Entries) - creation; n > 0 {
				fmt.Fprintf(&b, " %s %d", name, n)
			}
		}
		if l.Reverts {
			b.WriteString(" reverts")
		}
		for _, o := range l.Operations {
			fmt.Fprintf(&b, " [%s]", o.Text)
		}
		if l.Status != "" {
			fmt.Fprintf(&b, " %s: %s", l.Status, l.Reason)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestOwnershipGolden prints the owners of every line of the fixtures.
func TestOwnershipGolden(t *testing.T) {
	for _, f := range fixtures(t, "testdata/targets/*.sol") {
		t.Run(f.name+"-"+f.version, func(t *testing.T) {
			m, err := Map(f.outputs, f.table, wholeLines(f.name+".sol", f.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "testdata/targets/"+f.name+"-"+f.version+".out", listing(f, m))
			checkTargets(t, f, m)
		})
	}
}

// checkTargets checks what holds of every mapping: each line once, in order, with
// targets or a status; entries sorted, distinct, instructions; a cut at the
// entries changes nothing.
func checkTargets(t *testing.T, f fixture, m *Mapping) {
	t.Helper()
	positions := NewPositions(f.outputs, f.table, Options{})
	seen := map[bytecode.Position]bool{}
	for _, l := range m.Lines {
		if seen[l.Position] {
			t.Errorf("%v is there twice", l.Position)
		}
		seen[l.Position] = true
		if (len(l.Targets) == 0) != (l.Status != "") || (l.Status == "") != (l.Reason == "") {
			t.Errorf("%v has %d targets, status %q, reason %q", l.Position, len(l.Targets), l.Status, l.Reason)
		}
		for _, i := range l.Targets {
			if m.Targets[i].Position != l.Position {
				t.Errorf("%v has a target at %v", l.Position, m.Targets[i].Position)
			}
		}
	}
	for _, target := range m.Targets {
		if len(target.Entries) == 0 || !slices.IsSortedFunc(target.Entries, bytecode.Location.Compare) {
			t.Errorf("%v: entries %v", target.Position, target.Entries)
		}
		for _, e := range target.Entries {
			if !positions.IsInstruction(e) {
				t.Errorf("%v: %v is no instruction", target.Position, e)
			}
		}
	}
}
