package config

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/seeds"
)

// maxSeeds bounds the corpora of a run; arbitrary.
const maxSeeds = 64

// seedSources are the corpora that a run begins with: those that were asked for, then those that other
// fuzzers' configurations name. Paths of a configuration are relative to the project's folder, those of
// a command line to the working directory.
func (s *Settings) seedSources() ([]seeds.Source, error) {
	if len(s.seeds) > maxSeeds {
		return nil, exit.BadInput("--seeds: %d of them, at most %d are read", len(s.seeds), maxSeeds)
	}
	var sources []seeds.Source
	for _, name := range s.seeds {
		if name == seeds.None {
			continue
		}
		path := filepath.FromSlash(name)
		if s.seedsConfigured && !filepath.IsAbs(path) {
			path = filepath.Join(s.options.Change.Root, path)
		}
		if _, err := os.Lstat(path); name == "" || err != nil && !s.seedsConfigured {
			return nil, s.setAt("seeds", exit.BadInput("--seeds %q cannot be read: %v; name a file or folder of a corpus", human.Printable(name), files.Plain(err)))
		}
		sources = append(sources, seeds.Source{Name: name, Path: path})
	}
	if slices.Contains(s.seeds, seeds.None) {
		if len(sources) > 0 {
			return nil, s.setAt("seeds", exit.BadInput("--seeds %s and other --seeds are mutually exclusive", seeds.None))
		}
		return nil, nil
	}
	for _, c := range s.imported.corpora {
		path := filepath.Join(s.options.Change.Root, filepath.FromSlash(c.folder))
		if slices.ContainsFunc(sources, func(other seeds.Source) bool { return filepath.Clean(other.Path) == path }) {
			continue
		}
		sources = append(sources, seeds.Source{Name: c.folder, Path: path, Config: c.file})
	}
	return sources, nil
}
