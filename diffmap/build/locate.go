package build

import (
	"os"
	"path/filepath"
)

// Locate notes where the output's sources lie on disk, as far as they are found
// in the project at root and are the same there.
func (o *Output) Locate(root string, options CompilerOptions) error {
	p, err := openProject(root, options)
	if err != nil {
		return err
	}
	for _, s := range o.Sources {
		file := p.fileOf(s.Path)
		if file == "" {
			continue
		}
		resolved, err := filepath.EvalSymlinks(file)
		if err != nil {
			continue
		}
		if text, err := p.readAlone(resolved); err == nil && s.equals(text) {
			s.File = filepath.ToSlash(resolved)
		}
	}
	return nil
}

// fileOf is the file that a compiler means by a source's name: below the root,
// in node_modules or lib, by Hardhat 3's name, or by its absolute path, as forge
// names what lies outside of the project. Empty when there is none.
func (p *project) fileOf(name string) string {
	if filepath.IsAbs(name) {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || p.inside(name) != nil {
			return "" // likely of the machine that it was built on
		}
		return name
	}
	file, _ := p.locate(name)
	if other := hardhat3File(name); file == "" && other != "" {
		file, _ = p.locate(other)
	}
	return file
}

// filesOf takes over where the sources of another build of the same project are.
func (o *Output) filesOf(other *Output) {
	files := map[string]string{}
	for _, s := range other.Sources {
		files[s.Path] = s.File
	}
	for _, s := range o.Sources {
		s.File = files[s.Path]
	}
}
