package compile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// sampleInput is the standard-JSON input of one of testdata's sources.
func sampleInput(t testing.TB, name string, settings map[string]any) json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "sources", name))
	if err != nil {
		t.Fatal(err)
	}
	return standardJSON(t, map[string]string{"src/" + name: string(text)}, settings)
}

func standardJSON(t testing.TB, texts map[string]string, settings map[string]any) json.RawMessage {
	t.Helper()
	sources := map[string]any{}
	for name, text := range texts {
		sources[name] = map[string]string{"content": text}
	}
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": sources, "settings": settings})
	if err != nil {
		t.Fatal(err)
	}
	return input
}

// TestDebugVersions compiles the same source with every installed compiler
// and compares what was read with a golden file for each.
func TestDebugVersions(t *testing.T) {
	for _, version := range installed {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			// The settings are those of the newest compiler: older ones must be
			// spared what they do not know.
			input := sampleInput(t, "Market.sol", map[string]any{
				"optimizer":  map[string]any{"enabled": true, "runs": 200},
				"viaIR":      true,
				"evmVersion": "cancun",
				"metadata":   map[string]any{"bytecodeHash": "none", "appendCBOR": false},
				"debug":      map[string]any{"revertStrings": "default", "debugInfo": []string{"*"}},
			})
			o, err := DebugBuild(t.Context(), input, compiler(t, version), DebugOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !o.Debug || !strings.HasPrefix(o.Compiler, version) || o.Input == nil {
				t.Errorf("debug %v, compiler %q", o.Debug, o.Compiler)
			}
			golden.Check(t, "testdata/market-"+version+".txt", describeOutput(o))
		})
	}
}

// describeOutput is what a golden file holds: contracts, the lines that their
// runtime code maps to, and the AST.
func describeOutput(o *Output) string {
	var text strings.Builder
	fmt.Fprintf(&text, "compiler %s\nsettings %+v\n", o.Compiler, o.Settings)
	for _, c := range o.Contracts {
		fmt.Fprintf(&text, "\n%s %s\n  methods %s\n  arguments %q\n  implements %s\n",
			c.Kind, c.QualifiedName(), strings.Join(methodNames(c), " "), c.ArgumentTypes, strings.Join(c.Implements, " "))
		if !c.Deployable() {
			continue
		}
		fmt.Fprintf(&text, "  creation: links %v, lines %v\n", c.Creation.Links, mappedLines(o, c.CreationMap, c.Creation.Bytes))
		fmt.Fprintf(&text, "  runtime: links %v, lines %v\n", c.Runtime.Links, mappedLines(o, c.RuntimeMap, c.Runtime.Bytes))
	}
	for _, s := range o.Sources {
		fmt.Fprintf(&text, "\nsource %d %s\n", s.ID, s.Path)
		describeNode(&text, s, s.AST, 0)
	}
	return text.String()
}

