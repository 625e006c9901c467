package mutant_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/mutant"
)

// check says what holds of all mutants of an output.
func check(t *testing.T, o *compile.Output, spans map[string][]mutant.Span, mutants []mutant.Mutant) {
	t.Helper()
	texts, ids, results := map[string][]byte{}, map[string]bool{}, map[string]bool{}
	for _, s := range o.Sources {
		texts[s.Path] = s.Text
	}
	for i := range mutants {
		m := &mutants[i]
		text := texts[m.Source]
		if m.Start < 0 || m.Start > m.End || m.End > len(text) {
			t.Fatalf("%+v is not in the text", m)
		}
		result := m.Apply(text)
		if !bytes.Equal(result[:m.Start], text[:m.Start]) || !bytes.Equal(result[m.Start+len(m.Replacement):], text[m.End:]) || bytes.Equal(result, text) {
			t.Errorf("%+v changes something else", m)
		}
		if before, after := bytes.Count(text, []byte("\n")), bytes.Count(result, []byte("\n")); before != after {
			t.Errorf("%+v makes %d lines of %d", m, after, before)
		}
		if ids[m.ID()] {
			t.Errorf("%+v has the id of another one", m)
		}
		if key := m.Source + "\x00" + string(result); results[key] {
			t.Errorf("%+v has the result of another one", m)
		} else {
			results[key] = true
		}
		ids[m.ID()] = true
		if m.Line != 1+bytes.Count(text[:m.Start], []byte("\n")) {
			t.Errorf("%+v does not begin in its line", m)
		}
		touched := slices.ContainsFunc(spans[m.Source], func(s mutant.Span) bool {
			start, end := max(s.Start, 0), min(s.End, len(text))
			return start < end && 1+bytes.Count(text[:start], []byte("\n")) <= m.Line && m.Line <= 1+bytes.Count(text[:end-1], []byte("\n"))
		})
		if !touched {
			t.Errorf("%+v is not in a changed line", m)
		}
	}
}

// TestProperties: whatever changed, mutants are where it did, and the same each time.
func TestProperties(t *testing.T) {
	for _, a := range archives(t) {
		t.Run(path.Base(a.name), func(t *testing.T) {
			t.Parallel()
			o := compiled(t, a.versions[0], a.sources)
			text := o.Sources[0].Text
			name := o.Sources[0].Path
			all := mutant.Of(o, whole(o), mutant.Options{})
			check(t, o, whole(o), all)
			byLine := 0
			for start := 0; start < len(text); {
				end := start + bytes.IndexByte(text[start:], '\n') + 1
				spans := map[string][]mutant.Span{name: {{Start: start, End: end}}}
				some := mutant.Of(o, spans, mutant.Options{})
				check(t, o, spans, some)
				byLine += len(some)
				start = end
			}
			if byLine != len(all) {
				t.Errorf("all lines have %d mutants, each on its own %d", len(all), byLine)
			}
			for most := 1; most <= len(all)+1; most += 7 {
				first, second := mutant.Of(o, whole(o), mutant.Options{Most: most}), mutant.Of(o, whole(o), mutant.Options{Most: most})
				if !reflect.DeepEqual(first, second) || len(first) != min(most, len(all)) {
					t.Errorf("%d mutants at most: %d, then %d", most, len(first), len(second))
				}
				check(t, o, whole(o), first)
			}
		})
	}
}

// TestSpread: few mutants are of many operators, functions and lines.
func TestSpread(t *testing.T) {
	text, err := os.ReadFile("../../examples/vault/head/src/Vault.sol")
	if err != nil {
		t.Fatal(err)
	}
	o := compiled(t, "0.8.30", map[string]string{"src/Vault.sol": string(text)})
	all := mutant.Of(o, whole(o), mutant.Options{})
	few := mutant.Of(o, whole(o), mutant.Options{Most: 12})
	count := func(list []mutant.Mutant) (operators, functions, lines int) {
		seen := map[any]bool{}
		for _, m := range list {
			if !seen[m.Operator] {
				operators++
			}
			if !seen[m.Function] {
				functions++
			}
			if !seen[m.Line] {
				lines++
			}
			seen[m.Operator], seen[m.Function], seen[m.Line] = true, true, true
		}
		return operators, functions, lines
	}
	operators, functions, lines := count(few)
	allOperators, allFunctions, allLines := count(all)
	t.Logf("%d of %d operators, %d of %d functions, %d of %d lines", operators, allOperators, functions, allFunctions, lines, allLines)
	if operators != min(12, allOperators) || functions < min(6, allFunctions) || lines < 10 {
		t.Error("few of them")
	}
}

