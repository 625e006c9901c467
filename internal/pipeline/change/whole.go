package change

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/report"
)

// Everything is a project as it is, as a change that adds all of it: the sources that it ships, or
// those at some paths, files and folders below its root.
func Everything(root string, paths ...string) (*Known, error) {
	root, err := AbsRoot(root)
	if err != nil {
		return nil, err
	}
	w := &whole{top: files.Resolve(root), diff: &unified.Diff{}}
	if repository, err := (&git.Repository{Root: root}).Top(); err == nil {
		w.top = repository
	}
	if len(paths) == 0 {
		paths = []string{root}
	}
	for _, named := range paths {
		at, err := below(root, named)
		if err != nil {
			return nil, err
		}
		if err := filepath.WalkDir(at, func(path string, e fs.DirEntry, err error) error { return w.visit(at, path, e, err) }); err != nil {
			return nil, exit.BadInput("%s: %v", named, files.Plain(err))
		}
	}
	if len(w.diff.Files) == 0 {
		return nil, exit.CannotFuzz("%s: no source of contracts under test is there", strings.Join(paths, ", "))
	}
	return &Known{Diff: w.diff, About: report.Diff{Base: "nothing", Head: "working tree", Files: len(w.diff.Files)}, Whole: true}, nil
}

// below is where a path is, relative to the folder of the caller or else to the root, which it must
// not leave.
func below(root, named string) (string, error) {
	at := named
	if _, err := os.Stat(at); err != nil && !filepath.IsAbs(named) {
		at = filepath.Join(root, named)
	}
	at, err := filepath.Abs(at)
	if err != nil {
		return "", exit.BadInput("%s: %w", named, err)
	}
	if _, err := os.Stat(at); err != nil {
		return "", exit.BadInput("%s: %v", named, files.Plain(err))
	}
	at = files.Resolve(at)
	if inside, err := filepath.Rel(files.Resolve(root), at); err != nil || !filepath.IsLocal(inside) {
		return "", exit.BadInput("%s is not below --root", named)
	}
	return at, nil
}

// notOwn are folders whose sources are not the project's own.
var notOwn = []string{"node_modules", "lib", "out", "cache", "artifacts"}

// whole collects the sources of a project.
type whole struct {
	top  string // that names are relative to
	diff *unified.Diff
}

// visit takes a file below a folder, or that file itself, if it is a source of contracts under test.
func (w *whole) visit(from, path string, e fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case e.IsDir() && path != from && (strings.HasPrefix(e.Name(), ".") || slices.Contains(notOwn, e.Name())):
		return filepath.SkipDir
	case !e.Type().IsRegular() || !IsSource(path):
		return nil
	}
	name, err := filepath.Rel(w.top, path)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	if role, _ := world.RoleOf(&bytecode.Contract{Source: name}); role != world.UnderTest {
		return nil
	}
	if slices.ContainsFunc(w.diff.Files, func(f unified.File) bool { return f.NewPath == name }) {
		return nil // named twice
	}
	text, err := files.ReadBounded(path, unified.DefaultMaxBytes)
	if err != nil {
		return err
	}
	w.diff.Files = append(w.diff.Files, unified.AddedFile(name, text))
	return nil
}
