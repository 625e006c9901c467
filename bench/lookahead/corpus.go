package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/frame"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/examples"
)

// own are contracts of ours: harnesses around OpenZeppelin's, and one that every
// compiler takes.
//
//go:embed contracts
var own embed.FS

// versions are the compilers that the plain contract is built with.
var versions = []string{"0.4.26", "0.5.17", "0.6.12", "0.7.6", "0.8.17", "0.8.30"}

// subject is a project: contracts that are built and deployed together.
type subject struct {
	name    string
	outputs []*build.Output
}

// subjects compiles everything: our examples, and what npm has.
func subjects(ctx context.Context, run *frame.Run) ([]subject, error) {
	packages := frame.Packages{
		"@openzeppelin/contracts":   "4.9.3",
		"@gnosis.pm/safe-contracts": "1.3.0",
		"@uniswap/v2-core":          "1.0.1",
	}.Solc("0.5.16").Solc(versions...)
	modules, err := run.Install(ctx, "lookahead", packages)
	if err != nil {
		return nil, err
	}
	var all []subject
	for _, name := range examples.Names() {
		output, err := example(name)
		if err != nil {
			return nil, err
		}
		all = append(all, subject{name, []*build.Output{output}})
	}
	b := builder{run: run, modules: modules}
	all = append(all, b.project(ctx, "OpenZeppelin 4.9.3", "0.8.17", own, "contracts/oz"))
	all = append(all, b.project(ctx, "Gnosis Safe 1.3.0", "0.7.6", os.DirFS(filepath.Join(modules, "@gnosis.pm/safe-contracts")), "contracts"))
	all = append(all, b.project(ctx, "Uniswap v2", "0.5.16", os.DirFS(filepath.Join(modules, "@uniswap/v2-core")), "contracts"))
	for _, v := range versions {
		all = append(all, b.project(ctx, "plain, solc "+v, v, own, "contracts/plain"))
	}
	return all, b.err
}

// example reads the head side of an example: it is built as campaigns build it.
func example(name string) (*build.Output, error) {
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
	return build.ReadSolc(input, output, name, build.Limits{})
}

// builder makes mapping builds until one fails.
type builder struct {
	run     *frame.Run
	modules string
	err     error
}

// project copies a folder of sources and compiles it with a version of solc.
func (b *builder) project(ctx context.Context, name, version string, from fs.FS, folder string) subject {
	if b.err != nil {
		return subject{}
	}
	b.run.Logf("compiling %s", name)
	root := filepath.Join(filepath.Dir(b.modules), "projects", name)
	options := build.CompilerOptions{NodeModules: []string{b.modules}, Solc: filepath.Join(b.modules, "solc-"+version)}
	var outputs []*build.Output
	os.RemoveAll(root) // of an earlier run
	if b.err = copySources(filepath.Join(root, "src"), from, folder); b.err == nil {
		outputs, b.err = build.CompileSources(ctx, root, options, build.MappingOptions{Cache: filepath.Join(b.run.Cache, "builds", "lookahead")})
	}
	if b.err != nil {
		b.err = fmt.Errorf("%s: %w", name, b.err)
	}
	return subject{name, outputs}
}

// copySources copies the Solidity files of a folder, tests apart.
func copySources(to string, from fs.FS, folder string) error {
	return fs.WalkDir(from, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := path.Base(name); base == "test" || base == "examples" {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".sol" || path.Base(name) == "ViewStorageAccessible.sol" { // of the Safe: nobody imports it, and it wants solc 0.5
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
