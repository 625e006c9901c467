// Package published prepares packages that others have published, to run sightline on.
package published

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// Package is a package and where its sources and its build are.
type Package struct {
	Name    string
	Version string
	Sources string // folder in the package
	Build   string // shipped build: a file or folder in the package; empty: compiled from the sources
	Solc    string // version of the compiler for it
	Harness string // our own contracts, added to the sources, a file below harness/; empty: none
}

// harnesses are contracts for packages that are made to be inherited from or
// linked to: on their own, none of their code runs. The harnesses themselves
// are not measured.
//
//go:embed harness
var harnesses embed.FS

// Prepare gives the folder of a package to run on: the installed one, or a copy
// below work with the harness in it.
func (p *Package) Prepare(modules, work string) (root string, err error) {
	root = filepath.Join(modules, filepath.FromSlash(p.Name))
	if p.Harness == "" {
		return root, nil
	}
	text, err := fs.ReadFile(harnesses, "harness/"+p.Harness)
	if err != nil {
		return "", err
	}
	prepared := filepath.Join(work, "project")
	if err := os.RemoveAll(prepared); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(prepared, p.Sources), os.DirFS(filepath.Join(root, p.Sources))); err != nil {
		return "", err
	}
	return prepared, os.WriteFile(filepath.Join(prepared, p.Sources, "Harness.sol"), text, 0o600)
}

// Install are packages and their compilers, to be installed.
func Install(all []Package) harness.Packages {
	list := harness.Packages{}
	for _, p := range all {
		list[p.Name] = p.Version
		list.Solc(p.Solc)
	}
	return list
}
