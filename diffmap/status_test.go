package diffmap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// TestStatusGolden prints what is said of lines where code is in no deployable contract, was optimized, or is in a build whose
// lines are not kept.
func TestStatusGolden(t *testing.T) {
	for _, f := range fixtures(t, "testdata/status/*.sol") {
		m, err := Map(f.outputs, f.table, wholeLines(f.name+".sol", f.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/status/"+f.name+"-"+f.version+".out", listing(f, m))
		if f.version != "0.8.30-ir" {
			continue
		}
		f.outputs[0].Debug = false // as a project compiles it
		if m, err = Map(f.outputs, f.table, wholeLines(f.name+".sol", f.text), Options{}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/status/"+f.name+"-ir.out", listing(f, m))
	}
}

// TestCombinedReason names the contract that decides, unless there is one alone, or all are alike and there is nothing to say.
func TestCombinedReason(t *testing.T) {
	for want, results := range map[string][]TargetResult{
		"":                                      {{"A", Unreached, ""}},
		"why":                                   {{"A", Unreached, "why"}},
		"in A":                                  {{"A", Reached, ""}, {"B", Unreached, ""}},
		"in B":                                  {{"A", Unreached, ""}, {"B", Reached, ""}},
		"in A: why":                             {{"A", Reached, "why"}, {"B", Reached, ""}},
		"in all 2 contracts that hold the line": {{"A", Reached, ""}, {"B", Reached, ""}},
		"in all 3 contracts that hold the line": {{"A", Reached, ""}, {"B", Reached, ""}, {"C", Reached, "why"}},
	} {
		if _, got := Combine(Line{}, results); got != want {
			t.Errorf("%v: %q, want %q", results, got, want)
		}
	}
}

// TestMayChangeOthers: declarations that other code depends on are what may have changed it.
func TestMayChangeOthers(t *testing.T) {
	declaration := Line{Status: NoBytecode, Reason: declarationReasons["StructDefinition"]}
	unusedOne, idle, mapped, pragma := declaration, declaration, declaration, declaration
	unusedOne.Unused, idle.idle, mapped.Status, pragma.Reason = true, true, Unmapped, declarationReasons["PragmaDirective"]
	for name, c := range map[string]struct {
		line Line
		want bool
	}{"declaration": {declaration, true}, "unused": {unusedOne, false}, "idle": {idle, false}, "unmapped": {mapped, false}, "pragma": {pragma, false}} {
		if got := c.line.MayChangeOthers(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestFormsOfChange: what changed on a line outside of its code is said before anything is looked for in the code.
func TestFormsOfChange(t *testing.T) {
	f := fixtures(t, "testdata/targets/middle.sol")[0]
	line := strings.Count(string(f.text[:strings.Index(string(f.text), "function")]), "\n") + 1
	for want, change := range map[string]unified.ChangedLine{
		"only formatting changed": {Formatting: true},
		"only a comment changed":  {Comment: true},
		"moved unchanged":         {Moved: true},
	} {
		change.Path, change.Line = "middle.sol", line
		m, err := Map(f.outputs, f.table, []unified.ChangedLine{change}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := m.Lines[0]
		if len(m.Lines) != 1 || got.Status != NoBytecode || got.Reason != want || got.idle == (want == "moved unchanged") {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	// A target says whether it stands for deleted code.
	at := strings.Index(string(f.text), ";\n    }")
	for _, deleted := range []bool{false, true} {
		change := unified.ChangedLine{Path: "middle.sol", Line: newLineTable(f.text).lineOf(at), Kind: unified.LineAdded, Spans: []unified.Span{{Start: at - 2, End: at}}}
		if deleted {
			change.Kind, change.Spans = unified.DeletionAnchor, []unified.Span{{Start: at, End: at}}
		}
		m, err := Map(f.outputs, f.table, []unified.ChangedLine{change}, Options{})
		if err != nil || len(m.Targets) == 0 || m.Targets[0].Deletion != deleted {
			t.Errorf("deleted %t: %+v, %v", deleted, m.Targets, err)
		}
	}
	// A line that is not there is at the end of the file.
	for _, at := range []int{0, 99_999} {
		m, err := Map(f.outputs, f.table, []unified.ChangedLine{{Path: "middle.sol", Line: at}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Lines[0]; got.Status != NoBytecode || got.Reason != "blank" {
			t.Errorf("line %d: %+v", at, got)
		}
	}
}

const untouched = `pragma solidity ^0.8.0;
import "./A.sol";

// a comment
contract C {
    uint256 total;

    constructor() {
        total = 1;
    }

    function f(uint256 x) external { // with a comment
        total = x;
    }
    modifier m() {
        _;
    }
    receive() external payable {}
}`

// TestSameCode: of a source whose code is that of the base no build is made, and none is missing. Its lines say what they would in
// one, with their functions.
func TestSameCode(t *testing.T) {
	span := []unified.Span{{Start: 3, End: 4}}
	var b strings.Builder
	for i, line := range append(strings.Split(untouched, "\n"), "", "") {
		for _, change := range []unified.ChangedLine{
			{Kind: unified.LineAdded},
			{Kind: unified.LineAdded, Comment: true},
			{Kind: unified.LineAdded, Spans: span},
			{Kind: unified.DeletionAnchor, Spans: span},
		} {
			change.Path, change.Line = "C.sol", i+1
			m, err := Map([]*compile.Output{{Origin: "build"}}, bytecode.NewTable(nil), []unified.ChangedLine{change}, Options{Heads: map[string][]byte{"C.sol": []byte(untouched)}, Same: map[string]bool{"C.sol": true}})
			if err != nil {
				t.Fatal(err)
			}
			l := m.Lines[0]
			fmt.Fprintf(&b, "%2d %-52s %-12s %s: %s, idle %t\n", i+1, line, l.Function, l.Status, l.Reason, l.idle)
		}
	}
	golden.Check(t, "testdata/status/same.out", b.String())
}

// TestIdleText: what changed in a source that no build has cannot run only if every token of it is in a declaration without code, or
// around the members of a contract.
func TestIdleText(t *testing.T) {
	const source = `pragma solidity ^0.8.0;
import "./A.sol";
event E(uint256 x);
error TooMuch(uint256 x);
interface I { function f() external; }
contract C {
    struct S { uint256 a; }
    function g() external {}
}
`
	lines := newLineTable([]byte(source))
	for name, c := range map[string]struct {
		from, to string // the change is from the first to the end of the second
		want     string
		mapped   bool
	}{
		"pragma":              {"pragma", "0;", "pragma: no code of its own", false},
		"part of one":         {"0.8", "0.8", "pragma: no code of its own", false},
		"import":              {"import", "sol\";", "import: no code of its own", false},
		"event":               {"event", "x);", "event declaration: no code of its own", false},
		"error":               {"error", "TooMuch(", "error declaration: no code of its own", false},
		"interface":           {"function f", "external", "declared in an interface: no code", false},
		"function":            {"function g", "external {}", "", true},
		"struct":              {"struct", "S", "", true},
		"header":              {"contract", "C", "", true},
		"pragma and function": {"pragma", "external {}", "", true},
		"a contract's brace":  {"{\n    struct", "{\n", "only punctuation changed", false},
	} {
		start := strings.Index(source, c.from)
		end := start + strings.Index(source[start:], c.to) + len(c.to)
		change := unified.ChangedLine{Path: "C.sol", Line: lines.lineOf(start), Kind: unified.LineAdded, Spans: []unified.Span{{Start: start, End: end}}}
		for _, deleted := range []bool{false, true} {
			if deleted {
				change.Spans = append(change.Spans, unified.Span{Start: start, End: start})
			}
			m, err := Map([]*compile.Output{{Origin: "build"}}, bytecode.NewTable(nil), []unified.ChangedLine{change}, Options{Heads: map[string][]byte{"C.sol": []byte(source)}})
			if err != nil {
				t.Fatal(err)
			}
			l := m.Lines[0]
			if wantUnmapped := c.mapped || deleted; (l.Status == Unmapped) != wantUnmapped || !wantUnmapped && (l.Status != NoBytecode || l.Reason != c.want) {
				t.Errorf("%s, deleted %t: %s: %s, want %q", name, deleted, l.Status, l.Reason, c.want)
			}
		}
	}
	const event = "event E();"
	whole := unified.ChangedLine{Path: "E.sol", Line: 1, Spans: []unified.Span{{Start: 0, End: len(event)}}}
	m, err := Map([]*compile.Output{{Origin: "build"}}, bytecode.NewTable(nil), []unified.ChangedLine{whole}, Options{Heads: map[string][]byte{"E.sol": []byte(event)}})
	if err != nil || m.Lines[0].Status != NoBytecode {
		t.Errorf("a change up to the end: %+v, %v", m, err)
	}
	beyond := unified.ChangedLine{Path: "C.sol", Line: 1, Spans: []unified.Span{{Start: 0, End: len(source) + 1}}}
	if got := idleText([]byte(source), nil, beyond); got != "" {
		t.Errorf("a change beyond the end: %q", got)
	}
}
