package mutant_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/mutant"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// refused says of mutants which of them a compiler does not take, and why. They are compiled
// all at once, as files next to those that they are mutants of, over again without those
// that are refused: the errors of a later stage show only when there are none of an earlier one.
func refused(t testing.TB, version string, modules string, sources map[string]string, mutants []mutant.Mutant) map[int]string {
	t.Helper()
	compiler, err := solc.Find(t.Context(), []string{version}, solc.Options{NodeModules: []string{modules}, Cache: testfiles.BuildCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	why := map[int]string{}
	for {
		content, selection, of := map[string]any{}, map[string]any{}, map[string]int{}
		for name, text := range sources {
			content[name] = map[string]any{"content": text}
		}
		for i := range mutants {
			m := &mutants[i]
			if why[i] != "" {
				continue
			}
			name := path.Join(path.Dir(m.Source), m.ID()+".sol")
			of[name] = i
			content[name] = map[string]any{"content": string(m.Apply([]byte(sources[m.Source])))}
			selection[name] = map[string]any{"*": []string{"evm.bytecode.object"}}
		}
		input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": content, "settings": map[string]any{"outputSelection": selection}})
		if err != nil {
			t.Fatal(err)
		}
		output, err := compiler.Compile(t.Context(), input)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Errors []struct {
				Severity, FormattedMessage string
				SourceLocation             struct{ File string }
			}
		}
		if err := json.Unmarshal(output, &answer); err != nil {
			t.Fatal(err)
		}
		again := false
		for _, e := range answer.Errors {
			if i, ok := of[e.SourceLocation.File]; ok && e.Severity == "error" {
				why[i], again = e.FormattedMessage, true
			} else if e.Severity == "error" {
				t.Fatalf("of no mutant: %s", e.FormattedMessage)
			}
		}
		if !again {
			return why
		}
	}
}

// TestMutantsCompile: nearly all mutants of our examples, and of the archives, compile.
func TestMutantsCompile(t *testing.T) {
	const enough = 0.9 // a refused mutant costs a compilation; measured: see the log
	examples := archive{name: "examples", versions: []string{"0.8.30"}, sources: map[string]string{}}
	files, err := filepath.Glob("../../examples/*/head/src/*.sol")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples.sources[strings.TrimPrefix(filepath.ToSlash(file), "../../examples/")] = string(text)
	}
	for _, a := range append(archives(t), examples) {
		t.Run(path.Base(a.name), func(t *testing.T) {
			t.Parallel()
			o := compiled(t, a.versions[0], a.sources)
			mutants := mutant.Of(o, whole(o), mutant.Options{})
			why := refused(t, a.versions[0], testfiles.NodeModules(t), a.sources, mutants)
			t.Logf("%d of %d compile", len(mutants)-len(why), len(mutants))
			for i := range mutants {
				if why[i] != "" {
					t.Logf("%s: %s\n%s", mutants[i].Operator, mutants[i].Description, why[i])
				}
			}
			if float64(len(mutants)-len(why)) < enough*float64(len(mutants)) {
				t.Errorf("less than %.0f %%", 100*enough)
			}
		})
	}
}
