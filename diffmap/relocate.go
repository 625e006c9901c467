package diffmap

import (
	"path"
	"strings"
)

// Relocate makes the paths of a diff relative to another folder, as patch -p
// does, for diffs of two folders (diff -ru old new) and for a project below the
// top of its repository. exists reports whether a path, clean and relative, is a
// file of that folder.
//
// It looks for the number of leading components without which most source files
// of the head side exist, the smallest one if several do equally well, removes
// them from these files and from every other path that begins with the same
// folders, and returns how many source files of the head side exist then. With
// 0 nothing was changed.
func (d *Diff) Relocate(exists func(path string) bool) int {
	best, found := 0, 0
	for n := 0; n <= maxStrip; n++ {
		count, longer := 0, false
		for i := range d.Files {
			name := d.Files[i].NewPath
			if !isSource(name) {
				continue
			}
			_, rest, ok := cutComponents(name, n)
			longer = longer || ok
			if ok && exists(rest) {
				count++
			}
		}
		if count > found {
			best, found = n, count
		}
		if !longer && n > 0 {
			break
		}
	}
	if found > 0 && best > 0 {
		d.strip(best, exists)
	}
	return found
}

// maxStrip bounds the components that Relocate removes. Arbitrary, far deeper
// than real projects lie.
const maxStrip = 64

// strip removes n components from the paths that begin like those of the source
// files that exist without them.
func (d *Diff) strip(n int, exists func(string) bool) {
	folders := map[string]bool{}
	for i := range d.Files {
		f := &d.Files[i]
		if prefix, rest, ok := cutComponents(f.NewPath, n); ok && isSource(rest) && exists(rest) {
			folders[prefix] = true
			if prefix, _, ok := cutComponents(f.OldPath, n); ok {
				folders[prefix] = true
			}
		}
	}
	for i := range d.Files {
		for _, name := range []*string{&d.Files[i].OldPath, &d.Files[i].NewPath} {
			if prefix, rest, ok := cutComponents(*name, n); ok && folders[prefix] {
				*name = rest
			}
		}
	}
}

// cutComponents splits a path behind its first n components. It fails if the rest
// would be empty, absolute or point out of the folder.
func cutComponents(name string, n int) (prefix, rest string, ok bool) {
	rest = name
	for ; n > 0; n-- {
		var component string
		if component, rest, ok = strings.Cut(rest, "/"); !ok {
			return "", "", false
		}
		prefix += component + "/"
	}
	return prefix, rest, rest != "" && !path.IsAbs(rest) && path.Clean(rest) == rest && rest != ".." && !strings.HasPrefix(rest, "../")
}
