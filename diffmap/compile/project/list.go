package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// maxFolders bounds the folders that are looked into for projects. Arbitrary: a
// monorepo's own folders are a few thousand.
const maxFolders = 100_000

// List lists the folders of the projects below root, relative to it and with
// slashes, "." for root itself, in order: those with the configuration of a build tool.
// Dependencies do not count (node_modules, a project's lib, submodules), nor do what
// tools write and hidden folders. Without any configuration, root is the project.
func List(root string) ([]string, error) {
	var found []string
	folders := 0
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && file != root && errors.Is(err, fs.ErrPermission):
			return fs.SkipDir // nothing of it can be built
		case err != nil:
			return reading.Unreadable(root, err)
		case !entry.IsDir():
			return nil
		case file != root && holdsNoProject(file, entry.Name()):
			return fs.SkipDir
		}
		if folders++; folders > maxFolders {
			return &reading.Error{Origin: root, Kind: reading.ErrTooLarge, Problem: fmt.Sprintf("more than %d folders", maxFolders),
				Remedy: "give the project's folder with --root"}
		}
		if settings.IsConfigured(file) {
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
	return slices.Contains(sources.SkippedRootFolders, name) && settings.IsConfigured(filepath.Dir(folder))
}

// Holders lists the projects whose build holds one of the files: the one in whose
// folder the file lies, and those whose sources import it, by whatever name. rest
// are the files that none holds. Files are relative to root, with slashes; so are
// projects, see [List].
func Holders(root string, projects, files []string, options solc.Options) (holders, rest []string) {
	wanted := map[string]bool{} // by resolved path: whether a project holds it
	resolve := func(file string) string {
		joined := filepath.Join(root, filepath.FromSlash(file))
		if resolved, err := filepath.EvalSymlinks(joined); err == nil {
			return resolved
		}
		return joined
	}
	for _, file := range files {
		owner, owned := compile.Owner(projects, file)
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
func importsAny(root string, wanted map[string]bool, options solc.Options) bool {
	options.Root = root
	p, err := sources.Open(root, options)
	if err != nil {
		return settings.IsRefused(err) // it may import them, and the build says what is wrong
	}
	names, err := p.Names()
	if err != nil {
		return errors.Is(err, reading.ErrTooLarge)
	}
	found := false
	follow(p, names, func(file string) {
		if _, ok := wanted[file]; ok {
			wanted[file], found = true, true
		}
	})
	return found || p.Exhausted()
}

// Compiled lists those of the files that sources of the projects are compiled from, whatever
// they are called: what is imported need not be called .sol, and a .sol file may be a link. Files
// are relative to root, with slashes; so are projects, see [List].
func Compiled(root string, projects, files []string, options solc.Options) []string {
	names := map[string]string{} // by resolved path
	for _, file := range files {
		if resolved, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			names[resolved] = file
		}
	}
	var compiled []string
	everything(root, projects, options, func(file string) {
		if name := names[file]; name != "" && !slices.Contains(compiled, name) {
			compiled = append(compiled, name)
		}
	})
	return compiled
}

// Followed lists the files, symbolic links resolved, that sources of the projects are compiled from, as
// far as they are found. Projects are as in [List].
func Followed(root string, projects []string, options solc.Options) []string {
	var files []string
	everything(root, projects, options, func(file string) { files = append(files, filepath.ToSlash(file)) })
	return files
}

// everything visits the files, symbolic links resolved, that sources of the projects are compiled from.
func everything(root string, projects []string, options solc.Options, visit func(file string)) {
	for _, project := range projects {
		options.Root = filepath.Join(root, filepath.FromSlash(project))
		p, err := sources.Open(options.Root, options)
		if err != nil {
			continue // a build says what is wrong
		}
		if own, err := p.Names(); err == nil {
			follow(p, own, visit)
		}
	}
}

// follow visits the files, symbolic links resolved, of named sources and of what
// they import, each once, as far as they are found and the limits go.
func follow(p *sources.Tree, names []string, visit func(file string)) {
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
		add(name, filepath.Join(p.Root, filepath.FromSlash(name)))
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		visit(u.file)
		text, err := p.Read(u.file)
		if errors.Is(err, reading.ErrTooLarge) {
			return
		}
		for _, imported := range solidity.Imports(text) {
			if strings.HasPrefix(imported.Path, ".") { // as the file system has it, as forge reads it
				add(path.Join(path.Dir(u.name), imported.Path), filepath.Join(filepath.Dir(u.file), filepath.FromSlash(imported.Path)))
				continue
			}
			name := p.ImportedName(imported.Path, u.name)
			add(name, p.FileOf(name))
		}
	}
}

// IsSource reports whether a file, relative to root, is one of the sources of a
// project at root that has no build tool.
func IsSource(root, file string, options solc.Options) bool {
	p, err := sources.Open(root, options)
	if err != nil {
		return settings.IsRefused(err) // it may import them, and the build says what is wrong
	}
	names, err := p.Names()
	return err == nil && slices.Contains(names, file)
}
