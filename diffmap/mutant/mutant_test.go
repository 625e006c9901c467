package mutant_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/mutant"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// archive is a set of sources in testdata, with the compilers to try.
type archive struct {
	name      string
	versions  []string
	operators []mutant.Operator
	sources   map[string]string
}

func archives(t testing.TB) []archive {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	var list []archive
	for _, file := range files {
		parsed, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := archive{name: strings.TrimSuffix(filepath.ToSlash(file), ".txtar"), sources: map[string]string{}}
		for _, line := range strings.Split(string(parsed.Comment), "\n") {
			switch key, value, _ := strings.Cut(line, ": "); key {
			case "solc":
				a.versions = strings.Fields(value)
			case "operators":
				for _, name := range strings.Fields(value) {
					a.operators = append(a.operators, mutant.Operator(name))
				}
			}
		}
		for _, f := range parsed.Files {
			a.sources[f.Name] = string(f.Data)
		}
		list = append(list, a)
	}
	return list
}

// whole are spans that say that everything changed.
func whole(o *compile.Output) map[string][]mutant.Span {
	spans := map[string][]mutant.Span{}
	for _, s := range o.Sources {
		spans[s.Path] = []mutant.Span{{Start: 0, End: len(s.Text)}}
	}
	return spans
}

// compiled is the output of a compiler for sources; it says which compiler it was.
func compiled(t testing.TB, version string, sources map[string]string) *compile.Output {
	t.Helper()
	o := testbuild.Compile(t, version, sources).Output
	o.Compiler = version
	return o
}

// TestOperators lists the mutants of the archives in testdata, of the operators that each
// names. The lists are golden files.
func TestOperators(t *testing.T) {
	for _, a := range archives(t) {
		for _, version := range a.versions {
			name := a.name + "-" + version
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				o := compiled(t, version, a.sources)
				golden.Check(t, name+".golden", listed(o, mutant.Of(o, whole(o), mutant.Options{Operators: a.operators})))
			})
		}
	}
}

// listed shows mutants: their lines before and after.
func listed(o *compile.Output, mutants []mutant.Mutant) string {
	texts := map[string][]byte{}
	for _, s := range o.Sources {
		texts[s.Path] = s.Text
	}
	var b strings.Builder
	for i := range mutants {
		m := &mutants[i]
		text := texts[m.Source]
		fmt.Fprintf(&b, "%s:%d %s, %s.%s: %s\n", m.Source, m.Line, m.Operator, m.Contract, m.Function, m.Description)
		fmt.Fprintf(&b, "  - %s\n  + %s\n", lines(text, m.Start, m.End), lines(m.Apply(text), m.Start, m.Start+len(m.Replacement)))
	}
	return b.String()
}

// lines are the lines around a part of a text, joined.
func lines(text []byte, start, end int) string {
	from := bytes.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if at := bytes.IndexByte(text[end:], '\n'); at >= 0 {
		to = end + at
	}
	return strings.ReplaceAll(strings.TrimSpace(string(text[from:to])), "\n", "⏎")
}
