package change

import (
	"io/fs"
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

// Everything is a project as it is, as a change that adds all of it: the sources that it ships.
func Everything(root string) (*Known, error) {
	root, err := AbsRoot(root)
	if err != nil {
		return nil, err
	}
	top := files.Resolve(root)
	if repository, err := (&git.Repository{Root: root}).Top(); err == nil {
		top = repository
	}
	d := &unified.Diff{}
	err = filepath.WalkDir(files.Resolve(root), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != files.Resolve(root) && (strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"node_modules", "lib", "out", "cache", "artifacts"}, e.Name())):
			return filepath.SkipDir
		case !e.Type().IsRegular() || !IsSource(path):
			return nil
		}
		name, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if role, _ := world.RoleOf(&bytecode.Contract{Source: name}); role != world.UnderTest {
			return nil
		}
		text, err := files.ReadBounded(path, unified.DefaultMaxBytes)
		if err != nil {
			return err
		}
		d.Files = append(d.Files, unified.AddedFile(name, text))
		return nil
	})
	switch {
	case err != nil:
		return nil, exit.BadInput("%s: %v", root, files.Plain(err))
	case len(d.Files) == 0:
		return nil, exit.CannotFuzz("%s: no source of contracts under test is there", root)
	}
	return &Known{Diff: d, About: report.Diff{Base: "nothing", Head: "working tree", Files: len(d.Files)}, Whole: true}, nil
}
