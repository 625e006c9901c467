package seeds

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/files"
)

// Bounds of what is read. Corpora have a few hundred files of a few kB: a hundred calls with large
// arguments make about 1 MB. All of them are arbitrary beyond that.
const (
	maxFileSize = 4 << 20  // bytes of a file, also once it is uncompressed
	maxBytes    = 64 << 20 // of all files of a source, likewise
	maxFiles    = 16_384   // with sequences, of a source
	maxEntries  = 1 << 17  // files and folders that are looked at
	maxDepth    = 16       // folders in folders; forge's have 6
)

// found is a file that may have a sequence.
type found struct {
	name string // below the source, with slashes
	data []byte
}

// folderReader reads the files of a folder.
type folderReader struct {
	root    *os.Root
	entries int
	bytes   int
	files   []found
	large   int // files beyond a bound
	unread  int // files that could not be read
}

// errFull ends a walk once a bound is reached.
var errFull = errors.New("full")

// readSource reads the files of a source that may have sequences, in order of their paths. A
// symbolic link is not followed, but for the source itself outside of the working directory.
func readSource(name string) (*folderReader, error) {
	r := &folderReader{}
	info, err := os.Lstat(name)
	if err != nil {
		return nil, files.Plain(err)
	}
	if !info.IsDir() {
		folder, err := files.OpenFolder(filepath.Dir(name), false)
		if err != nil {
			return nil, files.Plain(err)
		}
		defer folder.Close()
		r.root = folder
		data, err := r.read(filepath.Base(name))
		if err != nil {
			return nil, files.Plain(err)
		}
		r.files = []found{{filepath.ToSlash(name), data}}
		return r, nil
	}
	if r.root, err = files.OpenFolder(name, false); err != nil {
		return nil, files.Plain(err)
	}
	defer r.root.Close()
	if err := r.walk(".", 0); err != nil && !errors.Is(err, errFull) {
		return nil, files.Plain(err)
	}
	return r, nil
}

// walk reads the files of a folder, and of those in it.
func (r *folderReader) walk(name string, depth int) error {
	folder, err := files.OpenIn(r.root, name, false)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(folder.FS(), ".")
	folder.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		at := path.Join(name, e.Name())
		if r.entries++; r.entries > maxEntries {
			return errFull
		}
		switch {
		case e.IsDir() && e.Name() != ".git" && depth < maxDepth:
			if err := r.walk(at, depth+1); err != nil {
				return err
			}
		case e.Type().IsRegular() && named(at):
			if err := r.add(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// named reports whether a file has a name that the fuzzers give to sequences.
func named(name string) bool {
	switch path.Ext(name) {
	case ".txt", ".json", ".gz", ".seq":
		return true
	case "":
		return inForgesFailures(name)
	}
	return false
}

// inForgesFailures reports whether forge writes failures to such a path: failures/Contract/test.
func inForgesFailures(name string) bool {
	folders := strings.Split(path.Dir(name), "/")
	n := len(folders)
	return n >= 2 && folders[n-2] == "failures" || n == 1 // the source may be any folder of theirs
}

// add reads a file; errFull ends the walk.
func (r *folderReader) add(name string) error {
	if len(r.files) == maxFiles || r.bytes >= maxBytes {
		r.large++
		return errFull
	}
	data, err := r.read(name)
	switch {
	case errors.Is(err, errLarge):
		r.large++
	case err != nil:
		r.unread++
	case formatOf(data) != "":
		r.bytes += len(data)
		r.files = append(r.files, found{name, data})
	}
	return nil
}

// errLarge is that a file is larger than what is read.
var errLarge = fmt.Errorf("it has more than %d bytes", maxFileSize)

// read reads a file of the folder, and uncompresses it.
func (r *folderReader) read(name string) ([]byte, error) {
	folder, err := files.OpenIn(r.root, path.Dir(name), false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if info, err := folder.Lstat(path.Base(name)); err == nil && info.Size() > maxFileSize {
		return nil, errLarge
	}
	data, err := files.ReadIn(folder, path.Base(name), maxFileSize)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return data, err
	}
	return uncompress(data)
}

// uncompress is the content of a gzip file.
func uncompress(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a gzip file: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, maxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("not all of a gzip file: %w", err)
	}
	if len(out) > maxFileSize {
		return nil, errLarge
	}
	return out, nil
}
