package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFolders bounds the folders that are looked into for projects. Arbitrary: a
// monorepo's own folders are a few thousand.
const maxFolders = 100_000

// Projects lists the folders of the projects below root, relative to it and with
// slashes, "." for root itself, in order: those with the configuration of a build tool.
// Dependencies do not count (node_modules, a project's lib, submodules), nor do what
// tools write and hidden folders. Where there is no configuration at all, root is the
// project.
func Projects(root string) ([]string, error) {
	var found []string
	folders := 0
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && file != root && errors.Is(err, fs.ErrPermission):
			return fs.SkipDir // nothing of it can be built
		case err != nil:
			return unreadable(root, err)
		case !entry.IsDir():
			return nil
		case file != root && holdsNoProject(file, entry.Name()):
			return fs.SkipDir
		}
		if folders++; folders > maxFolders {
			return &Error{Origin: root, Kind: ErrTooLarge, Problem: fmt.Sprintf("more than %d folders", maxFolders),
				Remedy: "give the project's folder with --root"}
		}
		if isConfigured(file) {
			relative, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			found = append(found, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return []string{"."}, nil
	}
	slices.Sort(found)
	return found, nil
}

// holdsNoProject reports whether a folder is a dependency's, a tool's or hidden.
func holdsNoProject(folder, name string) bool {
	if strings.HasPrefix(name, ".") || name == "node_modules" {
		return true
	}
	if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
		return true // a submodule, or a repository of its own
	}
	return slices.Contains(skippedRootFolders, name) && isConfigured(filepath.Dir(folder))
}

// toolConfigurations are the files that say that their folder is a project's.
var toolConfigurations = []string{
	"foundry.toml",
	"hardhat.config.js", "hardhat.config.ts", "hardhat.config.cjs", "hardhat.config.mjs", "hardhat.config.cts", "hardhat.config.mts",
	"truffle-config.js", "truffle.js",
}

// isConfigured reports whether a build tool is configured for a folder.
func isConfigured(folder string) bool {
	return slices.ContainsFunc(toolConfigurations, func(name string) bool {
		info, err := os.Stat(filepath.Join(folder, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// Owner is the project whose folder holds a file most closely; false where none
// does. Projects and the file are relative to the same root.
func Owner(projects []string, file string) (project string, found bool) {
	for _, p := range projects {
		if (p == "." || strings.HasPrefix(file, p+"/")) && (!found || project == "." || len(p) > len(project)) {
			project, found = p, true
		}
	}
	return project, found
}

// Holders lists the projects whose build holds one of the files: the one in whose
// folder the file lies, and those whose sources import it, by whatever name. rest
// are the files that none holds. Files are relative to root, with slashes; so are
// projects, see [Projects].
func Holders(root string, projects, files []string, options CompilerOptions) (holders, rest []string) {
	wanted := map[string]bool{} // by resolved path: whether a project holds it
	resolve := func(file string) string {
		joined := filepath.Join(root, filepath.FromSlash(file))
		if resolved, err := filepath.EvalSymlinks(joined); err == nil {
			return resolved
		}
		return joined
	}
	for _, file := range files {
		owner, owned := Owner(projects, file)
		if owned && !slices.Contains(holders, owner) {
			holders = append(holders, owner)
		}
		wanted[resolve(file)] = owned
	}
	for _, project := range projects {
		if importsAny(filepath.Join(root, filepath.FromSlash(project)), wanted, options) && !slices.Contains(holders, project) {
			holders = append(holders, project)
		}
	}
	for _, file := range files {
		if !wanted[resolve(file)] {
			rest = append(rest, file)
		}
	}
	slices.Sort(holders)
	return holders, rest
}

// importsAny reports whether the sources of the project at root import one of the
// wanted files, or may: what is too large to be followed counts. It marks those
// that they do. What cannot be found or read is left to the build to complain
// about.
func importsAny(root string, wanted map[string]bool, options CompilerOptions) bool {
	options.Root = root
	p, err := openProject(root, options)
	if err != nil {
		return false
	}
	names, err := p.sources()
	if err != nil {
		return errors.Is(err, ErrTooLarge)
	}
	found := false
	p.follow(names, func(file string) {
		if _, ok := wanted[file]; ok {
			wanted[file], found = true, true
		}
	})
	return found || p.bytes > p.limits.FileBytes || p.files > p.limits.Files
}

// follow visits the files, symbolic links resolved, of named sources and of what
// they import, each once, as far as they are found and the limits go.
func (p *project) follow(names []string, visit func(file string)) {
	type unit struct{ name, file string }
	var queue []unit
	seen := map[string]bool{}
	add := func(name, file string) {
		if resolved, err := filepath.EvalSymlinks(file); err == nil && !seen[resolved] {
			seen[resolved] = true
			queue = append(queue, unit{name, resolved})
		}
	}
	for _, name := range names {
		add(name, filepath.Join(p.root, filepath.FromSlash(name)))
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		visit(u.file)
		text, err := p.read(u.file)
		if errors.Is(err, ErrTooLarge) {
			return
		}
		for _, imported := range Imports(text) {
			if strings.HasPrefix(imported.Path, ".") { // as the file system has it, as forge reads it
				add(path.Join(path.Dir(u.name), imported.Path), filepath.Join(filepath.Dir(u.file), filepath.FromSlash(imported.Path)))
				continue
			}
			name := p.importedName(imported.Path, u.name)
			add(name, p.fileOf(name))
		}
	}
}

// IsSource reports whether a file, relative to root, is one of the sources of a
// project at root that has no build tool.
func IsSource(root, file string, options CompilerOptions) bool {
	p, err := openProject(root, options)
	if err != nil {
		return false
	}
	names, err := p.sources()
	return err == nil && slices.Contains(names, file)
}
