package compile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestReadSafe reads the build-infos that Gnosis Safe 1.3.0 ships.
func TestReadSafe(t *testing.T) {
	folder := filepath.Join(testfiles.NodeModules(t), "@gnosis.pm", "safe-contracts", "build", "artifacts", "build-info")
	outputs, err := Read(folder, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) != 3 {
		t.Fatalf("%d outputs, want 3", len(outputs))
	}
	main := outputs[1]
	if main.Compiler != "0.7.6+commit.7338295f" || main.Settings.Optimizer || main.Input == nil {
		t.Errorf("compiler %q, settings %+v", main.Compiler, main.Settings)
	}
	contracts := Contracts(outputs)
	find := func(name string) *bytecode.Contract {
		i := slices.IndexFunc(contracts, func(c *bytecode.Contract) bool { return c.Name == name })
		if i < 0 {
			t.Fatalf("no %s", name)
		}
		return contracts[i]
	}
	safe := find("GnosisSafe")
	if !safe.Deployable() || len(safe.Runtime.Bytes) != 22958 || len(safe.ABI.Methods) != 31 {
		t.Errorf("GnosisSafe: %d bytes, %d methods", len(safe.Runtime.Bytes), len(safe.ABI.Methods))
	}
	if !slices.Contains(safe.Implements, "OwnerManager") || safe.Implements[0] != "GnosisSafe" {
		t.Errorf("GnosisSafe implements %v", safe.Implements)
	}
	if guard := find("DelegateCallTransactionGuard"); !slices.Equal(guard.Runtime.Immutables, []bytecode.Range{{Start: 704, End: 736}, {Start: 772, End: 804}}) {
		t.Errorf("immutables %v", guard.Runtime.Immutables)
	}
	if guard := find("Guard"); guard.Deployable() {
		t.Error("an interface is deployable")
	}
}

// TestReadFolder reads a folder with an output, its input, and other files.
func TestReadFolder(t *testing.T) {
	sample := string(readSample(t))
	input, err := os.ReadFile(strings.Replace(sampleFile, "output", "input", 1))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, "package.json"), `{"name": "x"}`)
	testfiles.Write(t, filepath.Join(root, "artifacts", "A.json"), `{"abi": [], "bytecode": {"object": "0x"}}`)
	_, err = Read(root, ReadOptions{})
	want := root + ": a folder with no contracts: of its *.json files, 2 in all, none is a build-info (input and output) or solc's standard-JSON output; " +
		"give the folder that the build wrote (Foundry: out; Hardhat: artifacts/build-info; truffle: build/contracts)"
	if !errors.Is(err, reading.ErrNoContracts) || err.Error() != want {
		t.Errorf("error %v", err)
	}
	testfiles.Write(t, filepath.Join(root, "b", "two.output.json"), sample)
	testfiles.Write(t, filepath.Join(root, "b", "two.input.json"), string(input))
	testfiles.Write(t, filepath.Join(root, "a", "one.json"), `{"solcVersion": "0.8.30", "input": `+string(input)+`, "output": `+sample+`}`)
	testfiles.Write(t, filepath.Join(root, "c.json"), sample)
	testfiles.Write(t, filepath.Join(root, "node_modules", "d.json"), sample)
	outputs, err := Read(root, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range outputs {
		relative, err := filepath.Rel(root, o.Origin)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(filepath.ToSlash(relative), " ", o.Compiler, " ", o.Input != nil))
	}
	if want := []string{"a/one.json 0.8.30 true", "b/two.output.json  true", "c.json  false"}; !slices.Equal(got, want) {
		t.Errorf("outputs %q", got)
	}
	if n := len(Contracts(outputs)); n != 12 {
		t.Errorf("%d contracts", n)
	}
	if _, err := Read(root, ReadOptions{Limits: reading.Limits{Files: 3}}); !errors.Is(err, reading.ErrTooLarge) {
		t.Errorf("error %v", err)
	}
	testfiles.Write(t, filepath.Join(root, "d.json"), sample[:1000])
	if _, err := Read(root, ReadOptions{}); !errors.Is(err, reading.ErrSyntax) || !strings.Contains(err.Error(), "d.json: line ") {
		t.Errorf("error %v", err)
	}
}

func TestReadFileErrors(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"none.json": "", "artifact.json": `{"abi": []}`, "list.json": "[]", "text.txt": "hello"} {
		file := filepath.Join(root, name)
		if text != "" {
			testfiles.Write(t, file, text)
		}
		_, err := Read(file, ReadOptions{})
		var e *reading.Error
		if !errors.As(err, &e) || e.Origin != file || e.Problem == "" || e.Remedy == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStale(t *testing.T) {
	o := &Output{Sources: []*Source{
		{Path: "src/Same.sol", Text: []byte("same")},
		{Path: "src/Edited.sol", Text: []byte("old")},
		{Path: "src/Deleted.sol", Text: []byte("gone")},
		{Path: "@lib/Elsewhere.sol", Text: []byte("lib")},
		{Path: "src/HashSame.sol", Keccak256: crypto.Keccak256([]byte("same"))},
		{Path: "src/HashEdited.sol", Keccak256: crypto.Keccak256([]byte("old"))},
		{Path: "src/Unknown.sol"},
	}}
	files := map[string]string{
		"src/Same.sol": "same", "src/Edited.sol": "new", "src/HashSame.sol": "same", "src/HashEdited.sol": "new", "src/Unknown.sol": "x",
	}
	differing, deleted := o.Stale(func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	})
	if want := []string{"src/Edited.sol", "src/HashEdited.sol"}; !slices.Equal(differing, want) {
		t.Errorf("differing %q", differing)
	}
	if want := []string{"src/Deleted.sol"}; !slices.Equal(deleted, want) {
		t.Errorf("deleted %q", deleted)
	}
}

// TestSafeDebug: the debug build of a project that compiles without the
// optimizer is the project's own code.
func TestSafeDebug(t *testing.T) {
	t.Parallel()
	outputs, err := Read(filepath.Join(testfiles.NodeModules(t), "@gnosis.pm", "safe-contracts", "build", "artifacts", "build-info"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shipped := outputs[1]
	if !shipped.KeepsLines() {
		t.Error("it does not keep lines")
	}
	c, err := shipped.FindCompiler(t.Context(), compilers(t))
	if err != nil {
		t.Fatal(err)
	}
	built, err := DebugBuild(t.Context(), shipped.Input, c, DebugOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(built.Contracts) != len(shipped.Contracts) {
		t.Fatalf("%d contracts, want %d", len(built.Contracts), len(shipped.Contracts))
	}
	for i, b := range built.Contracts {
		s := shipped.Contracts[i]
		if b.QualifiedName() != s.QualifiedName() || b.Deployable() != s.Deployable() ||
			b.Deployable() && (!bytes.Equal(b.Creation.Bytes, s.Creation.Bytes) || b.RuntimeMap.String() != s.RuntimeMap.String()) {
			t.Errorf("%s differs", b.QualifiedName())
		}
	}
}
