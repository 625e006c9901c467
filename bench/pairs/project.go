package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// lab is what all measurements need: the packages, the sightline binary, and a folder to work in.
type lab struct {
	run           *harness.Run
	tool          *harness.Tool
	modules, work string
}

// open prepares a measurement; close ends it.
func open(ctx context.Context, run *harness.Run) (*lab, error) {
	l := &lab{run: run}
	var err error
	if l.modules, err = run.Install(ctx, "pairs", packages()); err != nil {
		return nil, err
	}
	if l.tool, err = run.BuildTool(ctx); err != nil {
		return nil, err
	}
	l.work, err = os.MkdirTemp(run.Cache, "pairs-")
	return l, err
}

func (l *lab) close() { _ = os.RemoveAll(l.work) }

// solc is the compiler of a pair.
func (l *lab) solc(p pair) string { return filepath.Join(l.modules, "solc-"+p.solc) }

// makeProject makes the project of a pair at root.
func (l *lab) makeProject(ctx context.Context, root string, p pair) error {
	source, err := harnesses.ReadFile("harness/" + p.harness + ".sol")
	if err != nil {
		return err
	}
	return makeProject(ctx, root, filepath.Join(l.modules, alias(p.base)), filepath.Join(l.modules, alias(p.head)), string(source))
}

// makeProject makes a git repository at root whose commit is the base version
// and whose working tree is the head version: of the sources that differ and of
// what they import, and of the harness, which is the same in both.
func makeProject(ctx context.Context, root, base, head, harness string) error {
	old, err := readSources(base)
	if err != nil {
		return err
	}
	current, err := readSources(head)
	if err != nil {
		return err
	}
	var changed []string
	for name := range merged(old, current) { // sorted by whoever uses it
		if old[name] != current[name] {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return errors.New("the two versions have the same sources")
	}
	old[harnessName], current[harnessName] = harness, harness
	changed = append(changed, harnessName)
	if err := git(ctx, root, "init", "--quiet"); err != nil {
		return err
	}
	if err := writeNeeded(root, old, changed); err != nil {
		return err
	}
	if err := git(ctx, root, "add", "--all"); err != nil {
		return err
	}
	if err := commit(ctx, root, "base"); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(root, sourceFolder)); err != nil {
		return err
	}
	if err := writeNeeded(root, current, changed); err != nil {
		return err
	}
	return git(ctx, root, "add", "--all") // what is new is part of the change
}

// harnessName is the harness's place among the sources.
const harnessName = "Harness.sol"

// sourceFolder is where the package's sources are in its repository.
const sourceFolder = "contracts"

// readSources reads a package's Solidity files by their path in it.
func readSources(folder string) (map[string]string, error) {
	sources := map[string]string{}
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".sol" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, file)
		sources[filepath.ToSlash(name)] = string(text)
		return err
	})
	return sources, err
}

// merged holds the keys of both.
func merged[V any](a, b map[string]V) map[string]bool {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	return names
}

// writeNeeded writes the named sources, as far as this version has them, and
// what they import.
func writeNeeded(root string, texts map[string]string, names []string) error {
	queue := slices.Clone(names)
	done := map[string]bool{}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		text, has := texts[name]
		if done[name] || !has {
			continue
		}
		done[name] = true
		file := filepath.Join(root, sourceFolder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		for _, imported := range solidity.Imports([]byte(text)) {
			if !strings.HasPrefix(imported.Path, ".") {
				return fmt.Errorf("%s imports %s, which is not in the package", name, imported.Path)
			}
			queue = append(queue, path.Join(path.Dir(name), imported.Path))
		}
	}
	return nil
}

// commit commits what was added.
func commit(ctx context.Context, root, message string) error {
	return git(ctx, root, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "--message="+message)
}

// git runs git in a folder, which is made if it is missing, without the user's
// settings.
func git(ctx context.Context, folder string, args ...string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}
