package compile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestCompileAgain: the fixtures' builds are those of their sources, whoever made them.
func TestCompileAgain(t *testing.T) {
	for _, name := range []string{"hardhat2", "hardhat3", "foundry"} {
		outputs, err := Read(fixture(name), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outputs {
			root := t.TempDir()
			writeSources(t, o, root)
			again, err := o.CompileAgain(t.Context(), solc.Options{Root: root, NodeModules: []string{testfiles.NodeModules(t)}}, nil, DebugOptions{})
			if err != nil {
				t.Errorf("%s: %v", o.Origin, err)
				continue
			}
			if len(again.Own.Contracts) < len(o.Contracts) || len(again.Mapped.Contracts) != len(again.Own.Contracts) || !again.Mapped.KeepsLines() {
				t.Errorf("%s: %d contracts, of %d", o.Origin, len(again.Own.Contracts), len(o.Contracts))
			}
			o.Contracts[0].Runtime.Bytes[0]++
			_, err = o.CompileAgain(t.Context(), solc.Options{Root: root, NodeModules: []string{testfiles.NodeModules(t)}}, nil, DebugOptions{})
			if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), o.Contracts[0].UnitName()) {
				t.Errorf("%s: other bytecode is %v", o.Origin, err)
			}
		}
	}
}

// writeSources writes the sources of an input where a project has them.
func writeSources(t *testing.T, o *Output, root string) {
	t.Helper()
	in, _, err := readInput(o.Input)
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range in.Sources {
		testfiles.Write(t, filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(name, "project/"))), *source.Content)
	}
}

// TestKeepGiven: a contract that a build lacks stays unless another has it.
func TestKeepGiven(t *testing.T) {
	build := func(names ...string) *Output {
		o := &Output{}
		for _, name := range names {
			c := &Contract{}
			c.Source, c.Name = "A.sol", name
			o.Contracts = append(o.Contracts, c)
		}
		return o
	}
	given := []*Output{build("A"), build("B")}
	again := []*Again{{Own: build("A", "B", "C"), Mapped: build("A", "B", "C")}, {Own: build("A", "B"), Mapped: build("A", "B")}}
	KeepGiven(given, again)
	for i, want := range []string{"A C", "B"} {
		for _, o := range []*Output{again[i].Own, again[i].Mapped} {
			var names []string
			for _, c := range o.Contracts {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("build %d has %s, want %s", i, got, want)
			}
		}
	}
}

// TestReadInput: what is checked is what is compiled, whatever a text has twice.
func TestReadInput(t *testing.T) {
	const rest = `,"settings":{"viaIR":false}}`
	for text, same := range map[string]bool{
		`{"language":"Solidity","sources":{"A.sol":{"content":"one","keccak256":"0x"},"a.sol":{"content":"one"}}` + rest: true,
		`{"sources":{"A.sol":{"content":"two","content":"one"}}` + rest:                                                  false,
		`{"sources":{"A.sol":{"content":"one","Content":"two"}}` + rest:                                                  false,
		`{"sources":{"A.sol":{"content":"one","con\u0074ent":"one"}}` + rest:                                             false,
		`{"sources":{"A.sol":{"content":"two"}},"sources":{"A.sol":{"content":"one"}}` + rest:                            false,
		`{"Sources":{"A.sol":{"content":"two"}},"sources":{"A.sol":{"content":"one"}}` + rest:                            false,
		`{"sources":{"A.sol":{"content":"two"},"A.sol":{"content":"one"}}` + rest:                                        false,
		`{"ſources":{},"sources":{"A.sol":{"content":"one"}}` + rest:                                                     false,
		`{"sources":{"A.sol":{"content":"one"}},"settings":{"viaIR":true,"VIAIR":false}}`:                                false,
	} {
		in, own, err := readInput([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var kept struct {
			Sources map[string]map[string]string
		}
		if err := json.Unmarshal(own, &kept); err != nil || kept.Sources["A.sol"]["content"] != "one" || *in.Sources["A.sol"].Content != "one" {
			t.Errorf("%s: %s, %v", text, own, err)
		}
		if (string(own) == text) != same {
			t.Errorf("%s: kept as it is: %v", text, !same)
		}
	}
	if _, own, err := readInput([]byte(`{"sources":{"A.sol":{"urls":["a"]}}}`)); err != nil || own != nil {
		t.Errorf("%s, %v", own, err)
	}
}

// TestReadCached: an answer counts only where no other user can have left it.
func TestReadCached(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "builds")
	file := filepath.Join(folder, "a.json")
	testfiles.Write(t, file, "{}")
	limits := reading.Limits{}.WithDefaults()
	for path, mode := range map[string]os.FileMode{file: 0o644, folder: 0o755} {
		if _, ok := readCached(file, limits); !ok {
			t.Error("an own answer is not read")
		}
		if err := os.Chmod(path, mode|0o022); err != nil {
			t.Fatal(err)
		}
		if _, ok := readCached(file, limits); ok {
			t.Errorf("%s can be written by others", path)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(file, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, ok := readCached(file, limits); ok {
			t.Error("another user's answer is read")
		}
	}
}

// TestLocateMoved: a source that was compiled from another folder is found by its place and text.
func TestLocateMoved(t *testing.T) {
	repository := t.TempDir()
	root := filepath.Join(repository, "packages", "core")
	testfiles.Write(t, filepath.Join(root, "src", "A.sol"), "a")
	testfiles.Write(t, filepath.Join(repository, "node_modules", "lib", "B.sol"), "b")
	o := &Output{Sources: []*Source{{Path: "/elsewhere/vault/node_modules/lib/B.sol", Text: []byte("b")}, {Path: "/another/node_modules/lib/B.sol", Text: []byte("other")}}}
	if err := o.locateMoved(solc.Options{Root: root, Repository: repository}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(o.Sources[0].File, "/node_modules/lib/B.sol") || o.Sources[1].File != "" {
		t.Errorf("%q, %q", o.Sources[0].File, o.Sources[1].File)
	}
}
