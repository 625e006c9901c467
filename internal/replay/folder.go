package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/report"
)

// Bounds of the files that are read, bytes: world.json of a hundred contracts has about
// 10 MB, and so has the World of a fault or an upgrade; the largest reproducer has 64
// calls of 4,096 words (input.MaxCallWords) of up to 78 digits.
const (
	maxSnapshot   = 1 << 30
	maxReproducer = 32 << 20
)

// ours are the folders whose files a run replaces, and how its own files are recognized.
var ours = []struct {
	folder string
	limit  int64
	is     func(data []byte) bool
}{
	{ReproducerFolder, maxReproducer, func(data []byte) bool {
		_, err := ReadReproducer(data)
		return err == nil
	}},
	{UpgradeFolder, maxSnapshot, IsUpgrade},
	{FaultFolder, maxSnapshot, IsFault},
}

// WriteFolder writes the files of a run into the folder dir, which is made if it does not
// exist, and removes those that an earlier run left there: a run's
// files replace those of an earlier one. Files of anyone else stay. Each file appears whole or not at all, and
// report.json, which names the others, last.
func (b Bundle) WriteFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return outputError(dir, err)
	}
	for _, o := range ours {
		if err := removeEarlier(filepath.Join(dir, o.folder), o.limit, o.is); err != nil {
			return err
		}
	}
	for _, name := range []string{WorldFile, SnapshotFile} {
		if _, written := b[name]; written {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return outputError(filepath.Join(dir, name), err)
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(b)), func(name string) bool { return name == report.JSONFile })
	if _, written := b[report.JSONFile]; written {
		names = append(names, report.JSONFile)
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := atomicfile.WriteInFolder(path, b[name]); err != nil {
			return outputError(path, err)
		}
	}
	return nil
}

// removeEarlier removes the files of a folder that an earlier run left.
func removeEarlier(dir string, limit int64, isOurs func(data []byte) bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w; name another folder with --out", dir, files.Plain(err))
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue // not ours, and a pipe would not end
		}
		path := filepath.Join(dir, entry.Name())
		data, err := files.ReadBounded(path, limit)
		if err != nil || !isOurs(data) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("cannot remove %s, which an earlier run left: %w; name another folder with --out", path, files.Plain(err))
		}
	}
	return nil
}

// outputError names the file that could not be written, the cause, and the remedy.
func outputError(path string, err error) error {
	return fmt.Errorf("cannot write %s: %w; choose a writable folder with --out", path, files.Plain(err))
}
