package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// kind is a way to compile a project.
type kind struct {
	name     string
	settings map[string]any // nil: what compile.DebugBuild chooses
	mapping  bool           // keeps every line: can be mapped
	newOnly  bool           // for the newer of the two compilers: the older cannot, or makes nothing else of it
}

// pruner is what the debug build through the intermediate language uses, see
// compile.DebugBuild.
var pruner = map[string]any{"enabled": false, "details": map[string]any{
	"yul": true, "yulDetails": map[string]any{"stackAllocation": true, "optimizerSteps": "u:"},
}}

// kinds are the builds that run the same calls. The first is the reference.
var kinds = []kind{
	{name: "debug", mapping: true},
	{name: "optimizer off", settings: map[string]any{"optimizer": map[string]any{"enabled": false}}, mapping: true, newOnly: true},
	{name: "debug, via-IR", settings: map[string]any{"optimizer": pruner, "viaIR": true}, mapping: true, newOnly: true},
	{name: "shipped, optimizer", settings: map[string]any{"optimizer": map[string]any{"enabled": true, "runs": 200}}},
	{name: "shipped, via-IR", settings: map[string]any{"optimizer": map[string]any{"enabled": true, "runs": 200}, "viaIR": true}, newOnly: true},
}

// forgeKind is how forge coverage compiles: an empty "optimizer", which for old
// compilers is less than one that is not enabled (no peephole optimizer either).
// forge knows the code it has compiled, and no other.
var forgeKind = kind{name: "as forge compiles it", settings: map[string]any{"optimizer": map[string]any{}}}

// outputs is what is asked of the compiler.
var outputs = map[string]any{"*": map[string]any{"": []string{"ast"}, "*": []string{
	"abi", "storageLayout", "evm.bytecode.object", "evm.bytecode.sourceMap", "evm.bytecode.linkReferences",
	"evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap", "evm.deployedBytecode.linkReferences",
	"evm.deployedBytecode.immutableReferences",
}}}

// compileWith compiles sources in one of the ways.
func (b *bench) compileWith(ctx context.Context, p *project, sources map[string]string, k kind) (*compile.Output, error) {
	compiler, err := solc.Find(ctx, []string{p.solc}, solc.Options{NodeModules: []string{b.modules}})
	if err != nil {
		return nil, err
	}
	contents := map[string]any{}
	for name, text := range sources {
		contents[name] = map[string]any{"content": text}
	}
	settings := map[string]any{"evmVersion": p.evm, "outputSelection": outputs}
	for name, value := range k.settings {
		settings[name] = value
	}
	text, err := json.Marshal(map[string]any{"language": "Solidity", "sources": contents, "settings": settings})
	if err != nil {
		return nil, err
	}
	if k.settings == nil {
		o, err := compile.DebugBuild(ctx, text, compiler, compile.DebugOptions{Cache: filepath.Join(b.work, "builds")})
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", p.name, k.name, err)
		}
		return o, nil
	}
	compiled, err := b.cached(compiler.Version(), text, func() ([]byte, error) { return compiler.Compile(ctx, text) })
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", p.name, k.name, err)
	}
	o, err := compile.ReadSolc(text, compiled, "solc "+p.solc, reading.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", p.name, k.name, err)
	}
	if k.mapping {
		o.MarkDebug()
		all := func(*compile.Source, *compile.Node) bool { return true }
		err = o.LocateAssembly(ctx, solc.Options{NodeModules: []string{b.modules}}, compile.DebugOptions{Cache: filepath.Join(b.work, "builds")}, all)
	}
	return o, err
}

// cached takes what the same compiler answered before.
func (b *bench) cached(version string, input []byte, compile func() ([]byte, error)) ([]byte, error) {
	hash := sha256.Sum256(append([]byte(version+"\x00"), input...))
	file := filepath.Join(b.work, "builds", hex.EncodeToString(hash[:12])+".json")
	if text, err := os.ReadFile(file); err == nil {
		return text, nil
	}
	text, err := compile()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return text, os.WriteFile(file, text, 0o600)
}
