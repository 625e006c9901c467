package diffmap

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// validate checks the invariants of a sourceTree.
func (t *sourceTree) validate(test testing.TB) {
	test.Helper()
	for i := range t.nodes {
		n := &t.nodes[i]
		at := n.start
		for _, child := range n.children {
			c := &t.nodes[child]
			if int(child) <= i || c.parent != int32(i) || c.start < at || c.end > n.end || c.start >= c.end {
				test.Fatalf("node %d [%d,%d) has child %d [%d,%d) behind %d", i, n.start, n.end, child, c.start, c.end, at)
			}
			at = c.end
		}
	}
	for r, i := range t.byRange {
		if t.nodes[i].byteRange != r {
			test.Fatalf("range %v belongs to node [%d,%d)", r, t.nodes[i].start, t.nodes[i].end)
		}
	}
}

// trees builds the tree of a fixture as Map does.
func trees(f fixture) *sourceTree {
	output := f.outputs[0]
	ranges := map[byteRange]evidence{}
	for _, a := range artifacts(output, f.table) {
		for _, e := range a.instructions() {
			if e.File == output.Sources[0].ID && e.Start >= 0 {
				ranges[e.bytes()] |= e.evidence
			}
		}
	}
	tree := newSourceTree(output.Sources[0], f.text, ranges, styleOf(output))
	for _, a := range artifacts(output, f.table) {
		messages{}.find(&a, map[int]*selection{output.Sources[0].ID: {tree: tree}})
	}
	tree.seal()
	return tree
}

func allFixtures(t testing.TB) []fixture {
	return append(fixtures(t, "testdata/targets/*.sol"), fixtures(t, "testdata/run/*.sol")...)
}