func methodNames(c *Contract) []string {
	var names []string
	for name := range c.ABI.Methods {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// mappedLines are the lines on which ranges of single lines start.
func mappedLines(o *Output, m SourceMap, code []byte) []int {
	var lines []int
	for _, e := range m.Instructions(code) {
		if e.File < 0 {
			continue
		}
		text := o.Sources[e.File].Text
		if !bytes.Contains(text[e.Start:e.Start+e.Length], []byte("\n")) {
			lines = append(lines, 1+bytes.Count(text[:e.Start], []byte("\n")))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func describeNode(text *strings.Builder, s *Source, n *Node, depth int) {
	excerpt, _, _ := strings.Cut(string(s.Text[n.Start:n.End()]), "\n")
	fmt.Fprintf(text, "%s%s %s %q\n", strings.Repeat(" ", depth), cmp.Or(n.Role, "root"), n.Type, excerpt)
	for _, child := range n.Children {
		if child.Parent != n {
			panic("a child of another parent")
		}
		describeNode(text, s, child, depth+1)
	}
}

// deepSource has more local variables than the stack has reachable slots. Its
// statements are on lines 5 to 28, 29 to 32, 34 and 35.
func deepSource() string {
	var text, sum strings.Builder
	text.WriteString("pragma solidity >=0.7.0;\ncontract Deep {\n uint public x; uint public y;\n function f(uint a) public returns (uint) {\n")
	for i := range 24 {
		fmt.Fprintf(&text, "  uint v%d = a + %d;\n", i, i)
		fmt.Fprintf(&sum, " + v%d", i)
	}
	text.WriteString("  if (a == 3)\n   x = 5;\n  else if (a == 4)\n   x = 5;\n\n  y = a;\n  return 0" + sum.String() + ";\n }\n}\n")
	return text.String()
}

// TestDebugStackTooDeep checks that the fallback keeps every line.
func TestDebugStackTooDeep(t *testing.T) {
	t.Parallel()
	input := standardJSON(t, map[string]string{"Deep.sol": deepSource()}, map[string]any{})
	for _, version := range []string{"0.8.17", "0.8.30"} {
		o, err := DebugBuild(t.Context(), input, compiler(t, version), DebugOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !o.Debug || !o.Settings.ViaIR {
			t.Errorf("%s: debug %v, settings %+v", version, o.Debug, o.Settings)
		}
		c := o.Contracts[0]
		lines := mappedLines(o, c.RuntimeMap, c.Runtime.Bytes)
		for line := 5; line <= 35; line++ {
			// Line 31 is "else if", which belongs to the statement of line 29.
			if line != 33 && !slices.Contains(lines, line) {
				t.Errorf("%s: no instruction for line %d", version, line)
			}
		}
	}
	_, err := DebugBuild(t.Context(), input, compiler(t, "0.7.6"), DebugOptions{})
	if !errors.Is(err, solc.ErrCompile) || !strings.Contains(err.Error(), "Stack too deep") {
		t.Errorf("0.7.6 has no way to compile it: %v", err)
	}
}

// scripted answers each compilation by a function.
type scripted struct {
	version string
	answer  func(settings standardSettings) string
	inputs  [][]byte
}

func (s *scripted) Version() string { return s.version }

func (s *scripted) Compile(_ context.Context, input []byte) ([]byte, error) {
	s.inputs = append(s.inputs, input)
	var in standardInput
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	return []byte(s.answer(in.Settings)), nil
}

const tooDeepOutput = `{"errors":[{"severity":"error","type":"CompilerError","message":"Stack too deep."}]}`

// TestDebugOwnSettings: where nothing else compiles, the project's settings
// do, and the build does not claim to keep lines.
func TestDebugOwnSettings(t *testing.T) {
	sample := readSample(t)
	s := &scripted{version: "0.8.30+commit.73712a01", answer: func(settings standardSettings) string {
		if settings.Optimizer.Enabled {
			return string(sample)
		}
		return tooDeepOutput
	}}
	input := sampleInput(t, "Market.sol", map[string]any{"optimizer": map[string]any{"enabled": true}})
	o, err := DebugBuild(t.Context(), input, s, DebugOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Debug || len(s.inputs) != 4 {
		t.Errorf("debug %v after %d compilations", o.Debug, len(s.inputs))
	}
}

// TestDebugFreedSlots: where only inline assembly runs out of the stack, as the
// ABI coder of large structs does, the legacy code generator is kept. A fault of
// the compiler on the way is no reason to stop.
func TestDebugFreedSlots(t *testing.T) {
	sample := readSample(t)
	input := sampleInput(t, "Market.sol", map[string]any{"optimizer": map[string]any{"enabled": true}})
	freed := func(s standardSettings) bool { return s.Optimizer.Details["yul"] == true && !s.Optimizer.Enabled }
	for name, test := range map[string]struct {
		output       string
		compiles     func(standardSettings) bool
		debug, viaIR bool
		compilations int
	}{
		"slots freed":      {output: tooDeepOutput, compiles: freed, debug: true, compilations: 2},
		"via the IR":       {output: tooDeepOutput, compiles: func(s standardSettings) bool { return s.ViaIR }, debug: true, viaIR: true, compilations: 3},
		"compiler's fault": {output: `{"errors":[{"severity":"error","type":"InternalCompilerError","message":"Solidity assertion failed"}]}`, compiles: func(s standardSettings) bool { return s.Optimizer.Enabled }, compilations: 4},
		"not implemented":  {output: `{"errors":[{"severity":"error","type":"UnimplementedFeatureError","message":"Copying nested dynamic arrays"}]}`, compiles: func(s standardSettings) bool { return s.ViaIR }, debug: true, viaIR: true, compilations: 3},
	} {
		s := &scripted{version: "0.8.10", answer: func(settings standardSettings) string {
			if test.compiles(settings) {
				return string(sample)
			}
			return test.output
		}}
		o, err := DebugBuild(t.Context(), input, s, DebugOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if o.Debug != test.debug || o.Settings.ViaIR != test.viaIR || len(s.inputs) != test.compilations {
			t.Errorf("%s: debug %v, via IR %v after %d compilations", name, o.Debug, o.Settings.ViaIR, len(s.inputs))
		}
	}
}

// TestDebugGenerator: a project that compiles via IR is fuzzed as code of the intermediate
// language, and as legacy code only where that cannot be compiled.
func TestDebugGenerator(t *testing.T) {
	sample := readSample(t)
	input := sampleInput(t, "Market.sol", map[string]any{"optimizer": map[string]any{"enabled": true}, "viaIR": true})
	for name, test := range map[string]struct {
		compiles     func(standardSettings) bool
		debug, viaIR bool
		compilations int
	}{
		"via the IR":   {func(standardSettings) bool { return true }, true, true, 1},
		"legacy":       {func(s standardSettings) bool { return !s.ViaIR }, true, false, 2},
		"slots freed":  {func(s standardSettings) bool { return !s.ViaIR && s.Optimizer.Details["yul"] == true }, true, false, 3},
		"own settings": {func(s standardSettings) bool { return s.Optimizer.Enabled }, false, true, 4},
	} {
		s := &scripted{version: "0.8.30", answer: func(settings standardSettings) string {
			if test.compiles(settings) {
				return string(sample)
			}
			return tooDeepOutput
		}}
		o, err := DebugBuild(t.Context(), input, s, DebugOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if o.Debug != test.debug || o.Settings.ViaIR != test.viaIR || len(s.inputs) != test.compilations {
			t.Errorf("%s: debug %v, via IR %v after %d compilations", name, o.Debug, o.Settings.ViaIR, len(s.inputs))
		}
	}
}

func TestDebugCache(t *testing.T) {
	sample := readSample(t)
	s := &scripted{version: "0.8.30", answer: func(standardSettings) string { return string(sample) }}
	input := sampleInput(t, "Market.sol", map[string]any{})
	folder := filepath.Join(t.TempDir(), "cache")
	build := func() {
		t.Helper()
		if _, err := DebugBuild(t.Context(), input, s, DebugOptions{Cache: folder}); err != nil {
			t.Fatal(err)
		}
	}
	build()
	build()
	if len(s.inputs) != 1 {
		t.Errorf("%d compilations, want 1", len(s.inputs))
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	// What is not JSON is not an answer.
	if err := os.WriteFile(filepath.Join(folder, entries[0].Name()), sample[:100], 0o644); err != nil {
		t.Fatal(err)
	}
	build()
	s.version = "0.8.29"
	build()
	if len(s.inputs) != 3 {
		t.Errorf("%d compilations, want 3", len(s.inputs))
	}
}

func TestDebugCompileError(t *testing.T) {
	input := standardJSON(t, map[string]string{"src/Bad.sol": "contract Bad {\n  uint x = ;\n}\n"}, map[string]any{})
	_, err := DebugBuild(t.Context(), input, compiler(t, "0.8.30"), DebugOptions{})
	if !errors.Is(err, solc.ErrCompile) || !strings.Contains(err.Error(), "src/Bad.sol:2:12") {
		t.Errorf("error %v", err)
	}
}

// TestSettingTables compares what the tables say a compiler knows with what it
// takes, for the newest EVM version that it should know and the next one.
func TestSettingTables(t *testing.T) {
	t.Parallel()
	for version, names := range map[string][]string{
		"0.4.26": {"petersburg"}, "0.5.17": {"berlin", "london"}, "0.7.6": {"london"},
		"0.8.17": {"london", "paris"}, "0.8.30": {"osaka"},
	} {
		c := compiler(t, version)
		accepts := func(settings map[string]any) bool {
			t.Helper()
			settings["outputSelection"] = map[string]any{}
			output, err := c.Compile(t.Context(), standardJSON(t, map[string]string{"A.sol": "contract A {}"}, settings))
			if err != nil {
				t.Fatal(err)
			}
			var out standardOutput
			if err := json.Unmarshal(output, &out); err != nil {
				t.Fatal(err)
			}
			return compileErrors(out.Errors) == nil
		}
		for _, name := range names {
			value, _ := json.Marshal(name)
			if knows := knowsEVM(value, c.Number()); knows != accepts(map[string]any{"evmVersion": name}) {
				t.Errorf("%s knows %s: %v", version, name, knows)
			}
		}
	}
}
