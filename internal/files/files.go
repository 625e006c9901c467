// Package files reads files that strangers may have written: within bounds, and
// within a folder.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	return os.ReadFile(path)
}

// maxSource bounds a source file that is read, bytes; compilers take no larger ones
// in practice (arbitrary).
const maxSource = 16 << 20

// Below returns a reader of the files below a folder, whose paths have slashes.
// Symbolic links do not lead out of it.
func Below(root string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		dir, err := os.OpenRoot(root)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		f, err := dir.Open(filepath.FromSlash(path))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
		if err == nil && len(data) > maxSource {
			err = fmt.Errorf("%s is larger than %d bytes", path, maxSource)
		}
		return data, err
	}
}

// IsRegular reports whether there is a regular file at a path.
func IsRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Resolve follows the symbolic links in a path, as far as there is a file.
func Resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Plain is an error of the file system without the path, which the message
// around it names already.
func Plain(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// Cache is the folder that keeps something between runs, below the user's cache; empty
// when the system names no place for it.
func Cache(name string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sightline", name)
}
