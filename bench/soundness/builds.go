package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/report"
)

// solcVersion is the newest compiler that the project's other tests use.
const solcVersion = "0.8.30"

// sourceName is the program's file in its project.
const sourceName = "src/P.sol"

// way is a way to make a release build.
type way struct {
	name      string
	optimizer bool
	viaIR     bool
}

var ways = []way{
	{"legacy", false, false},
	{"legacy, optimizer", true, false},
	{"via IR", false, true},
	{"via IR, optimizer", true, true},
}

// builder compiles programs with a compiler that stays loaded.
type builder struct {
	compiler *solc.Compiler
	path     string // of the compiler's package
	work     string // folder for what is of no use after the run
	ways     []way
	projects int
}

func newBuilder(ctx context.Context, path, work string) (*builder, error) {
	compiler, err := solc.Open(ctx, path, reading.Limits{})
	if err != nil {
		return nil, err
	}
	return &builder{compiler: compiler, path: path, work: work, ways: ways}, nil
}

// Version is part of [compile.Compiler].
func (b *builder) Version() string { return b.compiler.Version() }

// Compile is part of [compile.Compiler].
func (b *builder) Compile(_ context.Context, input []byte) ([]byte, error) {
	return soljson.Compile(b.compiler.Path(), input)
}

// selection is what is asked of the compiler.
var selection = map[string]any{"*": map[string]any{"": []string{"ast"}, "*": []string{
	"abi", "evm.bytecode.object", "evm.bytecode.sourceMap", "evm.bytecode.linkReferences",
	"evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap", "evm.deployedBytecode.linkReferences",
	"evm.deployedBytecode.immutableReferences",
}}}

// project is a program on disk, which is new as a whole.
type project struct {
	root string
	diff *unified.Diff
}

// newProject writes a program.
func (b *builder) newProject(text string) (*project, error) {
	b.projects++
	p := &project{root: filepath.Join(b.work, fmt.Sprintf("project-%d", b.projects))}
	file := filepath.Join(p.root, filepath.FromSlash(sourceName))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	diff, err := harness.AddFiles(p.root, []string{sourceName})
	if err != nil {
		return nil, err
	}
	p.diff, err = unified.Parse(diff, unified.Limits{})
	return p, err
}

// build builds the program in one way, as its project would, and has the compiler's answers
// for the debug build ready where the job looks for them: it would start a compiler for each.
func (b *builder) build(ctx context.Context, p *project, text string, w way) (*change.Options, error) {
	settings := map[string]any{"outputSelection": selection, "optimizer": map[string]any{"enabled": w.optimizer}}
	if w.viaIR {
		maps.Copy(settings, map[string]any{"viaIR": true})
	}
	input, err := json.Marshal(map[string]any{"language": "Solidity", "settings": settings,
		"sources": map[string]any{sourceName: map[string]any{"content": text}}})
	if err != nil {
		return nil, err
	}
	output, err := b.Compile(ctx, input)
	if err != nil {
		return nil, err
	}
	read, err := compile.ReadSolc(input, output, w.name, reading.Limits{})
	if err != nil {
		return nil, err
	}
	if read.Obstacle() != "" {
		if _, err := compile.DebugBuild(ctx, read.Input, b, compile.DebugOptions{Cache: files.Cache("builds")}); err != nil {
			return nil, err
		}
	}
	name := filepath.Join(p.root, "build", fmt.Sprintf("%t-%t", w.optimizer, w.viaIR))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	for end, data := range map[string][]byte{".input.json": input, ".output.json": output} {
		if err := os.WriteFile(name+end, data, 0o600); err != nil {
			return nil, err
		}
	}
	return &change.Options{
		Root: p.root, Builds: []string{name + ".output.json"}, Solc: b.path,
		Known: &change.Known{Diff: p.diff, About: report.Diff{Head: "a random program"}, Whole: true},
	}, nil
}
