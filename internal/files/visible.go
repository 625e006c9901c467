package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ErrHidden is wrapped where a path leads to a hidden file.
var ErrHidden = errors.New("it is hidden")

// maxLinks bounds the symbolic links on the way to a file, as Linux does.
const maxLinks = 40

// Visible returns a function that reads files below a folder, by slash-separated path, as
// [Below] does, but no hidden ones at all: .git and .env hold secrets.
func Visible(root string) func(path string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		return readBelow(root, name, func(element string, _ bool) bool { return strings.HasPrefix(element, ".") })
	}
}

// readBelow reads a file below a folder.
func readBelow(root, name string, hides func(element string, linked bool) bool) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	real, err := resolveIn(dir, name, hides)
	if err != nil {
		return nil, err
	}
	return readReal(dir, real)
}

// secret reports whether an element of a path leads to what others than its author may have put
// there: a git directory, or a hidden file that a symbolic link has another name for.
func secret(element string, linked bool) bool {
	return strings.EqualFold(element, ".git") || linked && strings.HasPrefix(element, ".")
}

// resolveIn follows the symbolic links in a path below a folder. hides reports whether an
// element on the way, perhaps behind a link, is one that is not read.
func resolveIn(dir *os.Root, name string, hides func(element string, linked bool) bool) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", errors.New("the path leads out of the folder")
	}
	rest, done, links := strings.Split(path.Clean(name), "/"), ".", 0
	for len(rest) > 0 {
		element := rest[0]
		rest = rest[1:]
		switch {
		case element == "." || element == "":
			continue
		case element == "..":
			if done == "." {
				return "", errors.New("the path leads out of the folder")
			}
			done = path.Dir(done)
			continue
		case hides(element, links > 0):
			return "", fmt.Errorf("%w: %s", ErrHidden, element)
		}
		next := path.Join(done, element)
		info, err := dir.Lstat(filepath.FromSlash(next))
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many symbolic links")
		}
		to, err := dir.Readlink(filepath.FromSlash(next))
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			return "", errors.New("a symbolic link leads out of the folder")
		}
		rest = append(strings.Split(path.Clean(filepath.ToSlash(to)), "/"), rest...)
	}
	return done, nil
}

// readReal reads a file at a path without symbolic links: folder by folder, so that none that
// is put there meanwhile is followed.
func readReal(dir *os.Root, name string) ([]byte, error) {
	below, err := OpenIn(dir, path.Dir(name), false)
	if err != nil {
		return nil, err
	}
	defer below.Close()
	return ReadIn(below, path.Base(name), maxSource)
}
