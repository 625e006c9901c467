// Package files reads untrusted files, within size bounds and within a folder.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ReadBounded reads a file of at most limit bytes.
func ReadBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, limit) // a device or a pipe has no size
}

// Open opens a regular file to read it. Anything else is an error: a pipe would wait for its
// other end forever, and a device may have no end.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return regular(f)
}

// regular closes an open file unless it is a regular one.
func regular(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	} else if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadRegular is [ReadBounded] for a path that strangers may have arranged: it reads regular
// files alone.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, limit)
}

// readAll reads a file of at most limit bytes.
func readAll(f *os.File, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it has more than %d bytes, the limit", limit)
	}
	return data, err
}

// maxSource bounds a source file, bytes. Arbitrary: larger than any source that compilers
// take in practice.
const maxSource = 16 << 20

// Below returns a function that reads files below a folder, by slash-separated path.
// Symbolic links lead neither out of the folder, nor to hidden files, nor into .git.
func Below(root string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) { return readBelow(root, path, secret) }
}

// IsRegular reports whether there is a regular file at a path.
func IsRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Resolve follows the symbolic links in a path; it returns the path itself if it does not
// exist.
func Resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Plain strips paths from a file system error, for messages that already name it.
func Plain(err error) error {
	var pathError *fs.PathError
	var linkError *os.LinkError
	switch {
	case errors.As(err, &pathError):
		return pathError.Err
	case errors.As(err, &linkError):
		return linkError.Err
	}
	return err
}

// Cache returns a folder below the user's cache folder that keeps data between runs; empty
// if the system has no cache folder.
func Cache(name string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sightline", name)
}
