package examples

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	godiff "github.com/sourcegraph/go-diff/diff"
)

func TestNames(t *testing.T) {
	want := []string{"crowdsale", "token", "vault"}
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestLoad(t *testing.T) {
	for _, name := range Names() {
		err := fstest.TestFS(load(t, name), "README.md", "pr.diff", "base/src", "head/src",
			"build/base.input.json", "build/base.output.json", "build/head.input.json", "build/head.output.json")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadUnknown(t *testing.T) {
	for _, name := range []string{"", ".", "..", "crowdsale/base", "auction"} {
		_, err := Load(name)
		if err == nil {
			t.Errorf("Load(%q) gave no error", name)
		} else if !strings.Contains(err.Error(), "crowdsale, token, vault") {
			t.Errorf("Load(%q): %q does not list the known names", name, err)
		}
	}
}

// TestDiffLeadsFromBaseToHead applies every pr.diff to its base sources and compares the result with the
// head sources. It touches only files that both sides have.
func TestDiffLeadsFromBaseToHead(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			example := load(t, name)
			base, head := sources(t, example, "base"), sources(t, example, "head")
			changes, err := godiff.ParseMultiFileDiff(read(t, example, "pr.diff"))
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) == 0 {
				t.Error("pr.diff changes nothing")
			}
			for _, change := range changes {
				file := strings.TrimPrefix(change.NewName, "b/")
				if change.OrigName != "a/"+file {
					t.Errorf("pr.diff renames %s to %s", change.OrigName, change.NewName)
				}
				text, ok := base[file]
				if !ok {
					t.Errorf("pr.diff changes %s, which base does not have", file)
					continue
				}
				if base[file], err = apply(text, change); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
			if diff := cmp.Diff(head, base); diff != "" {
				t.Errorf("base with pr.diff applied is not head (-head +applied):\n%s", diff)
			}
		})
	}
}

// TestBuilds holds that each build was made of the sources next to it and has what a reader of builds
// needs. That its output is what the compiler says, ./test checks with build.mjs.
func TestBuilds(t *testing.T) {
	for _, name := range Names() {
		for _, side := range []string{"base", "head"} {
			t.Run(name+"/"+side, func(t *testing.T) {
				example := load(t, name)
				var input struct {
					Sources map[string]struct{ Content string }
				}
				decode(t, example, "build/"+side+".input.json", &input)
				built := map[string]string{}
				for unit, source := range input.Sources {
					built[unit] = source.Content
				}
				if diff := cmp.Diff(sources(t, example, side), built); diff != "" {
					t.Errorf("sources in the build's input (-file +input):\n%s", diff)
				}
				checkOutput(t, example, side)
			})
		}
	}
}

func checkOutput(t *testing.T, example fs.FS, side string) {
	t.Helper()
	type bytecode struct{ Object, SourceMap string }
	var output struct {
		Sources   map[string]struct{ AST json.RawMessage }
		Contracts map[string]map[string]struct {
			ABI           []any
			StorageLayout struct{ Storage []any }
			EVM           struct{ Bytecode, DeployedBytecode bytecode }
		}
	}
	decode(t, example, "build/"+side+".output.json", &output)
	deployable := 0
	for unit := range sources(t, example, side) {
		if len(output.Sources[unit].AST) == 0 {
			t.Errorf("%s has no AST", unit)
		}
		for contract, built := range output.Contracts[unit] {
			if built.EVM.Bytecode.Object == "" {
				continue // abstract, or an interface
			}
			deployable++
			if built.EVM.Bytecode.SourceMap == "" || built.EVM.DeployedBytecode.SourceMap == "" {
				t.Errorf("%s:%s has no source map", unit, contract)
			}
		}
	}
	if deployable == 0 {
		t.Error("no contract can be deployed")
	}
}

// apply returns text with the hunks of a change applied, strictly: no offset, no fuzz.
func apply(text string, change *godiff.FileDiff) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	next := 0 // index into lines of the first line not yet copied
	for _, hunk := range change.Hunks {
		start := int(hunk.OrigStartLine) - 1
		if start < next || start > len(lines) {
			return "", fmt.Errorf("hunk at line %d does not follow the one before it", hunk.OrigStartLine)
		}
		out.WriteString(strings.Join(lines[next:start], ""))
		next = start
		for line := range strings.SplitAfterSeq(string(hunk.Body), "\n") {
			if line == "" {
				continue // after the last newline
			}
			if kind := line[0]; kind == ' ' || kind == '-' {
				if next >= len(lines) || lines[next] != line[1:] {
					return "", fmt.Errorf("line %d is not %q", next+1, line[1:])
				}
				next++
			}
			if line[0] != '-' {
				out.WriteString(line[1:])
			}
		}
	}
	out.WriteString(strings.Join(lines[next:], ""))
	return out.String(), nil
}

func load(t *testing.T, name string) fs.FS {
	t.Helper()
	example, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return example
}

// sources reads the sources of a side, by path relative to the side's folder.
func sources(t *testing.T, example fs.FS, side string) map[string]string {
	t.Helper()
	files, err := fs.Glob(example, path.Join(side, "src", "*.sol"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		texts[strings.TrimPrefix(file, side+"/")] = string(read(t, example, file))
	}
	if len(texts) == 0 {
		t.Fatalf("%s has no sources", side)
	}
	return texts
}

func read(t *testing.T, example fs.FS, file string) []byte {
	t.Helper()
	data, err := fs.ReadFile(example, file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, example fs.FS, file string, into any) {
	t.Helper()
	if err := json.Unmarshal(read(t, example, file), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// The built output is made by the solc that testdata/npm installs.
func TestCompiler(t *testing.T) {
	data, err := os.ReadFile("../testdata/npm/package.json")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`"solc": %q`, Compiler); !strings.Contains(string(data), want) {
		t.Errorf("testdata/npm/package.json does not say %s", want)
	}
}
