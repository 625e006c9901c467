package diffmap

import (
	"errors"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

func sourcesNamed(texts map[string]string) *compile.Output {
	o := &compile.Output{Origin: "build.json", Settings: compile.Settings{Remappings: []string{"@oz/=lib/openzeppelin/contracts/", "ctx:solmate/=lib/solmate/src/"}}}
	for path, text := range texts {
		s := &compile.Source{ID: len(o.Sources), Path: path, AST: &compile.Node{Type: "SourceUnit"}}
		if text != "" {
			s.Text = []byte(text)
		}
		o.Sources = append(o.Sources, s)
	}
	return o
}

// TestMatchSourceOnDisk: where it is known which file a source is, it is that one
// and no other, whatever it is called.
func TestMatchSourceOnDisk(t *testing.T) {
	o := &compile.Output{Origin: "build.json", Folder: "packages/b"}
	for path, file := range map[string]string{
		"src/Token.sol": "packages/b/src/Token.sol", "@org/shared/S.sol": "shared/S.sol", "src/Unknown.sol": "",
	} {
		s := &compile.Source{ID: len(o.Sources), Path: path, Text: []byte("same"), AST: &compile.Node{Type: "SourceUnit"}}
		if file != "" {
			s.File = "/repo/" + file
		}
		o.Sources = append(o.Sources, s)
	}
	options := Options{Checkout: "/repo", Projects: []string{"packages/a", "packages/b"},
		Problems: map[string]string{"packages/a": "packages/a has no build"}, Heads: map[string][]byte{}}
	for file, want := range map[string]string{
		"packages/b/src/Token.sol": "src/Token.sol",
		"packages/a/src/Token.sol": "", // a copy with the same text
		"src/Token.sol":            "",
		"shared/S.sol":             "@org/shared/S.sol",
		"src/Unknown.sol":          "src/Unknown.sol",
	} {
		options.Heads[file] = []byte("same")
		got := ""
		if s, _ := matchSource(o, file, options); s != nil {
			got = s.Path
		}
		if got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	paths := repositoryPaths(o, options)
	for source, want := range map[string]string{"src/Token.sol": "packages/b/src/Token.sol", "@org/shared/S.sol": "shared/S.sol", "src/Unknown.sol": "packages/b/src/Unknown.sol"} {
		if got := paths(source); got != want {
			t.Errorf("%s lies at %s, want %s", source, got, want)
		}
	}
	for file, want := range map[string]string{
		"packages/a/src/A.sol": "packages/a has no build", "packages/b/src/B.sol": "not part of the build",
		"other/O.sol": "in none of the projects (packages/a, packages/b)",
	} {
		if m, err := matchSources([]*compile.Output{o}, file, options); err != nil || !strings.Contains(m.reason, want) {
			t.Errorf("%s: %q, %v; want %q", file, m.reason, err, want)
		}
	}
}

// TestBaseTextsOfProjects: the base version of what another project has, or of what
// the build never held, is no part of a build unless something imports it.
func TestBaseTextsOfProjects(t *testing.T) {
	diff, err := unified.Parse([]byte(`--- a/packages/a/src/Gone.sol
+++ /dev/null
@@ -1 +0,0 @@
-contract Gone {}
--- a/packages/b/src/Gone.sol
+++ /dev/null
@@ -1 +0,0 @@
-contract Other {}
--- a/packages/b/src/Token.sol
+++ b/packages/b/src/Token.sol
@@ -1 +1 @@
-contract Old {}
+contract Token {}
`), unified.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	o := &compile.Output{Folder: "packages/b", Sources: []*compile.Source{{Path: "src/Token.sol"}}}
	base, err := BaseTexts(diff, o, Options{Projects: []string{"packages/a", "packages/b"},
		Heads: map[string][]byte{"packages/b/src/Token.sol": []byte("contract Token {}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if len(base.Texts) != 1 || string(base.Texts["src/Token.sol"]) != "contract Old {}\n" {
		t.Errorf("texts %q", base.Texts)
	}
	read := base.Reader(func(name string) ([]byte, error) { return []byte("of " + name), nil })
	for name, want := range map[string]string{"src/Gone.sol": "contract Other {}\n", "lib/L.sol": "of lib/L.sol"} {
		if text, err := read(name); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if len(base.Others) != 1 {
		t.Errorf("others %q", base.Others)
	}
}

// TestMatchSource finds changed files under the names that compilers give them.
func TestMatchSource(t *testing.T) {
	for _, test := range []struct {
		name    string
		sources map[string]string
		file    string
		options Options
		want    string // the source's path; empty when there is none
		reason  string // part of it
	}{
		{"exact", map[string]string{"src/A.sol": "a", "A.sol": "a"}, "src/A.sol", Options{}, "src/A.sol", ""},
		{"below the project's root", map[string]string{"src/A.sol": "a", "lib/x/src/A.sol": "a"}, "packages/core/src/A.sol", Options{Root: "packages/core"}, "src/A.sol", ""},
		{"absolute", map[string]string{"/home/ci/repo/src/A.sol": "a", "/home/ci/repo/b/src/A.sol": "a"}, "src/A.sol", Options{Checkout: "/home/ci/repo"}, "/home/ci/repo/src/A.sol", ""},
		{"absolute, made elsewhere", map[string]string{"/other/repo/src/A.sol": "a"}, "src/A.sol", Options{}, "/other/repo/src/A.sol", ""},
		{"remapped", map[string]string{"@oz/token/A.sol": "a"}, "lib/openzeppelin/contracts/token/A.sol", Options{}, "@oz/token/A.sol", ""},
		{"remapped below a root", map[string]string{"solmate/A.sol": "a"}, "app/lib/solmate/src/A.sol", Options{Root: "./app"}, "solmate/A.sol", ""},
		{"npm package", map[string]string{"@openzeppelin/contracts/A.sol": "a"}, "node_modules/@openzeppelin/contracts/A.sol", Options{}, "@openzeppelin/contracts/A.sol", ""},
		{"Hardhat 3", map[string]string{"project/contracts/A.sol": "a"}, "contracts/A.sol", Options{}, "project/contracts/A.sol", ""},
		{"common end and equal text", map[string]string{"@openzeppelin/contracts/utils/A.sol": "a", "mocks/A.sol": "a"}, "oz-4.9.4/utils/A.sol",
			Options{Heads: map[string][]byte{"oz-4.9.4/utils/A.sol": []byte("a")}}, "@openzeppelin/contracts/utils/A.sol", ""},
		{"common end and another text", map[string]string{"packages/b/src/A.sol": "b"}, "packages/a/src/A.sol",
			Options{Heads: map[string][]byte{"packages/a/src/A.sol": []byte("a")}}, "", "has another text"},
		{"ambiguous", map[string]string{"x/A.sol": "a", "y/A.sol": "a"}, "z/A.sol", Options{Heads: map[string][]byte{"z/A.sol": []byte("a")}}, "", "ambiguous: 2 sources"},
		{"not there", map[string]string{"x/A.sol": "a"}, "B.sol", Options{}, "", "not part of the build (build.json)"},
		{"outside of the project", map[string]string{"src/A.sol": "a"}, "other/src/A.sol", Options{Root: "app", Heads: map[string][]byte{"other/src/A.sol": []byte("b")}}, "", "not part"},
	} {
		t.Run(test.name, func(t *testing.T) {
			source, reason := matchSource(sourcesNamed(test.sources), test.file, test.options)
			got := ""
			if source != nil {
				got = source.Path
			}
			if got != test.want || !strings.Contains(reason, test.reason) || (got == "") != (reason != "") {
				t.Errorf("got %q (%s), want %q (%s)", got, reason, test.want, test.reason)
			}
		})
	}
}

// TestStaleBuild refuses builds of other sources than the head version, unless
// another build fits.
func TestStaleBuild(t *testing.T) {
	old, fresh := sourcesNamed(map[string]string{"A.sol": "old"}), sourcesNamed(map[string]string{"A.sol": "new"})
	changes := []unified.ChangedLine{{Path: "A.sol", Line: 1, Spans: []unified.Span{{Start: 0, End: 3}}}}
	options := Options{Heads: map[string][]byte{"A.sol": []byte("new")}}
	table := bytecode.NewTable(nil)
	_, err := Map([]*compile.Output{old}, table, changes, options)
	var stale *StaleError
	if !errors.As(err, &stale) || stale.Path != "A.sol" || !strings.Contains(err.Error(), "the sources don't match the build") {
		t.Errorf("got %v", err)
	}
	if _, err := Map([]*compile.Output{old, fresh}, table, changes, options); err != nil {
		t.Errorf("with a fresh build: %v", err)
	}
}

// TestUnmatchedFile is never dropped.
func TestUnmatchedFile(t *testing.T) {
	m, err := Map([]*compile.Output{sourcesNamed(map[string]string{"A.sol": "a"})}, bytecode.NewTable(nil), []unified.ChangedLine{
		{Path: "B.sol", Line: 3, Spans: []unified.Span{{Start: 0, End: 3}}}, {Path: "B.sol", Line: 4, Comment: true},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Lines) != 2 || m.Lines[0].Status != Unmapped || !strings.Contains(m.Lines[0].Reason, "not part of the build") || m.Lines[1].Status != NoBytecode {
		t.Errorf("got %+v", m.Lines)
	}
}

// TestShippedBuild maps optimized code: what it does not tell is unmapped, and
// what holds no code is said to hold none.
func TestShippedBuild(t *testing.T) {
	f := fixtures(t, "testdata/targets/edited.sol")[0]
	outputs := []*compile.Output{compileSources(t, "0.8.30-shipped", map[string]string{"edited.sol": string(f.text)})}
	m, err := Map(outputs, bytecode.NewTable(compile.Contracts(outputs)), wholeLines("edited.sol", f.text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[Status]int{}
	for _, l := range m.Lines {
		count[l.Status]++
		if l.Status == Unmapped && !strings.Contains(l.Reason, "--solc") {
			t.Errorf("%v: no remedy in %q", l.Position, l.Reason)
		}
	}
	if count[Unmapped] == 0 || count[NoBytecode] == 0 || count[""] == 0 {
		t.Errorf("got %v", count)
	}
}

// TestPositions resolves every instruction that the compiler wrote a source for.
func TestPositions(t *testing.T) {
	f := fixtures(t, "testdata/targets/middle.sol")[0]
	p := NewPositions(f.outputs, f.table, Options{Root: "app"})
	lines := strings.Split(string(f.text), "\n")
	resolved, functions := 0, map[string]bool{}
	for _, a := range artifacts(f.outputs[0], f.table) {
		for pc, e := range a.instructions() {
			loc := bytecode.Location{Code: a.program.ID, PC: pc}
			position, ok := p.At(loc)
			if !ok {
				if e.File == 0 {
					t.Fatalf("no position for %v", loc)
				}
				continue
			}
			resolved++
			if position.File != "app/middle.sol" || !strings.HasPrefix(lines[position.Line-1][position.Column-1:], firstLine(f.text[e.Start:e.Start+e.Length])) {
				t.Fatalf("%v is at %v, column %d", loc, position, position.Column)
			}
			if name, ok := p.FunctionAt(loc); ok {
				functions[name] = true
			}
		}
	}
	for _, name := range []string{"constructor", "twice", "area", "grow"} {
		if !functions[name] {
			t.Errorf("no instruction in %s", name)
		}
	}
	if _, ok := p.At(bytecode.Location{Code: 99}); ok || resolved == 0 {
		t.Error("unknown code has a position, or nothing else has")
	}
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// TestCopies: two projects have a contract of equal code, which is taken for the
// first when it runs: the entries of both are there. What differs has its own.
func TestCopies(t *testing.T) {
	const text = "pragma solidity 0.8.30;\ncontract Copy {\n    uint256 x;\n    function set(uint256 y) external { x = y; }\n}\n"
	var outputs []*compile.Output
	changes := []unified.ChangedLine{}
	for _, folder := range []string{"a", "b", "c"} {
		text := text
		if folder == "c" {
			text = strings.Replace(text, "x = y;", "x = y + 1;", 1)
		}
		o := compileSources(t, "0.8.30", map[string]string{"src/Copy.sol": text})
		o.Folder = folder
		for _, s := range o.Sources {
			s.File = "/repo/" + folder + "/" + s.Path
		}
		outputs = append(outputs, o)
		changes = append(changes, wholeLines(folder+"/src/Copy.sol", []byte(text))[3])
	}
	compile.Distinguish(outputs, outputs)
	table := bytecode.NewTable(compile.Contracts(outputs))
	m, err := Map(outputs, table, changes, Options{Checkout: "/repo", Projects: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Targets) != 3 {
		t.Fatalf("%d targets", len(m.Targets))
	}
	for i, want := range []int{0, 0, 2} {
		target := m.Targets[i]
		if name := outputs[i].Folder + "/src/Copy.sol:Copy"; target.Contract != name || target.Position.File != outputs[i].Folder+"/src/Copy.sol" {
			t.Errorf("target %d is of %s at %s", i, target.Contract, target.Position)
		}
		if len(target.Entries) == 0 {
			t.Errorf("%s has no entry", target.Contract)
		}
		for _, e := range target.Entries {
			if e.Code != outputs[want].Contracts[0].Runtime.ID {
				t.Errorf("%s has an entry in artifact %d", target.Contract, e.Code)
			}
		}
	}
}

// TestResolveTargets resolves what users name, and says what is wrong with it.
func TestResolveTargets(t *testing.T) {
	f := fixtures(t, "testdata/targets/middle.sol")[0]
	same := compileSources(t, "0.7.6", map[string]string{
		"a/T.sol": "pragma solidity 0.7.6; contract Twin { fallback() external {} }",
		"b/T.sol": "pragma solidity 0.7.6; contract Twin { fallback() external {} }"})
	outputs := append(f.outputs, same)
	table := bytecode.NewTable(compile.Contracts(outputs))
	for _, test := range []struct{ target, want string }{
		{"middle.sol:29", ""},
		{"./middle.sol:29", ""},
		{"Square:0x0", ""},
		{"middle.sol:Square:0x5", ""},
		{"a/T.sol:Twin:0X0", ""},
		{"middle.sol:1", "the line has no bytecode: comment"},
		{"middle.sol:99", "has only 41 lines"},
		{"other.sol:3", "not part of the build"},
		{"Square", "neither FILE:LINE nor CONTRACT:0xPC"},
		{"middle.sol:x", "is not a line number"},
		{"middle.sol:0", "is not a line number"},
		{"Square:0xzz", "is not a program counter"},
		{"Square:0x1", "no instruction of Square starts at 0x1"},
		{"Square:0xffff", "the runtime code of Square ends at"},
		{"square:0x0", "did you mean Square?"},
		{"Circle:0x0", "no contract Circle in the build"},
		{"Shape:0x0", "Shape has no bytecode: it is an interface or abstract"},
		{"Twin:0x0", "ambiguous: a/T.sol:Twin, b/T.sol:Twin"},
	} {
		m, err := ResolveTargets(outputs, table, []string{test.target, test.target}, Options{})
		var wrong *TargetError
		switch {
		case test.want == "" && (err != nil || len(m.Lines) != 1 || len(m.Targets) != 1 || len(m.Targets[0].Entries) == 0):
			t.Errorf("%s: %v, %+v", test.target, err, m)
		case test.want != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.target, err, test.want)
		}
	}
	m, err := ResolveTargets(outputs, table, []string{"middle.sol:29", "middle.sol:27"}, Options{})
	if err != nil || len(m.Lines) != 2 || m.Targets[m.Lines[1].Targets[0]].Position.Line != 27 {
		t.Errorf("two lines: %v, %+v", err, m)
	}
}

// FuzzParseTarget reads arbitrary text.
func FuzzParseTarget(f *testing.F) {
	for _, text := range []string{"a.sol:3", "A:0x1f", ":", "a:0x", "a:b:0x1", "a:-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseTarget(text)
		if err == nil && (spec.Contract == "") == (spec.File == "") {
			t.Errorf("%q: %+v", text, spec)
		}
	})
}

// TestCombine ranks what targets of one line came to.
func TestCombine(t *testing.T) {
	result := func(statuses ...Status) []TargetResult {
		var list []TargetResult
		for i, s := range statuses {
			list = append(list, TargetResult{Contract: string(rune('A' + i)), Status: s, Reason: "why " + string(s)})
		}
		return list
	}
	for _, test := range []struct {
		line    Line
		results []TargetResult
		want    Status
		reason  string
	}{
		{Line{}, result(Unreached, Reached, OnlyReverts), Reached, "in B: why reached"},
		{Line{}, result(Unreached, OnlyReverts, Undeployed), OnlyReverts, "in B: why only-reverts"},
		{Line{}, result(Undeployed, Unreachable, Unreached), Unreached, "in C: why unreached"},
		{Line{}, result(Unreachable, Unreachable), Unreachable, "in A: why unreachable"},
		{Line{}, result(Unreachable, Undeployed), Undeployed, "in B: why undeployed"},
		{Line{}, result(Unreached), Unreached, "why unreached"},
		{Line{}, nil, Unreached, "no result for this line"},
		{Line{Status: NoBytecode, Reason: "comment"}, nil, NoBytecode, "comment"},
	} {
		status, reason := Combine(test.line, test.results)
		if status != test.want || reason != test.reason {
			t.Errorf("%v: %s, %q", test.results, status, reason)
		}
	}
}

// TestUnbuilt: of a source that no build holds, what is declared is told from code by its text.
func TestUnbuilt(t *testing.T) {
	const source = `pragma solidity ^0.8.0;
import "./A.sol";
interface I {
    function f(uint256 x) external;
}
contract C is I {
    event E(uint256 x);
    struct S { uint256 a; }
    function f(uint256 x) external {
        emit E(x);
    }
}
`
	output := &compile.Output{Origin: "build"}
	m, err := Map([]*compile.Output{output}, bytecode.NewTable(nil), wholeLines("New.sol", []byte(source)), Options{Heads: map[string][]byte{"New.sol": []byte(source)}})
	if err != nil {
		t.Fatal(err)
	}
	idle := map[int]string{1: "pragma", 2: "import", 4: "declared in an interface", 7: "event declaration"}
	for _, l := range m.Lines {
		want, ok := idle[l.Position.Line]
		switch {
		case ok && (l.Status != NoBytecode || !strings.HasPrefix(l.Reason, want)):
			t.Errorf("line %d: %s: %s, want %s", l.Position.Line, l.Status, l.Reason, want)
		case l.Position.Line >= 8 && l.Position.Line <= 10 && l.Status != Unmapped:
			t.Errorf("line %d: %s: %s, want unmapped", l.Position.Line, l.Status, l.Reason)
		}
	}
}
