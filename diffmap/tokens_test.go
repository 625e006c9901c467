package diffmap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// TestTokensGolden prints which nodes a change of each token alone belongs to, or what is said where it belongs to none, and what
// stands for code that was deleted before it. TestOwnershipGolden shows whole lines, in which one token hides what becomes of another.
func TestTokensGolden(t *testing.T) {
	for _, f := range allFixtures(t) {
		folder := ""
		switch f.name + "-" + f.version {
		case "forms-0.8.30", "forms-0.8.30-ir", "legacy-0.4.26", "legacy-0.5.17", "middle-0.7.6", "edited-0.8.30":
			folder = "testdata/targets/"
		case "common-0.5.17", "since08-0.8.30-ir": // assembly without nodes, and as one range
			folder = "testdata/run/"
		default:
			continue // they say little that the others do not
		}
		t.Run(f.name+"-"+f.version, func(t *testing.T) {
			golden.Check(t, folder+f.name+"-"+f.version+".tokens", tokenListing(trees(f), f.outputs[0]))
		})
	}
}

// tokenListing is a line for each run of tokens with the same owners: "12 a + b → 12 return a + b". Tokens in no function, and
// those that own what their neighbors do, say nothing new.
func tokenListing(tree *sourceTree, output *compile.Output) string {
	var b strings.Builder
	list := func(what string, owners func(token solidity.Token) string) {
		var words []string
		last, line := "", 0
		flush := func(next string, at int) {
			if len(words) > 0 && last != "" {
				fmt.Fprintf(&b, "%3d %s %s → %s\n", line, what, strings.Join(words, " "), last)
			}
			words, last, line = nil, next, at
		}
		for _, token := range tree.tokens {
			said := owners(token)
			if at := tree.lines.lineOf(token.Start); said != last || at != line {
				flush(said, at)
			}
			words = append(words, string(tree.text[token.Start:token.End]))
		}
		flush("", 0)
	}
	list("changed", func(token solidity.Token) string {
		set := nodeSet{}
		tree.owners(token, set)
		return tree.names(set)
	})
	list("unowned", func(token solidity.Token) string {
		set := nodeSet{}
		if tree.owners(token, set); len(set) > 0 {
			return ""
		}
		change := unified.ChangedLine{Line: tree.lines.lineOf(token.Start), Spans: []unified.Span{{Start: token.Start, End: token.End}}}
		state := lineState{}
		state.describe(tree, output, change, -1, false)
		if state.verdict.reason == "only punctuation changed" {
			return "" // as expected
		}
		if state.function != "" {
			state.function += ": "
		}
		return state.function + string(state.verdict.status) + ": " + state.verdict.reason
	})
	gap := func(offset int) string {
		set := nodeSet{}
		anchor := tree.gapOwners(offset, set)
		said := tree.names(set)
		if anchor >= 0 {
			said += fmt.Sprintf(" (anchor %s)", tree.names(nodeSet{anchor: {}}))
		}
		return said
	}
	list("deleted before", func(token solidity.Token) string { return gap(token.Start) })
	list("deleted after", func(token solidity.Token) string {
		said := gap(token.End)
		if next := tree.tokensIn(byteRange{token.End, len(tree.text)}); len(next) > 0 && said == gap(next[0].Start) {
			return "" // as before what follows
		}
		return said
	})
	return b.String()
}

// names are the beginnings of nodes, with their lines.
func (t *sourceTree) names(set nodeSet) string {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(set)) {
		text := strings.Join(strings.Fields(string(t.text[t.nodes[n].start:t.nodes[n].end])), " ")
		if len(text) > 24 {
			text = text[:20] + " …"
		}
		names = append(names, fmt.Sprintf("%d %q", t.lines.lineOf(t.nodes[n].start), text))
	}
	return strings.Join(names, ", ")
}

// madeNode is a node of a tree that a test makes by hand: its text is there once.
type madeNode struct {
	kind, text string // of the AST, or "range" for what only a source map knows
	role       string
	code       bool
}

// handmade is the tree of nodes, outer ones before inner ones.
func handmade(t *testing.T, text string, parts ...madeNode) *sourceTree {
	t.Helper()
	root := &compile.Node{Type: "SourceUnit", Length: len(text)}
	ranges := map[byteRange]evidence{}
	nodes := []*compile.Node{root}
	for _, p := range parts {
		start := strings.Index(text, p.text)
		if start < 0 || strings.Count(text, p.text) != 1 {
			t.Fatalf("%q is there %d times", p.text, strings.Count(text, p.text))
		}
		end := start + len(p.text)
		if p.code {
			ranges[byteRange{start, end}] = 3
		}
		if p.kind == "range" {
			continue
		}
		i := len(nodes) - 1
		for ; nodes[i].Start > start || nodes[i].End() < end; i-- {
		}
		n := &compile.Node{Type: p.kind, Start: start, Length: len(p.text), Parent: nodes[i], Role: p.role, Attributes: compile.Attributes{}}
		nodes[i].Children = append(nodes[i].Children, n)
		nodes = append(nodes, n)
	}
	tree := newSourceTree(&compile.Source{AST: root, Text: []byte(text)}, []byte(text), ranges, codeStyle{})
	tree.seal()
	tree.validate(t)
	return tree
}

