package main

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// pkg is a package and where its sources and its build are.
type pkg struct {
	name    string
	version string
	sources string // folder in the package
	build   string // shipped build: a file or folder in the package; empty: compiled from the sources
	solc    string // version of the compiler for it
	harness string // our own contracts, added to the sources, a file below harness/; empty: none
}

// harnesses are contracts for packages that are made to be inherited from or
// linked to: on their own, none of their code runs. The harnesses themselves
// are not measured.
//
//go:embed harness
var harnesses embed.FS

// prepare gives the folder of a package to run on: the installed one, or a copy
// below work with the harness in it.
func (p *pkg) prepare(modules, work string) (root string, err error) {
	root = filepath.Join(modules, filepath.FromSlash(p.name))
	if p.harness == "" {
		return root, nil
	}
	harness, err := fs.ReadFile(harnesses, "harness/"+p.harness)
	if err != nil {
		return "", err
	}
	prepared := filepath.Join(work, "project")
	if err := os.RemoveAll(prepared); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(prepared, p.sources), os.DirFS(filepath.Join(root, p.sources))); err != nil {
		return "", err
	}
	return prepared, os.WriteFile(filepath.Join(prepared, p.sources, "Harness.sol"), harness, 0o600)
}

// corpus are the packages: three that ship their build, each in another form,
// and five of sources, over all compiler versions that matter.
var corpus = []pkg{
	{"@gnosis.pm/safe-contracts", "1.3.0", "contracts", "build/artifacts/build-info", "0.7.6", ""},
	{"@aave/core-v3", "1.19.3", "contracts", "artifacts/build-info", "0.8.10", ""},
	{"openzeppelin-solidity", "2.5.1", "contracts", "build/contracts", "0.5.17", ""},
	{"zeppelin-solidity", "1.12.0", "contracts", "", "0.4.24", ""},
	{"@uniswap/v2-core", "1.0.1", "contracts", "", "0.5.16", ""},
	{"@uniswap/v3-core", "1.0.1", "contracts", "", "0.7.6", "v3-core.sol"},
	{"solmate", "6.8.0", "src", "", "0.8.17", "solmate.sol"},
	{"erc721a", "4.3.0", "contracts", "", "0.8.17", "erc721a.sol"},
}

// packages are the corpus and its compilers, to be installed.
func packages() harness.Packages {
	list := harness.Packages{}
	for _, p := range corpus {
		list[p.name] = p.version
		list.Solc(p.solc)
	}
	return list
}
