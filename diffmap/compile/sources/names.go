package sources

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Reader reads sources of the project at root by the names that compilers
// give them: files below root, of node_modules and of lib, and Hardhat 3's names
// of these. It is what [compile.Output.CheckSources] needs.
func Reader(root string, options solc.Options) (func(name string) ([]byte, error), error) {
	p, err := Open(root, options)
	if err != nil {
		return nil, err
	}
	return p.ReadNamed, nil
}

// ReadNamed reads a source by the name that compilers give it.
func (p *Tree) ReadNamed(name string) ([]byte, error) {
	file := p.FileOf(name)
	if file == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return p.ReadAlone(file)
}

// ReadAlone reads a file that counts for itself in the limits.
func (p *Tree) ReadAlone(file string) ([]byte, error) {
	p.bytes, p.files = 0, 0
	return p.Read(file)
}

// hardhat3File is the file that Hardhat 3 means by "project/FILE" or by
// "npm/PACKAGE@VERSION/FILE"; empty for other names.
func hardhat3File(name string) string {
	if file, ok := strings.CutPrefix(name, "project/"); ok {
		return file
	}
	rest, ok := strings.CutPrefix(name, "npm/")
	if !ok {
		return ""
	}
	scope := ""
	if strings.HasPrefix(rest, "@") {
		scope, rest, _ = strings.Cut(rest, "/")
		scope += "/"
	}
	versioned, file, _ := strings.Cut(rest, "/")
	name, _, _ = strings.Cut(versioned, "@")
	return scope + name + "/" + file
}

// ImportedName is the source unit that an import means. Where it cannot be
// found, the remappings that Foundry would infer are tried, and the first that helps is kept.
func (p *Tree) ImportedName(imported, importer string) string {
	name := UnitName(p.Remappings, imported, importer)
	if file, _ := p.Locate(name); file != "" {
		return name
	}
	for _, r := range p.inferred(imported, importer) {
		extended := append(slices.Clone(p.Remappings), r)
		other := UnitName(extended, imported, importer)
		if file, _ := p.Locate(other); file != "" {
			p.Remappings = extended
			return other
		}
	}
	return name
}

// Remaps reports whether a remapping that the project's files state applies to an import.
func (p *Tree) Remaps(imported, importer string) bool {
	return UnitName(p.Remappings[:p.stated], imported, importer) != UnitName(nil, imported, importer)
}

// FileOf is the file that a compiler means by a source's name: below the root,
// in node_modules or lib, by Hardhat 3's name, or by its absolute path, as forge
// names what lies outside of the project. Empty when there is none.
func (p *Tree) FileOf(name string) string {
	if filepath.IsAbs(name) {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || p.inside(name) != nil {
			return "" // likely of the machine that it was built on
		}
		return name
	}
	file, _ := p.Locate(name)
	if other := hardhat3File(name); file == "" && other != "" {
		file, _ = p.Locate(other)
	}
	return file
}