// ownersOf are the owners of the token that begins with a text.
func ownersOf(t *testing.T, tree *sourceTree, word string) string {
	t.Helper()
	for _, token := range tree.tokens {
		if string(tree.text[token.Start:token.End]) == word {
			set := nodeSet{}
			tree.owners(token, set)
			return tree.names(set)
		}
	}
	t.Fatalf("no token %q", word)
	return ""
}

// TestWholeAssembly: inline assembly of which the compiler writes one range stands for its parts if all of it runs in a row: without
// branches, and without parts that have code of their own.
func TestWholeAssembly(t *testing.T) {
	const block = "{ a := 1 b := 2 }"
	function := madeNode{"FunctionDefinition", "function f() { assembly" + block + "x = 5; }", "", true}
	assembly := madeNode{"InlineAssembly", "assembly" + block, "", true}
	text := function.text
	inner := []madeNode{{"Block", "{ assembly" + block + "x = 5; }", "body", false}, assembly, {"YulBlock", block, "", false}, {"YulAssignment", "a := 1", "", false}}
	parts := append([]madeNode{function}, inner...)
	if got := ownersOf(t, handmade(t, text, parts...), "a"); got != `1 "assembly{ a := 1 b : …"` {
		t.Errorf("in a row: %s", got)
	}
	without := slices.Clone(parts)
	without[2].code = false
	if got := ownersOf(t, handmade(t, text, without...), "a"); got != "" {
		t.Errorf("without a range for all of it: %s", got)
	}
	// What follows it without a space does not belong to it.
	if got := ownersOf(t, handmade(t, text, append(parts, madeNode{"ExpressionStatement", "x = 5", "", true})...), "a"); got != `1 "assembly{ a := 1 b : …"` {
		t.Errorf("before other code: %s", got)
	}
	if got := ownersOf(t, handmade(t, text, append(parts, madeNode{"YulAssignment", "b := 2", "", true})...), "a"); got != "" && strings.Contains(got, "assembly") {
		t.Errorf("with code of its own: %s", got)
	}
	for _, branch := range []string{"YulIf", "YulSwitch", "YulForLoop", "YulFunctionDefinition"} {
		if got := ownersOf(t, handmade(t, text, append(parts, madeNode{branch, "b := 2", "", false})...), "a"); strings.Contains(got, "assembly") {
			t.Errorf("with %s: %s", branch, got)
		}
	}
}

// TestUnknownAssembly: of assembly that is known by its ranges alone, a later line stands for what begins there.
func TestUnknownAssembly(t *testing.T) {
	tree := handmade(t, "function f() { g(1,\n , h(2)) }",
		madeNode{"FunctionDefinition", "function f() { g(1,\n , h(2)) }", "", true}, madeNode{"Block", "{ g(1,\n , h(2)) }", "body", false},
		madeNode{"range", "g(1,\n , h(2))", "", true}, madeNode{"range", "h(2)", "", true})
	for word, want := range map[string]string{"g": `1 "g(1, , h(2))"`, "1": `1 "g(1, , h(2))"`, "h": `2 "h(2)"`} {
		if got := ownersOf(t, tree, word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// TestAfterDeclarations: a change outside of all functions, and one in a modifier's end, stands for what there is.
func TestAfterDeclarations(t *testing.T) {
	text := "contract C { uint a; modifier m() { x; } }"
	tree := handmade(t, text, madeNode{"ContractDefinition", text, "", false}, madeNode{"ModifierDefinition", "modifier m() { x; }", "", false},
		madeNode{"Block", "{ x; }", "body", false}, madeNode{"ExpressionStatement", "x", "", true})
	for at, want := range map[string]string{"; } }": ` "x"`, "} }": ` "x" (anchor "modifier m() { x; }")`, "uint": "", "modifier": ""} {
		set := nodeSet{}
		anchor := tree.gapOwners(strings.Index(text, at), set)
		got := strings.TrimPrefix(tree.names(set), "1")
		if anchor >= 0 {
			got += fmt.Sprintf(" (anchor %q)", text[tree.nodes[anchor].start:tree.nodes[anchor].end])
		}
		if got != want {
			t.Errorf("before %q: %s, want %s", at, got, want)
		}
	}
}