// TestIDStays: what is added elsewhere in the source changes no id.
func TestIDStays(t *testing.T) {
	text := "pragma solidity ^0.8.0;\ncontract A {\n    function f(uint256 a) public pure returns (uint256) {\n        return a + 2;\n    }\n}\n"
	of := func(text string) []string {
		o := compiled(t, "0.8.30", map[string]string{"a.sol": text})
		var ids []string
		for _, m := range mutant.Of(o, whole(o), mutant.Options{}) {
			ids = append(ids, m.ID())
		}
		return ids
	}
	before, after := of(text), of(strings.Replace(text, "contract", "// A comment.\n\ncontract", 1))
	if len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("%v became %v", before, after)
	}
}

// TestNothingToSay: sources without changes, texts, ASTs or statements yield no mutants.
func TestNothingToSay(t *testing.T) {
	a := archives(t)[0]
	o := compiled(t, a.versions[0], a.sources)
	spans := whole(o)
	for name, changed := range map[string]map[string][]mutant.Span{"nothing": nil, "another source": {"other.sol": {{Start: 0, End: 10}}},
		"nowhere": {o.Sources[0].Path: {{Start: 5, End: 5}, {Start: -3, End: -1}, {Start: 1 << 40, End: 1 << 41}, {Start: 9, End: 2}}}} {
		if list := mutant.Of(o, changed, mutant.Options{}); len(list) > 0 {
			t.Errorf("%s changed, and there is %+v", name, list[0])
		}
	}
	o.DropStatements()
	for _, m := range mutant.Of(o, spans, mutant.Options{}) {
		if m.Function != "" {
			t.Errorf("statements were dropped, and there is %+v", m)
		}
	}
	o.Sources[0].AST = nil
	if list := mutant.Of(o, spans, mutant.Options{}); len(list) > 0 {
		t.Errorf("there is no AST, and there is %+v", list[0])
	}
}

// FuzzOf: ASTs that fit no text, as a stranger may write them, do no harm.
func FuzzOf(f *testing.F) {
	var outputs []*compile.Output
	for _, a := range archives(f) {
		outputs = append(outputs, compiled(f, a.versions[0], a.sources))
	}
	f.Add(uint8(0), []byte{0, 0, 5, 1, 2, 3}, []byte{1})
	f.Add(uint8(3), []byte{255, 0, 128, 7, 7, 7, 2, 9, 0}, []byte{0})
	f.Fuzz(func(t *testing.T, which uint8, edits, text []byte) {
		original := outputs[int(which)%len(outputs)]
		o := original.Copy()
		s := o.Sources[0]
		var nodes []*compile.Node
		s.AST = clone(s.AST, nil, &nodes)
		if len(text) > 1 {
			s.Text = text
		}
		for ; len(edits) >= 4; edits = edits[4:] {
			n, other := nodes[int(binary.LittleEndian.Uint16(edits))%len(nodes)], nodes[int(edits[3])%len(nodes)]
			switch edits[2] % 10 {
			case 0:
				n.Start += int(int8(edits[3]))
			case 1:
				n.Length += int(int8(edits[3]))
			case 2:
				n.Start, n.Length = 1<<62, 1<<62
			case 3:
				n.Type = other.Type
			case 4:
				n.Attributes = other.Attributes
			case 5:
				n.Role = other.Role
			case 6:
				n.Children = nil
			case 7:
				n.ValueType = other.ValueType
			case 8:
				n.Start, n.Length = other.Start, other.Length
			case 9:
				n.ID = other.ID
			}
		}
		mutants := mutant.Of(o, whole(o), mutant.Options{Most: int(which)})
		for i := range mutants {
			m := &mutants[i]
			if result := m.Apply(s.Text); m.Source == s.Path && (m.Start < 0 || m.End > len(s.Text) || bytes.Equal(result, s.Text)) {
				t.Errorf("%+v does not fit its text", m)
			}
		}
	})
}

// clone copies a tree, and lists its nodes.
func clone(n, parent *compile.Node, nodes *[]*compile.Node) *compile.Node {
	own := *n
	own.Parent, own.Children = parent, nil
	*nodes = append(*nodes, &own)
	for _, child := range n.Children {
		own.Children = append(own.Children, clone(child, &own, nodes))
	}
	return &own
}

// BenchmarkOf is of a large source, all of it changed.
func BenchmarkOf(b *testing.B) {
	var text strings.Builder
	text.WriteString("pragma solidity ^0.8.0;\ncontract A {\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "    uint256 v%d;\n    function f%d(uint256 a, uint256 b) public { require(a > b + 1); f%d(b, a); v%d += a * b; }\n", i, i, i, i)
	}
	text.WriteString("}\n")
	o := compiled(b, "0.8.30", map[string]string{"a.sol": text.String()})
	for b.Loop() {
		if len(mutant.Of(o, whole(o), mutant.Options{Most: 100})) != 100 {
			b.Fatal("not as many as there may be")
		}
	}
}
