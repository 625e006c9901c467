package project

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// monorepo has projects of all tools, and folders that are none.
const monorepo = `
-- foundry.toml --
-- src/Root.sol --
import "../packages/a/src/A.sol";
-- lib/dep/foundry.toml --
-- packages/a/foundry.toml --
[profile.default]
remappings = ["shared/=../../shared/"]
-- packages/a/src/A.sol --
import "shared/S.sol";
-- packages/a/lib/x/foundry.toml --
-- packages/b/hardhat.config.ts --
-- packages/b/contracts/B.sol --
import {S} from "@org/shared/S.sol";
-- packages/b/contracts/lib/C.sol --
-- packages/b/artifacts/hardhat.config.js --
-- packages/b/inner/truffle-config.js --
-- packages/b/inner/contracts/I.sol --
-- packages/b/node_modules/@org/shared -> ../../../../shared --
-- packages/module/.git --
gitdir: elsewhere
-- packages/module/foundry.toml --
-- packages/lib/c/hardhat.config.cjs --
-- packages/lib/c/contracts/C.sol --
-- shared/S.sol --
-- shared/Unused.sol --
-- .cache/foundry.toml --
-- node_modules/y/foundry.toml --
-- not/foundry.toml/a --
`

func TestProjects(t *testing.T) {
	root := extract(t, txtar.Parse([]byte(monorepo)))
	got, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".", "packages/a", "packages/b", "packages/b/inner", "packages/lib/c"}
	if !slices.Equal(got, want) {
		t.Errorf("projects %q, want %q", got, want)
	}
	if got, err := List(filepath.Join(root, "shared")); err != nil || !slices.Equal(got, []string{"."}) {
		t.Errorf("without configuration: %q, %v", got, err)
	}
	if _, err := List(filepath.Join(root, "nowhere")); err == nil {
		t.Error("projects in a folder that is not there")
	}
	for file, want := range map[string]string{
		"src/Root.sol": ".", "packages/a/src/A.sol": "packages/a", "packages/b/inner/contracts/I.sol": "packages/b/inner",
		"packages/b/innermost.sol": "packages/b", "packages/ab/A.sol": ".",
	} {
		if got, ok := compile.Owner(got, file); !ok || got != want {
			t.Errorf("%s is in %q, want %q", file, got, want)
		}
	}
	if _, ok := compile.Owner([]string{"packages/a"}, "packages/b/B.sol"); ok {
		t.Error("a file outside has an owner")
	}
	for _, c := range []struct{ files, holders, rest []string }{
		{[]string{"packages/b/contracts/B.sol"}, []string{"packages/b"}, nil},
		{[]string{"packages/a/src/A.sol"}, []string{".", "packages/a"}, nil},
		{[]string{"shared/S.sol"}, []string{".", "packages/a", "packages/b"}, nil},
		{[]string{"packages/b/inner/contracts/Deleted.sol"}, []string{"packages/b/inner"}, nil},
	} {
		holders, rest := Holders(root, got, c.files, solc.Options{Repository: root})
		if !slices.Equal(holders, c.holders) || !slices.Equal(rest, c.rest) {
			t.Errorf("%q: held by %q, rest %q; want %q, %q", c.files, holders, rest, c.holders, c.rest)
		}
	}
	holders, rest := Holders(root, []string{"packages/a", "packages/b"}, []string{"shared/S.sol", "shared/Unused.sol"}, solc.Options{Repository: root})
	if !slices.Equal(holders, []string{"packages/a", "packages/b"}) || !slices.Equal(rest, []string{"shared/Unused.sol"}) {
		t.Errorf("held by %q, rest %q", holders, rest)
	}
	// What foundry.toml remaps is not known where it is refused, so the project counts.
	testfiles.Write(t, filepath.Join(root, "packages/a/foundry.toml"), "[profile.default\n")
	if holders, _ := Holders(root, []string{"packages/a"}, []string{"shared/S.sol"}, solc.Options{Repository: root}); !slices.Equal(holders, []string{"packages/a"}) {
		t.Errorf("with a refused foundry.toml: held by %q", holders)
	}
	// Without leave to read beside the project, what is there is not followed.
	testfiles.Write(t, filepath.Join(root, "packages/a/foundry.toml"), "")
	if holders, _ := Holders(root, []string{"packages/a"}, []string{"shared/S.sol"}, solc.Options{}); holders != nil {
		t.Errorf("outside of the project: %q", holders)
	}
}