// TestStatementsHaveOwners checks that every statement of a function that is in
// some bytecode is a target when its first line changes.
func TestStatementsHaveOwners(t *testing.T) {
	for _, f := range allFixtures(t) {
		t.Run(f.name+"-"+f.version, func(t *testing.T) {
			tree := trees(f)
			tree.validate(t)
			m, err := Map(f.outputs, f.table, wholeLines(f.name+".sol", f.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range tree.nodes {
				n := &tree.nodes[i]
				callable, ok := tree.callable(int32(i))
				if n.kind != statementNode || !ok || !tree.holdsCode[callable] || withoutEffect(n.ast) {
					continue
				}
				if n.astType() == "TryCatchClause" && f.text[n.start] == '{' {
					continue // what stands behind "try f()", a mere block
				}
				line := m.Lines[tree.lines.lineOf(n.start)-1]
				if len(line.Targets) == 0 && line.Status != Unmapped {
					t.Errorf("%v: %s: %s", line.Position, n.astType(), line.Reason)
				}
			}
		})
	}
}

// withoutEffect reports whether a compiler may make nothing of a statement: a
// declaration without a value, "return r" of the result r itself, a mere name.
func withoutEffect(n *compile.Node) bool {
	if n == nil {
		return true
	}
	switch n.Type {
	case "VariableDeclarationStatement":
		value := n.Child("initialValue")
		return value == nil
	case "Return":
		value := n.Child("expression")
		return value == nil || value.Type == "Identifier"
	case "ExpressionStatement":
		return n.Child("expression").Type == "Identifier"
	}
	return false
}

// TestTokensMapIntoTheirStatement changes every token of every function alone:
// the entries of what comes out lie in the statement that holds the token, or,
// for words such as else, in the one behind it. Assembly without branches is one
// statement in via-IR code.
func TestTokensMapIntoTheirStatement(t *testing.T) {
	for _, f := range allFixtures(t) {
		t.Run(f.name+"-"+f.version, func(t *testing.T) {
			tree := trees(f)
			mapped := 0
			for _, token := range tree.tokens {
				n := tree.innermost(token.Start)
				if _, ok := tree.callable(n); !ok {
					continue
				}
				set := nodeSet{}
				tree.owners(token, set)
				holder, _ := tree.enclosing(n, func(n *treeNode) bool { return n.kind != expressionNode && n.kind != messageNode })
				for owner := range set {
					mapped++
					o, h := &tree.nodes[owner], &tree.nodes[holder]
					inside := o.start >= h.start && o.end <= h.end
					whole := o.astType() == "InlineAssembly" && tree.runsInARow(owner) && o.start <= h.start && o.end >= h.end
					behind := o.start >= token.End && tree.nodes[tree.nodes[holder].parent].end >= o.end
					if !inside && !behind && !whole {
						t.Errorf("%q at line %d belongs to %q", f.text[token.Start:token.End],
							tree.lines.lineOf(token.Start), f.text[o.start:o.end])
					}
				}
			}
			if mapped == 0 {
				t.Error("no token was mapped")
			}
		})
	}
}

// TestCommentsOwnNothing maps changes of nothing but a comment.
func TestCommentsOwnNothing(t *testing.T) {
	for _, f := range allFixtures(t) {
		var changes []unified.ChangedLine
		for _, token := range solidity.Tokenize(f.text) {
			if token.Kind == solidity.Comment {
				changes = append(changes, unified.ChangedLine{Path: f.name + ".sol", Line: newLineTable(f.text).lineOf(token.Start),
					Spans: []unified.Span{{Start: token.Start, End: token.End}}})
			}
		}
		m, err := Map(f.outputs, f.table, changes, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Targets) > 0 || len(changes) == 0 {
			t.Errorf("%s: %d comments make %d targets", f.name, len(changes), len(m.Targets))
		}
	}
}

// TestSecondMapIsTheSame maps again after the entries were cut.
func TestSecondMapIsTheSame(t *testing.T) {
	f := fixtures(t, "testdata/targets/middle.sol")[0]
	changes := wholeLines("middle.sol", f.text)
	first, err := Map(f.outputs, f.table, changes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.table.Cut(first.Entries())
	for _, e := range first.Entries() {
		if _, ok := f.table.Program(e.Code).StartsAt(uint64(e.PC)); !ok {
			t.Errorf("no block starts at %v", e)
		}
	}
	slices.Reverse(changes)
	second, err := Map(f.outputs, f.table, changes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listing(f, second), listing(f, first); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzSourceTree builds trees of arbitrary nodes and ranges and asks for the
// owners of every token.
func FuzzSourceTree(f *testing.F) {
	f.Add("contract A { function f() { x = a && b; } }", []byte{0, 40, 1, 13, 38, 2, 26, 36, 3, 28, 35, 4})
	f.Add("if (a) { b } else c", []byte{0, 19, 5, 7, 12, 3, 18, 19, 4, 2, 200, 9, 5, 8, 1})
	types := []string{"SourceUnit", "ContractDefinition", "FunctionDefinition", "Block", "IfStatement", "BinaryOperation",
		"Conditional", "ModifierDefinition", "PlaceholderStatement", "InlineAssembly", "YulIf", "FunctionCall"}
	f.Fuzz(func(t *testing.T, text string, shape []byte) {
		if len(text) > 1<<10 || len(shape) > 1<<10 {
			return // every token is asked for: quadratic
		}
		root := &compile.Node{Type: "SourceUnit", Length: len(text)}
		ranges := map[byteRange]evidence{}
		for i := 0; i+2 < len(shape); i += 3 {
			start, end, kind := int(shape[i]), int(shape[i+1]), int(shape[i+2])
			if kind >= 128 {
				ranges[byteRange{start, end}] = evidence(kind & 3)
				continue
			}
			n := &compile.Node{Type: types[kind%len(types)], Start: start, Length: end - start, Parent: root,
				Attributes: compile.Attributes{{Name: "operator", Value: "&&"}}}
			root.Children = append(root.Children, n)
			ranges[byteRange{start, end}] = evidence(i & 3)
		}
		tree := newSourceTree(&compile.Source{AST: root, Text: []byte(text)}, []byte(text), ranges, codeStyle{shuffled: len(shape)%2 == 1})
		tree.seal()
		tree.validate(t)
		for _, token := range tree.tokens {
			set := nodeSet{}
			tree.owners(token, set)
			tree.gapOwners(token.Start, set)
			for n := range set {
				if !tree.nodes[n].mayOwn() {
					t.Fatalf("%v belongs to a node without code", token)
				}
			}
			change := unified.ChangedLine{Line: tree.lines.lineOf(token.Start), Spans: []unified.Span{{Start: token.Start, End: token.End}}}
			if v := tree.verdict(tree.representative(change), &compile.Output{}, change); v.reason == "" {
				t.Fatalf("%v has no reason", token)
			}
		}
	})
}

// BenchmarkMap maps every line of a fixture.
func BenchmarkMap(b *testing.B) {
	f := fixtures(b, "testdata/targets/forms.sol")[0]
	changes := wholeLines("forms.sol", f.text)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Map(f.outputs, f.table, changes, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMulticall maps a real pull request, OpenZeppelin Contracts 4.9.3 → 4.9.4,
// against a harness that makes its library code deployable.
func TestMulticall(t *testing.T) {
	const harness = `pragma solidity ^0.8.9;
import "@openzeppelin/contracts/utils/Multicall.sol";
contract Harness is Multicall {
    uint public count;
    function add(uint v) external { count += v; }
}
`
	sources := map[string]string{"Harness.sol": harness}
	for _, name := range []string{"utils/Multicall.sol", "utils/Address.sol", "utils/Context.sol"} {
		sources["@openzeppelin/contracts/"+name] = string(readFile(t, filepath.Join(npmFolder(t), "oz-4.9.4", name)))
	}
	diff, err := unified.Parse(testdiff.Git(t, npmFolder(t), "-M", "--src-prefix=a/", "--dst-prefix=b/", "oz-4.9.3", "oz-4.9.4"), unified.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Heads: map[string][]byte{}}
	var changes []unified.ChangedLine
	for _, file := range diff.Files {
		if !strings.HasSuffix(file.NewPath, "Multicall.sol") {
			continue
		}
		head := readFile(t, filepath.Join(npmFolder(t), file.NewPath))
		options.Heads[file.NewPath] = head
		lines, err := file.Changes(head)
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, lines...)
	}
	outputs := []*compile.Output{compileSources(t, "0.8.17", sources)}
	table := bytecode.NewTable(compile.Contracts(outputs))
	m, err := Map(outputs, table, changes, options)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/targets/multicall.out", targetSources(m, outputs, table, readFile(t, filepath.Join(npmFolder(t), "oz-4.9.4/utils/Multicall.sol"))))
}
