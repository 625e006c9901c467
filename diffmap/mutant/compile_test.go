package mutant_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/mutant"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// refused says of mutants which of them a compiler does not take, and why. They are compiled
// all at once, as files next to those that they are mutants of, over again without those
// that are refused: the errors of a later stage show only when there are none of an earlier one.
// The answers that are asked for say how much is compiled: "abi" checks types.
func refused(t testing.TB, version string, modules, answers string, sources map[string]string, mutants []mutant.Mutant) map[int]string {
	t.Helper()
	compiler, err := solc.Find(t.Context(), []string{version}, solc.Options{NodeModules: []string{modules}, Cache: testcache.Folder("builds")})
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
			selection[name] = map[string]any{"*": []string{answers}}
		}
		input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": content, "settings": map[string]any{"outputSelection": selection}})
		if err != nil {
			t.Fatal(err)
		}
		output, err := soljson.Compile(compiler.Path(), input)
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

// TestMutantsCompile: nearly all mutants of an example, and of the archives, compile.
func TestMutantsCompile(t *testing.T) {
	const (
		enough = 0.9 // required; measured when this was written: all compile
		// few are looked at where code is made of each, which takes half a second: 0.4 always makes it.
		few = 16
	)
	text, err := os.ReadFile("../../examples/vault/head/src/Vault.sol")
	if err != nil {
		t.Fatal(err)
	}
	vault := archive{name: "vault", versions: []string{"0.8.30"}, sources: map[string]string{"src/Vault.sol": string(text)}}
	deep := vault
	deep.name = "vault's code" // made of it: whether the stack is deep enough
	for _, a := range append(archives(t), vault, deep) {
		t.Run(path.Base(a.name), func(t *testing.T) {
			t.Parallel()
			version, answers, most := a.versions[0], "abi", 0
			if a.name == deep.name {
				answers = "evm.bytecode.object"
			}
			if a.name == deep.name || strings.HasPrefix(version, "0.4.") {
				most = few
			}
			o := compiled(t, version, a.sources)
			mutants := mutant.Of(o, whole(o), mutant.Options{Most: most})
			why := refused(t, version, testfiles.NodeModules(t), answers, a.sources, mutants)
			t.Logf("%d of %d compile", len(mutants)-len(why), len(mutants))
			for i := range mutants {
				if why[i] != "" {
					t.Logf("%s: %s\n%s", mutants[i].Operator, mutants[i].Description, why[i])
				}
			}
			if len(mutants) == 0 || float64(len(mutants)-len(why)) < enough*float64(len(mutants)) {
				t.Errorf("less than %.0f %%", 100*enough)
			}
		})
	}
}
