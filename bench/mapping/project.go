package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// The project, and the compiler that its build was made with.
const (
	packageName    = "@aave/core-v3"
	packageVersion = "1.19.3"
	solcVersion    = "0.8.10"
)

// Folders of the package.
const (
	sources = "contracts"
	texts   = "types" // what goes with the sources: bindings in TypeScript
	builds  = "artifacts/build-info"
)

// files is the size of the pull request: what GitHub shows of one at most.
const files = 300

// pullRequest adds every source of the package, and as many of its other files
// as a pull request of that size has besides.
type pullRequest struct {
	root, diff, build string // absolute paths
	files             int
	lines             int // of sources
}

// makePullRequest makes it in a folder: the head version of its files, and the
// diff.
func makePullRequest(folder, from string) (*pullRequest, error) {
	pr := &pullRequest{root: filepath.Join(folder, "project"), diff: filepath.Join(folder, "all.diff"), files: files}
	found, err := list(from, builds, ".json")
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%s ships %d builds, want one", packageName, len(found))
	}
	if err != nil {
		return nil, err
	}
	pr.build = filepath.Join(from, filepath.FromSlash(found[0]))
	names, err := list(from, sources, ".sol")
	if err != nil {
		return nil, err
	}
	more, err := list(from, texts, ".ts")
	if err != nil {
		return nil, err
	}
	if len(names) > files || len(names)+len(more) < files {
		return nil, fmt.Errorf("%s has %d sources and %d other files, which do not make %d", packageName, len(names), len(more), files)
	}
	names = append(names, more[:files-len(names)]...)
	if err := os.RemoveAll(pr.root); err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == ".sol" {
			pr.lines += countLines(text)
		}
		target := filepath.Join(pr.root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, text, 0o600)); err != nil {
			return nil, err
		}
	}
	diff, err := harness.AddFiles(pr.root, names)
	if err != nil {
		return nil, err
	}
	return pr, os.WriteFile(pr.diff, diff, 0o600)
}

// list names the files below a folder of a package that end in a certain way, in
// order.
func list(from, folder, end string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(from), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(name, end) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// countLines counts lines, one without a line end among them.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
