package diffmap

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// edit is one entry of testdata/targets/edits.txt.
type edit struct{ name, old, replacement string }

// path is the source that holds the i-th edit's head version.
func (e edit) path(i int) string { return fmt.Sprintf("%02d/edited.sol", i) }

func readEdits(t *testing.T) []edit {
	t.Helper()
	text, err := os.ReadFile("testdata/targets/edits.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "\n\n")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	var edits []edit
	for i := 0; i+1 < len(lines); i += 2 {
		rest := strings.TrimSpace(lines[i+1])
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		old, _ := strconv.Unquote(quoted)
		replacement, err := strconv.Unquote(strings.TrimSpace(rest[len(quoted):]))
		if err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		edits = append(edits, edit{lines[i], old, replacement})
	}
	return edits
}

// TestEditsGolden makes small pull requests with git and prints what they are
// mapped to: for every changed line its status or the source of its entries.
func TestEditsGolden(t *testing.T) {
	base, err := os.ReadFile("testdata/targets/edited.sol")
	if err != nil {
		t.Fatal(err)
	}
	edits := readEdits(t)
	heads := map[string]string{} // all in one compilation: a compiler takes seconds to start
	for i, e := range edits {
		if strings.Count(string(base), e.old) != 1 {
			t.Fatalf("%s: %q is there %d times", e.name, e.old, strings.Count(string(base), e.old))
		}
		heads[e.path(i)] = strings.Replace(string(base), e.old, e.replacement, 1)
	}
	outputs := []*compile.Output{compileSources(t, "0.8.30", heads)}
	table := bytecode.NewTable(compile.Contracts(outputs))
	var b strings.Builder
	for i, e := range edits {
		head := []byte(heads[e.path(i)])
		diff, err := unified.Parse(testdiff.Files(t, "edited.sol", base, head), unified.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		changes, err := diff.Files[0].Changes(head)
		if err != nil {
			t.Fatal(err)
		}
		for j := range changes {
			changes[j].Path = e.path(i)
		}
		m, err := Map(outputs, table, changes, Options{Heads: map[string][]byte{e.path(i): head}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %s\n%s", e.name, targetSources(m, outputs, table, head))
	}
	golden.Check(t, "testdata/targets/edits.out", b.String())
}

// targetSources prints the lines of a mapping with the source ranges of the
// entries of their targets.
func targetSources(m *Mapping, outputs []*compile.Output, table *bytecode.Table, text []byte) string {
	var b strings.Builder
	p := NewPositions(outputs, table, Options{})
	lines := strings.Split(string(text), "\n")
	for _, l := range m.Lines {
		fmt.Fprintf(&b, "%d %s in %q: %s\n", l.Position.Line, l.Kind, l.Function, strings.TrimSpace(lines[l.Position.Line-1]))
		if l.Status != "" {
			fmt.Fprintf(&b, "    %s: %s\n", l.Status, l.Reason)
		}
		for _, i := range l.Targets {
			target := m.Targets[i]
			_, name, _ := strings.Cut(target.Contract, ":")
			var sources []string
			for _, e := range target.Entries {
				from, entry, _ := p.source(e)
				source := strings.Join(strings.Fields(string(from.text[entry.Start:entry.Start+entry.Length])), " ")
				if len(source) > 40 {
					source = source[:40] + "…"
				}
				kind := ""
				if table.Program(e.Code).Code.Kind == bytecode.Creation {
					kind = "creation: "
				}
				sources = append(sources, kind+source)
			}
			slices.Sort(sources)
			for _, source := range slices.Compact(sources) {
				fmt.Fprintf(&b, "    %s: %s\n", name, source)
			}
		}
	}
	return b.String()
}
