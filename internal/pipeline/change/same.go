package change

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// This file finds changes whose texts alone say that no code changed: then nothing is built. What
// it cannot prove is left to the builds.

// sameCode reports whether every changed source has the code of its base version, and nothing else
// changed that builds depend on, and notes which sources these are.
func (c *Change) sameCode() bool {
	if c.whole || len(c.options.Builds)+len(c.options.BaseBuilds) > 0 || c.deps.others() || c.changesLanguage() || len(c.deps.diff.Files) > 0 {
		return false
	}
	renamed := map[string]string{} // by the old path
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		if f.Status == unified.Renamed && solidity.IsSource(f.OldPath) {
			if !c.staysAmongSources(f) {
				return false
			}
			renamed[f.OldPath] = f.NewPath
		}
	}
	if len(renamed) > 0 && !c.onlyChangedImport(renamed) {
		return false
	}
	units := &units{renamed: renamed}
	same := map[string]bool{}
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		if f.Submodule || f.Symlink {
			return false
		}
		if !IsSource(f.Path()) {
			continue
		}
		if !f.ModeOnly && !c.sameText(f, units) {
			return false
		}
		same[f.NewPath] = true
	}
	c.Paths.Same = same
	return len(same) > 0
}

// sameText reports whether a changed source has the code of its base version.
func (c *Change) sameText(f *unified.File, units *units) bool {
	if f.Status != unified.Modified && f.Status != unified.Renamed || f.Binary || path.Ext(f.NewPath) != ".sol" || path.Ext(f.OldPath) != ".sol" {
		return false
	}
	head, err := c.read(f.NewPath)
	if err != nil {
		return false // others say so
	}
	base, err := f.OldText(head)
	if err != nil {
		return false
	}
	now, ok := solidity.Code(head, func(imported string) string { return units.imported(imported, f.NewPath) })
	if !ok {
		return false
	}
	if f.OldPath != f.NewPath && !c.importsAlike(f) {
		return false
	}
	before, ok := solidity.Code(base, func(imported string) string { return units.ofBase(imported, f.OldPath) })
	return ok && slices.Equal(before, now)
}

// staysAmongSources reports whether a renamed source is as much the project's as it was: below the
// same folder of sources, under its own name, and with the same role.
func (c *Change) staysAmongSources(f *unified.File) bool {
	folder := func(file string) string {
		folders := strings.Split(path.Dir(file), "/")
		at := slices.IndexFunc(folders, func(name string) bool { return name == "src" || name == "contracts" })
		return strings.Join(folders[:at+1], "/")
	}
	return folder(f.OldPath) != "" && folder(f.OldPath) == folder(f.NewPath) && path.Base(f.OldPath) == path.Base(f.NewPath) &&
		roleOfFile(f.OldPath) == roleOfFile(f.NewPath) && c.ignored(f.OldPath) == c.ignored(f.NewPath)
}

// importsAlike reports whether no remapping makes a renamed file's imports mean something else in its
// new place.
func (c *Change) importsAlike(f *unified.File) bool {
	folders, err := project.List(c.Root)
	if err != nil {
		return false
	}
	below, inside := belowRoot(f.NewPath, c.Paths.Root)
	owner, owned := compile.Owner(folders, below)
	if !inside || !owned {
		return false
	}
	tree, err := sources.Open(c.compilersIn(owner).Root, solc.Options{Root: c.Root, Repository: c.Paths.Checkout})
	if err != nil {
		return false
	}
	name := func(file string) string {
		below, _ := belowRoot(file, path.Join(filepath.ToSlash(c.Paths.Root), owner))
		return below
	}
	return !slices.ContainsFunc(tree.Remappings, func(r sources.Remapping) bool {
		place, _, _ := strings.Cut(r.String(), "=")
		context, _, there := strings.Cut(place, ":")
		return there && strings.HasPrefix(name(f.OldPath), context) != strings.HasPrefix(name(f.NewPath), context)
	})
}

// onlyChangedImport reports whether no source outside of the diff may import one of the renamed
// files, from its old or its new place: none imports a file of the name.
func (c *Change) onlyChangedImport(renamed map[string]string) bool {
	names := map[string]bool{}
	for old := range renamed {
		names[path.Base(old)] = true
	}
	folders, err := project.List(c.Root)
	if err != nil {
		return false
	}
	for _, file := range project.Followed(c.Root, folders, solc.Options{Root: c.Root, Repository: c.Paths.Checkout}) {
		relative, err := filepath.Rel(c.Paths.Checkout, filepath.FromSlash(file))
		if err != nil {
			return false
		}
		if c.touches(file) {
			continue
		}
		text, err := c.read(filepath.ToSlash(relative))
		if err != nil {
			return false
		}
		if slices.ContainsFunc(solidity.Imports(text), func(i solidity.Import) bool { return names[path.Base(i.Path)] }) {
			return false
		}
	}
	return true
}

// units says which source units imports stand for: of relative ones, the file in the repository, which is
// told from a name that is not relative and may be remapped.
type units struct {
	renamed map[string]string // files, by the base's path
}

// imported is what an import of a file stands for.
func (u *units) imported(imported, file string) string {
	if place, relative := besides(imported, file); relative {
		return "file " + place
	}
	return "name " + imported
}

// ofBase is what an import of a file of the base stood for, under the name that this has now.
func (u *units) ofBase(imported, file string) string {
	place, relative := besides(imported, file)
	if now, moved := u.renamed[place]; relative && moved {
		return "file " + now
	}
	return u.imported(imported, file)
}

// besides is the file that a relative import of a file means; false for other imports.
func besides(imported, file string) (place string, relative bool) {
	if !strings.HasPrefix(imported, "./") && !strings.HasPrefix(imported, "../") {
		return "", false
	}
	return path.Join(path.Dir(file), imported), true
}
