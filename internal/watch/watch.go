// Package watch tells when the sources of a project change.
package watch

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Interval is how often files are looked at, and how long they have to stay as they are before they count as saved: editors write
// in several steps. A walk through a thousand sources takes some milliseconds. Arbitrary.
const Interval = 200 * time.Millisecond

// skipped are folders that hold no sources, or those of others.
var skipped = []string{"node_modules", "out", "artifacts", "cache", "broadcast", "coverage", "typechain", "sightline-out"}

// watched are the ends of the names of files that a run depends on.
var watched = []string{".sol", ".vy", ".yul", "foundry.toml", "remappings.txt", "hardhat.config.js", "hardhat.config.ts", "hardhat.config.cjs", "truffle-config.js", "sightline.yml"}

// Files is what there was at one time, by path.
type Files map[string]file

type file struct {
	size    int64
	changed time.Time
}

// Look lists the sources and settings below a folder. What cannot be read is not there. Links are not followed, and hidden folders and those that
// builds write left out.
func Look(root string) Files {
	files := Files{}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a folder that has just gone
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (slices.Contains(skipped, name) || strings.HasPrefix(name, ".") && name != ".github") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.ContainsFunc(watched, func(end string) bool { return strings.HasSuffix(name, end) }) {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			files[path] = file{info.Size(), info.ModTime()}
		}
		return nil
	})
	return files
}

// Changed lists the files that are not as they were, in order: other ones, new ones and those that are gone.
func (f Files) Changed(since Files) []string {
	var list []string
	for path, now := range f {
		if was, ok := since[path]; !ok || was != now {
			list = append(list, path)
		}
	}
	for path := range since {
		if _, ok := f[path]; !ok {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// Next waits until files are not as they were, and then stay as they are for an [Interval]. It returns what there is then, or false if the context ends.
func Next(ctx context.Context, root string, since Files, sleep func(context.Context, time.Duration) error) (Files, bool) {
	last := since
	for {
		if sleep(ctx, Interval) != nil {
			return nil, false
		}
		now := Look(root)
		if !maps.Equal(now, since) && maps.Equal(now, last) {
			return now, true
		}
		last = now
	}
}
