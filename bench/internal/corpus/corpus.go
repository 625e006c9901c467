// Package corpus builds the contracts that comparisons run on: our examples, and
// sources of ours or from npm packages, compiled as campaigns compile them.
package corpus

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/examples"
)

// Example reads the head side of an example: it is built as campaigns build it.
func Example(name string) (*compile.Output, error) {
	files, err := examples.Load(name)
	if err != nil {
		return nil, err
	}
	input, err := fs.ReadFile(files, "build/head.input.json")
	if err != nil {
		return nil, err
	}
	output, err := fs.ReadFile(files, "build/head.output.json")
	if err != nil {
		return nil, err
	}
	return compile.ReadSolc(input, output, name, reading.Limits{})
}

// Builder makes debug builds of folders of sources.
type Builder struct {
	Run     *harness.Run
	Modules string // the node_modules of what was installed, compilers among it
	// Peephole leaves solc's peephole optimizer on, as debug builds once did:
	// bench/targets has its targets in such code.
	Peephole bool
}

// skipped are files and folders that are not copied: tests, and of the Safe an
// unused file that requires solc 0.5.
var skipped = []string{"test", "examples", "mocks", "ViewStorageAccessible.sol"}

// Project copies a folder of sources and compiles it with a version of solc.
func (b *Builder) Project(ctx context.Context, name, version string, from fs.FS, folder string) ([]*compile.Output, error) {
	b.Run.Logf("compiling %s", name)
	cache := filepath.Dir(b.Modules)
	root := filepath.Join(cache, "projects", name)
	os.RemoveAll(root) // of an earlier run
	if err := copySources(filepath.Join(root, "src"), from, folder); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	options := solc.Options{NodeModules: []string{b.Modules}, Solc: filepath.Join(b.Modules, "solc-"+version)}
	debug := compile.DebugOptions{Cache: filepath.Join(b.Run.Cache, "builds", filepath.Base(cache)), Peephole: b.Peephole}
	outputs, err := project.CompileSources(ctx, root, options, debug)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return outputs, nil
}

// copySources copies the Solidity files of a folder.
func copySources(to string, from fs.FS, folder string) error {
	return fs.WalkDir(from, folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(skipped, path.Base(name)) && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".sol" || slices.Contains(skipped, path.Base(name)):
			return nil
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
}