// TestDistinguish: contracts of equal names are told apart, their links lead to
// the right library, and what is the same twice counts once.
func TestDistinguish(t *testing.T) {
	t.Parallel()
	const shared = "pragma solidity >=0.6.0 <0.9.0;\nlibrary Shared { function f(uint256 a) external pure returns (uint256) { return a / 2; } }\n"
	root := extract(t, txtar.Parse([]byte("-- src/Shared.sol --\n"+shared+
		"-- src/Old.sol --\npragma solidity ^0.6.0;\nimport \"./Shared.sol\";\ncontract Old { function g() external pure returns (uint256) { return Shared.f(4); } }\n"+
		"-- src/New.sol --\npragma solidity ^0.8.20;\nimport \"./Shared.sol\";\ncontract New { function g() external pure returns (uint256) { return Shared.f(4); } }\n")))
	compiled := func(folder string) []*compile.Output {
		outputs, err := CompileSources(t.Context(), root, compilers(t), kept(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outputs {
			o.Folder = folder
		}
		return outputs
	}
	outputs := compiled("")
	outputs = append(outputs, compiled("")...)      // what an earlier run has left
	outputs = append(outputs, compiled("pkg/a")...) // a project alike
	compile.Distinguish(outputs, outputs)
	var got []string
	for _, c := range compile.Contracts(outputs) {
		line := c.QualifiedName()
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			for _, l := range code.Links {
				line += " → " + l.Library
			}
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{
		"pkg/a/src/New.sol:New → pkg/a/src/Shared.sol:Shared@0.8.30 → pkg/a/src/Shared.sol:Shared@0.8.30",
		"pkg/a/src/Old.sol:Old → pkg/a/src/Shared.sol:Shared@0.6.12 → pkg/a/src/Shared.sol:Shared@0.6.12",
		"pkg/a/src/Shared.sol:Shared@0.6.12", "pkg/a/src/Shared.sol:Shared@0.8.30",
		"src/New.sol:New → src/Shared.sol:Shared@0.8.30 → src/Shared.sol:Shared@0.8.30",
		"src/Old.sol:Old → src/Shared.sol:Shared@0.6.12 → src/Shared.sol:Shared@0.6.12",
		"src/Shared.sol:Shared@0.6.12", "src/Shared.sol:Shared@0.8.30",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLocate finds the files of sources, whatever the compiler calls them, and
// none that has another text or lies elsewhere.
func TestLocate(t *testing.T) {
	root := extract(t, txtar.Parse([]byte(strings.ReplaceAll(monorepo, "-- shared/S.sol --\n", "-- shared/S.sol --\ns\n"))))
	outside := filepath.Join(t.TempDir(), "S.sol")
	if err := os.WriteFile(outside, []byte("s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := &compile.Output{}
	names := []string{
		"contracts/B.sol", "project/contracts/B.sol", "@org/shared/S.sol", "../../shared/S.sol",
		filepath.ToSlash(filepath.Join(root, "shared/S.sol")), "contracts/lib/C.sol", "contracts/Nowhere.sol", filepath.ToSlash(outside),
	}
	for i, name := range names {
		text := []byte("s\n")
		if strings.HasSuffix(name, "B.sol") {
			text = []byte("import {S} from \"@org/shared/S.sol\";\n")
		}
		o.Sources = append(o.Sources, &compile.Source{ID: i, Path: name, Text: text})
	}
	if err := o.Locate(filepath.Join(root, "packages", "b"), solc.Options{Repository: root}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"packages/b/contracts/B.sol", "packages/b/contracts/B.sol", "shared/S.sol", "shared/S.sol", "shared/S.sol", "", "", ""} {
		if want != "" {
			want = filepath.ToSlash(filepath.Join(root, want))
		}
		if o.Sources[i].File != want {
			t.Errorf("%s: %q, want %q", names[i], o.Sources[i].File, want)
		}
	}
}

// TestCommandFolder: one command may build several projects.
func TestCommandFolder(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(top, name), os.DirFS(fixture("foundry"))); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(top, name, "out"), filepath.Join(top, name, "kept")); err != nil {
			t.Fatal(err)
		}
	}
	options := func(o *FindOptions) {
		o.Command = []string{"sh", "-c", "echo run >> runs; for p in a b; do mv $p/kept $p/out; done"}
		o.CommandFolder = top
	}
	for _, name := range []string{"a", "b"} {
		found, err := findIn(t, filepath.Join(top, name), options)
		if err != nil || !slices.Equal(contractNames(found.Outputs), []string{"Counter", "Step"}) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	if runs, err := os.ReadFile(filepath.Join(top, "runs")); err != nil || !bytes.Equal(runs, []byte("run\n")) {
		t.Errorf("runs %q, %v", runs, err)
	}
}
