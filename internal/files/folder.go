package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// OpenFolder opens a folder to write in. Below the working directory, which may hold what
// strangers left, each folder on the way must be a real one: a symbolic link there could lead
// anywhere. With create, folders that do not exist are made.
func OpenFolder(name string, create bool) (*os.Root, error) {
	at, below, err := split(name)
	if err != nil {
		return nil, err
	}
	if below == "" { // elsewhere: whoever named it knows what is there
		if create {
			if err := os.MkdirAll(at, 0o755); err != nil {
				return nil, err
			}
		}
		return os.OpenRoot(at)
	}
	dir, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return OpenIn(dir, filepath.ToSlash(below), create)
}

// OpenIn opens a folder below another, by a path with slashes, as [OpenFolder] does.
func OpenIn(dir *os.Root, name string, create bool) (*os.Root, error) {
	at, err := dir.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for _, element := range strings.Split(path.Clean(name), "/") {
		if element == "." {
			continue
		}
		next, err := enter(at, element, create)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// enter opens a folder in another, not through a symbolic link, whatever is put there
// meanwhile.
func enter(dir *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	info, err := dir.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a symbolic link", name)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder", name)
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if there, err := next.Stat("."); err != nil || !os.SameFile(info, there) {
		next.Close()
		return nil, fmt.Errorf("%s is a symbolic link", name)
	}
	return next, nil
}

// split splits a path into the working directory and what is below it; below is empty where
// it is elsewhere.
func split(name string) (at, below string, err error) {
	if at, err = os.Getwd(); err != nil {
		return "", "", err
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	for _, base := range []string{at, Resolve(at)} {
		if rel, err := filepath.Rel(base, absolute); err == nil && rel != "." && filepath.IsLocal(rel) {
			return base, rel, nil
		}
	}
	return absolute, "", nil
}

// openIn opens a regular file of a folder.
func openIn(dir *os.Root, name string, flags int) (*os.File, error) {
	f, err := dir.OpenFile(name, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return regular(f)
}

// ReadIn reads a regular file of at most limit bytes in a folder, no symbolic link.
func ReadIn(dir *os.Root, name string, limit int64) ([]byte, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := openIn(dir, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.New("it is a symbolic link")
	}
	return readAll(f, limit)
}
