package git

import (
	"context"
	"path/filepath"
	"strings"
)

// Tracked returns a function that reports whether git tracks a file of the working tree: the
// index or HEAD names it, or a symbolic link or submodule that leads to it. It is false for
// files elsewhere.
func (g *Repository) Tracked(ctx context.Context) (func(file string) bool, error) {
	const op = "list the tracked files"
	top, err := g.Top()
	if err != nil {
		return nil, err
	}
	closing, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closing()
	lists := [][]string{{"ls-files", "-z"}}
	if _, err := g.resolve(ctx, "HEAD"); err == nil { // a new repository has no commit
		lists = append(lists, []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"})
	}
	names := map[string]bool{}
	for _, args := range lists {
		out, err := g.run(ctx, op, args...)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(string(out), "\x00") {
			names[name] = name != ""
		}
	}
	return func(file string) bool {
		// Both as it is written and where it leads: either may be a tracked link.
		for _, path := range []string{asWritten(file, top), resolved(file)} {
			if below, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(below) && tracks(names, filepath.ToSlash(below)) {
				return true
			}
		}
		return false
	}, nil
}

// tracks reports whether a name or a folder of it is among those of git, which has a name
// for each file, link and submodule.
func tracks(names map[string]bool, name string) bool {
	for {
		if names[name] {
			return true
		}
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			return false
		}
		name = name[:slash]
	}
}

// resolved follows all symbolic links. It returns the path itself if the file does not exist.
func resolved(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return file
}

// asWritten is a file's path as it is written, below the top folder: links that lead to the
// working tree are followed, those in it are not.
func asWritten(file, top string) string {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	written := absolute
	for dir := filepath.Dir(absolute); ; dir = filepath.Dir(dir) {
		if below, err := filepath.Rel(dir, absolute); err == nil && resolved(dir) == top {
			written = filepath.Join(top, below) // of several, the outermost counts
		}
		if dir == filepath.Dir(dir) {
			return written
		}
	}
}
