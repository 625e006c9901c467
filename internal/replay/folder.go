package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
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
// report.json, which names the others, last. No symbolic link is followed, in the folder or
// on the way to it from the working directory.
func (b Bundle) WriteFolder(dir string) error {
	folder, err := files.OpenFolder(dir, true)
	if err != nil {
		return outputError(dir, err)
	}
	defer folder.Close()
	for _, o := range ours {
		if err := removeEarlier(folder, o.folder, o.limit, o.is); err != nil {
			return fmt.Errorf("cannot read %s: %w; name another folder with --out", filepath.Join(dir, o.folder), files.Plain(err))
		}
	}
	for _, name := range []string{WorldFile, SnapshotFile} {
		if _, written := b[name]; written {
			continue
		}
		if err := folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return outputError(filepath.Join(dir, name), err)
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(b)), func(name string) bool { return name == report.JSONFile })
	if _, written := b[report.JSONFile]; written {
		names = append(names, report.JSONFile)
	}
	for _, name := range names {
		if err := writeIn(folder, name, b[name]); err != nil {
			return outputError(filepath.Join(dir, filepath.FromSlash(name)), err)
		}
	}
	return nil
}

// writeIn writes a file below a folder, by a path with slashes.
func writeIn(folder *os.Root, name string, data []byte) error {
	below, err := files.OpenIn(folder, path.Dir(name), true)
	if err != nil {
		return err
	}
	defer below.Close()
	return atomicfile.WriteIn(below, path.Base(name), data)
}

// removeEarlier removes the files of a folder that an earlier run left.
func removeEarlier(in *os.Root, name string, limit int64, isOurs func(data []byte) bool) error {
	folder, err := files.OpenIn(in, name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue // not ours, and a pipe would not end
		}
		data, err := files.ReadIn(folder, entry.Name(), limit)
		if err != nil || !isOurs(data) {
			continue
		}
		if err := folder.Remove(entry.Name()); err != nil {
			return fmt.Errorf("%s, which an earlier run left, cannot be removed: %w", entry.Name(), files.Plain(err))
		}
	}
	return nil
}

// outputError names the file that could not be written, the cause, and the remedy.
func outputError(path string, err error) error {
	return fmt.Errorf("cannot write %s: %w; choose a writable folder with --out", path, files.Plain(err))
}
