package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestUnits collects the project of each archive of testdata/projects. The
// archive's comment says what comes out: units with compiler, sources and
// remappings, or the error. -update rewrites it.
func TestUnits(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "projects", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			root := extract(t, archive)
			units, err := Units(t.Context(), root, compilers(t))
			got := describeUnits(t, units)
			if err != nil {
				got = "error " + strings.ReplaceAll(strings.ReplaceAll(err.Error(), root, "ROOT"), testfiles.NodeModules(t), "NODE_MODULES") + "\n"
			}
			if *golden.Update {
				archive.Comment = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(archive.Comment); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
			if name == "foundry" || name == "hardhat" { // those with names to resolve
				compileUnits(t, units)
			}
		})
	}
}

// extract writes the archive's files. A file "X -> TARGET" is a symbolic link.
func extract(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name, target, isLink := strings.Cut(f.Name, " -> ")
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if isLink {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func describeUnits(t *testing.T, units []Unit) string {
	var text strings.Builder
	for _, unit := range units {
		var in struct {
			Sources  map[string]any
			Settings struct{ Remappings []string }
		}
		if err := json.Unmarshal(unit.Input, &in); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "solc %s\n", unit.Compiler.Version())
		for _, name := range slices.Sorted(maps.Keys(in.Sources)) {
			fmt.Fprintf(&text, "  %s\n", name)
		}
		for _, r := range in.Settings.Remappings {
			fmt.Fprintf(&text, "  remapping %s\n", r)
		}
	}
	return text.String()
}

// compileUnits checks that solc resolves the imports to the names we gave.
func compileUnits(t *testing.T, units []Unit) {
	t.Helper()
	for _, unit := range units {
		if _, err := compile.DebugBuild(t.Context(), unit.Input, unit.Compiler, compile.DebugOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// TestUnitsSettings: of a project whose tool is not at hand, what decides the meaning of its
// sources is kept.
func TestUnitsSettings(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\nvia_ir = true\nevm_version = \"paris\"\n")
	testfiles.Write(t, filepath.Join(root, "src", "A.sol"), "pragma solidity ^0.8.20;\ncontract A { uint public x; function set(uint a) public { x = a; } }\n")
	outputs, err := CompileSources(t.Context(), root, compilers(t), compile.DebugOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if o := outputs[0]; o.Generator() != compile.ViaIR || o.EVMVersion() != "paris" {
		t.Errorf("generator %q, EVM version %q", o.Generator(), o.EVMVersion())
	}
}

// TestCompileOpenZeppelin compiles the package's Multicall with a contract that
// inherits it, as the changed lines of a real pull request are.
func TestCompileOpenZeppelin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	packaged := filepath.Join(root, "node_modules", "@openzeppelin", "contracts", "utils")
	for _, name := range []string{"Multicall.sol", "Address.sol"} {
		text, err := os.ReadFile(filepath.Join(testfiles.NodeModules(t), "oz-4.9.3", "utils", name))
		if err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, filepath.Join(packaged, name), string(text))
	}
	testfiles.Write(t, filepath.Join(root, "contracts", "Harness.sol"),
		"pragma solidity ^0.8.9;\nimport \"@openzeppelin/contracts/utils/Multicall.sol\";\n"+
			"contract Harness is Multicall { uint public x; function set(uint a) public { x = a; } }\n")
	outputs, err := CompileSources(t.Context(), root, compilers(t), compile.DebugOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := outputs[0]
	if len(outputs) != 1 || len(o.Sources) != 3 || o.Sources[1].Path != "@openzeppelin/contracts/utils/Multicall.sol" || !o.KeepsLines() {
		t.Errorf("%d outputs, %d sources", len(outputs), len(o.Sources))
	}
	read, err := sources.Reader(root, solc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.CheckSources(read); err != nil {
		t.Error(err)
	}
	testfiles.Write(t, filepath.Join(packaged, "Multicall.sol"), "changed")
	if stale, _ := o.Stale(read); !slices.Equal(stale, []string{"@openzeppelin/contracts/utils/Multicall.sol"}) {
		t.Errorf("stale %v", stale)
	}
	err = o.CheckSources(read)
	want := "solc 0.8.30+commit.73712a01: @openzeppelin/contracts/utils/Multicall.sol: the source does not match the build; build again, or give the build of this checkout"
	if !errors.Is(err, compile.ErrStale) || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// TestConfiguredCompiler: that a compiler is not to be had is said in the same words of whatever sources, and so once.
func TestConfiguredCompiler(t *testing.T) {
	options := compilers(t)
	var said []string
	options.Warn = func(text string) { said = append(said, text) }
	for _, pragma := range []string{"^0.8.20", ">=0.8.4"} {
		root := t.TempDir()
		testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[profile.default]\nsolc = \"0.8.22\"\n")
		testfiles.Write(t, filepath.Join(root, "src", "A.sol"), "pragma solidity "+pragma+";\ncontract A {}\n")
		if _, err := Units(t.Context(), root, options); err != nil {
			t.Fatal(err)
		}
	}
	if len(said) != 2 || said[0] != said[1] || !strings.Contains(said[0], "asks for solc 0.8.22") {
		t.Errorf("%q", said)
	}
}
