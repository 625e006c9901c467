package compile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// legacySources are what compilers of the old form are asked for: the sample, and
// what diffmap maps with solc 0.4.11.
func legacySources(t *testing.T) map[string]string {
	t.Helper()
	sources := map[string]string{}
	for name, file := range map[string]string{
		"Market.sol": filepath.Join("testdata", "sources", "Market.sol"),
		"Old.sol":    filepath.Join("..", "testdata", "pairs", "legacy_ast.txtar"),
		"legacy.sol": filepath.Join("..", "testdata", "targets", "legacy.sol"),
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, source, archive := strings.Cut(string(text), "-- head/C.sol --\n")
		if archive {
			source, _, _ = strings.Cut(source, "\n-- ")
			text = []byte(source)
		}
		sources[name] = string(text)
	}
	return sources
}

// compileLegacy compiles sources with both forms of the AST, as far as the
// compiler has them.
func compileLegacy(t *testing.T, version string, sources map[string]string) map[string]any {
	t.Helper()
	contents := map[string]any{}
	for name, text := range sources {
		contents[name] = map[string]any{"content": text}
	}
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": contents, "settings": map[string]any{
		"outputSelection": map[string]any{"*": map[string]any{"": []string{"ast", "legacyAST"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := compiler(t, version).Compile(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	var output map[string]any
	if err := json.Unmarshal(text, &output); err != nil || output["sources"] == nil {
		t.Fatalf("%v: %.500s", err, text)
	}
	return output
}

// readTrees reads the AST that each source has under the key, by path.
func readTrees(t *testing.T, sources map[string]string, output map[string]any, key string) []*Source {
	t.Helper()
	var list []*Source
	for name, source := range output["sources"].(map[string]any) {
		raw := source.(map[string]any)
		text, err := json.Marshal(raw[key])
		if err != nil {
			t.Fatal(err)
		}
		s := &Source{ID: int(raw["id"].(float64)), Path: name, Text: []byte(sources[name])}
		if err := s.readAST(outputSource{AST: text}, reading.Limits{}.WithDefaults()); err != nil || s.AST == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := checkRanges(s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *Source) int { return strings.Compare(a.Path, b.Path) })
	resolveNames(list)
	return list
}

// usedAttributes are those that this module looks at.
var usedAttributes = []string{"name", "operator", "visibility", "contractKind", "kind", "constant", "stateVariable", "isConstructor",
	"fullyImplemented", "linearizedBaseContracts", "memberName"}

// listTree prints what a tree says. Without ids, what names refer to is said by
// its place.
func listTree(s *Source, sources []*Source, ids bool) string {
	byID := map[int]*Node{}
	for _, other := range sources {
		other.AST.Walk(func(n *Node) bool {
			byID[n.ID] = n
			return true
		})
	}
	var b strings.Builder
	s.AST.Walk(func(n *Node) bool {
		fmt.Fprintf(&b, "%s %s %d:%d:%d", n.Role, n.Type, n.Start, n.Length, n.File)
		if ids {
			fmt.Fprintf(&b, " id %d", n.ID)
		}
		for _, name := range usedAttributes {
			value := n.Attributes.Get(name)
			if name == "linearizedBaseContracts" && !ids {
				continue
			}
			declares := n.Type == "FunctionDefinition" || n.Type == "VariableDeclaration"
			switch {
			case name == "kind" && n.Type != "FunctionDefinition", // what a call or a literal is says its type as well
				name == "visibility" && !declares, name == "isConstructor" && n.Attributes.Get("kind") != nil:
				continue
			}
			if value != nil && value != false {
				fmt.Fprintf(&b, " %s=%v", name, value)
			}
		}
		if types, ok := n.Attributes.Get("typeDescriptions").(map[string]any); ok && types["typeString"] != nil && n.Type == "VariableDeclaration" && ids {
			fmt.Fprintf(&b, " %v", types["typeString"])
		}
		if id, ok := n.Int("referencedDeclaration"); ok && byID[id] != nil {
			fmt.Fprintf(&b, " → %s %d", byID[id].Type, byID[id].Start)
		}
		b.WriteByte('\n')
		return true
	})
	return b.String()
}

// TestLegacyAST: where a compiler writes both forms, both are read alike.
func TestLegacyAST(t *testing.T) {
	t.Parallel()
	for version, names := range map[string][]string{"0.4.26": {"Market.sol", "Old.sol", "legacy.sol"}, "0.5.17": {"Market.sol", "legacy.sol"}} {
		sources := legacySources(t)
		for name := range sources {
			if !slices.Contains(names, name) {
				delete(sources, name)
			}
		}
		output := compileLegacy(t, version, sources)
		compact, legacy := readTrees(t, sources, output, "ast"), readTrees(t, sources, output, "legacyAST")
		for i, s := range compact {
			want, got := listTree(s, compact, true), listTree(legacy[i], legacy, true)
			if len(want) < 1000 || got != want {
				t.Errorf("%s, %s: %s", version, s.Path, firstDifference(want, got))
			}
		}
	}
}

// TestOldestAST: 0.4.11 has the old form alone, and says of no name what it means.
// Its trees are those of 0.4.26, and names that mean one thing are resolved.
func TestOldestAST(t *testing.T) {
	t.Parallel()
	old := map[string]string{"Old.sol": legacySources(t)["Old.sol"]}
	oldest := readTrees(t, old, compileLegacy(t, "0.4.11", old), "legacyAST")
	later := readTrees(t, old, compileLegacy(t, "0.4.26", old), "ast")
	// Members are not resolved, and declarations without a value end elsewhere.
	plain := func(text string) string {
		var lines []string
		for line := range strings.Lines(text) {
			if strings.Contains(line, "MemberAccess") {
				line, _, _ = strings.Cut(line, " →")
			}
			if before, _, ok := strings.Cut(line, "VariableDeclarationStatement"); ok {
				line = before
			}
			lines = append(lines, strings.TrimSpace(line))
		}
		return strings.Join(lines, "\n")
	}
	if want, got := plain(listTree(later[0], later, false)), plain(listTree(oldest[0], oldest, false)); got != want {
		t.Error(firstDifference(want, got))
	}
}

// firstDifference shows where two texts part.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// TestOutermostLegacy: artifacts of that time are named and numbered by their AST.
func TestOutermostLegacy(t *testing.T) {
	for text, want := range map[string]outermostNode{
		`{"name":"SourceUnit","children":[{"src":"0:23:4"}]}`:                                         {file: 4},
		`{"name":"SourceUnit","src":"0:9:2","attributes":{"absolutePath":"a.sol"},"children":[null]}`: {file: 2, AbsolutePath: "a.sol"},
		`{"nodeType":"SourceUnit","src":"0:9:2","absolutePath":"a.sol"}`:                              {file: 2, AbsolutePath: "a.sol"},
		`{"name":"SourceUnit","children":[]}`:                                                         {file: -1},
	} {
		if got := outermost(json.RawMessage(text)); got.file != want.file || got.AbsolutePath != want.AbsolutePath {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
