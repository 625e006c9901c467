package main

import (
	"embed"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/examples"
)

// tests are forge's tests, one file per example or published contract, and what they share.
//
//go:embed tests/*.sol
var tests embed.FS

const solcVersion = "0.8.30" // the examples' own

// makeProject writes the sources of an example's side ("base" or "head") and its
// tests.
func makeProject(run *harness.Run, modules, example, side string) (*forge.Project, error) {
	from, err := examples.Load(example)
	if err != nil {
		return nil, err
	}
	sources, err := fs.Glob(from, side+"/src/*.sol")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range sources {
		if files[strings.TrimPrefix(name, side+"/")], err = fs.ReadFile(from, name); err != nil {
			return nil, err
		}
	}
	if err := addTests(files, example); err != nil {
		return nil, err
	}
	return forge.NewProject(filepath.Join(run.Cache, "forge", example, side), modules, solcVersion, files)
}

// addTests adds forge's tests of an example, or of another contract, to the files of its project.
func addTests(files map[string][]byte, name string) (err error) {
	for name, to := range map[string]string{"Targets": "Targets.sol", name: "Tests.t.sol"} {
		if files["test/"+to], err = tests.ReadFile("tests/" + name + ".sol"); err != nil {
			return err
		}
	}
	return nil
}
