package sources

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
)

// This file infers what an import means as forge does from the folders of libraries
// (foundry-compilers, Remapping::find_many; foundry-config, RemappingsProvider): the library's
// src or contracts folder. Only imports that mean nothing else are asked about.

// maxNested bounds the libraries whose own libraries are looked into. Arbitrary: projects have about
// ten.
const maxNested = 200

// inferred are the remappings that forge would infer for an import, nearest first: of a library of the
// project, of what the importer's library says and has itself, of libraries' libraries, and of what
// libraries that are Foundry projects say, which holds for sources outside of them as well.
func (p *Tree) inferred(imported, importer string) []Remapping {
	first, _, ok := strings.Cut(imported, "/")
	if !ok || !fs.ValidPath(first) || first == "." {
		return nil
	}
	libs := p.layout.Libs
	if len(libs) == 0 {
		libs = []string{"lib"}
	}
	var found []Remapping
	for _, lib := range libs {
		found = append(found, p.library("", lib, imported)...)
	}
	for _, holder := range holders(importer, libs) {
		found = append(found, p.statedBy(holder, imported)...)
		for _, lib := range libs {
			found = append(found, p.library(holder+"/", path.Join(holder, lib), imported)...)
		}
	}
	found = append(found, p.library("", "node_modules", imported)...)
	libraries := p.libraries(libs)
	for _, library := range libraries {
		found = append(found, p.library("", path.Join(library, "lib"), imported)...)
	}
	return append(found, p.statedByAny(libraries, imported)...)
}

// libraries are the folders in folders of libraries, of which npm's is none: its packages are next to each other.
func (p *Tree) libraries(folders []string) []string {
	var found []string
	for _, folder := range folders {
		if path.Base(folder) == "node_modules" {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(p.Root, filepath.FromSlash(folder)))
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if len(found) == maxNested {
				return found
			}
			found = append(found, path.Join(folder, entry.Name()))
		}
	}
	return found
}

// statedByAny are the remappings for an import that libraries state which are Foundry projects, and their libraries.
func (p *Tree) statedByAny(libraries []string, imported string) []Remapping {
	var found []Remapping
	for looked := 0; looked < len(libraries) && looked < maxNested; looked++ {
		library := libraries[looked]
		if _, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(library), settings.FoundryFile)); err != nil {
			continue
		}
		for _, r := range p.statedBy(library, imported) {
			r.context = ""
			found = append(found, r)
		}
		libraries = append(libraries, p.libraries([]string{path.Join(library, "lib")})...)
	}
	return found
}

// library are the remappings of a library in a folder of libraries, for sources whose names begin with
// context. A scope of npm ("@a/b") is a part of the name.
func (p *Tree) library(context, folder, imported string) []Remapping {
	parts := strings.SplitN(imported, "/", 3)
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) == 3 && path.Base(folder) == "node_modules" {
		name += "/" + parts[1]
	}
	var found []Remapping
	for _, source := range []string{"src", "contracts", ""} {
		target := path.Join(folder, name, source)
		if info, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(target))); err == nil && info.IsDir() {
			found = append(found, Remapping{context: context, prefix: name + "/", target: target + "/"})
		}
	}
	return found
}

// statedBy are the remappings for an import that a library's own files state, for the library.
func (p *Tree) statedBy(library, imported string) []Remapping {
	var found []Remapping
	for _, r := range p.readStated(library) {
		if strings.HasPrefix(imported, r.prefix) {
			found = append(found, r)
		}
	}
	return found
}

// readStated reads a library's remappings, once.
func (p *Tree) readStated(library string) []Remapping {
	if found, read := p.statedIn[library]; read {
		return found
	}
	folder := filepath.Join(p.Root, filepath.FromSlash(library))
	var lines []string
	if text, err := p.Read(filepath.Join(folder, "remappings.txt")); err == nil {
		lines = strings.Split(string(text), "\n")
	}
	if text, err := p.Read(filepath.Join(folder, settings.FoundryFile)); err == nil {
		if _, remappings, err := settings.FoundrySources(text, os.Getenv); err == nil {
			lines = append(lines, remappings...)
		}
	}
	var found []Remapping
	for _, line := range lines {
		r, err := ParseRemapping(strings.TrimSpace(line))
		if err != nil || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue // the library's project is not ours to judge
		}
		r = r.asForge()
		found = append(found, Remapping{context: library + "/", prefix: r.prefix, target: path.Join(library, r.target) + "/"})
	}
	if p.statedIn == nil {
		p.statedIn = map[string][]Remapping{}
	}
	p.statedIn[library] = found
	return found
}

// holders are the folders of the libraries that hold a source, innermost first: of
// "lib/a/lib/b/src/C.sol", lib/a/lib/b and lib/a.
func holders(importer string, libs []string) []string {
	var found []string
	for start := 0; ; {
		next := -1
		for _, lib := range libs {
			if at := strings.Index(importer[start:], lib+"/"); at >= 0 && (start+at == 0 || importer[start+at-1] == '/') && (next < 0 || at+len(lib)+1 < next) {
				next = at + len(lib) + 1
			}
		}
		if next < 0 {
			return found
		}
		name, _, ok := strings.Cut(importer[start+next:], "/")
		if !ok {
			return found
		}
		start += next + len(name)
		found = append([]string{importer[:start]}, found...)
		start++
	}
}
