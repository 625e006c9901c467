package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
)

// This file compiles what a change concerns of a Foundry project in forge's place: forge is asked
// for its configuration alone, which takes 30 ms. Measured, its own builds take as long as a
// compiler takes for the whole project, and are of no use but for their settings: lines are only
// told apart in a debug build.

// foundryConfig is what forge says of its configuration ("forge config --json") that decides
// what its builds are. Remappings are complete: those of all files, those that forge infers,
// and those of the profile in use.
type foundryConfig struct {
	Source     string   `json:"src"`
	Test       string   `json:"test"`
	Script     string   `json:"script"`
	Libs       []string `json:"libs"`
	Skip       []string `json:"skip"`
	Remappings []string `json:"remappings"`
	Libraries  []string `json:"libraries"` // FILE:NAME:ADDRESS

	Solc             string         `json:"solc"` // a version or a path; empty: by the pragmas
	EVMVersion       string         `json:"evm_version"`
	ViaIR            bool           `json:"via_ir"`
	Optimizer        bool           `json:"optimizer"`
	OptimizerRuns    *uint64        `json:"optimizer_runs"`
	OptimizerDetails map[string]any `json:"optimizer_details"`
	LiteralContent   bool           `json:"use_literal_content"`
	BytecodeHash     string         `json:"bytecode_hash"`
	CBORMetadata     *bool          `json:"cbor_metadata"`
	RevertStrings    string         `json:"revert_strings"`

	// Settings that differ between sources.
	Profiles     []json.RawMessage `json:"additional_compiler_profiles"`
	Restrictions []json.RawMessage `json:"compilation_restrictions"`
}

// errForge says that a build is left to forge itself.
var errForge = errors.New("forge has to build it")

// layout is where the configured project has its sources.
func (c *foundryConfig) layout() settings.Layout {
	folder := func(name, otherwise string) string {
		if filepath.IsLocal(name) {
			return path.Clean(filepath.ToSlash(name))
		}
		return otherwise
	}
	l := settings.Layout{Source: folder(c.Source, "src"), Test: folder(c.Test, "test"), Script: folder(c.Script, "script"), Skip: c.Skip}
	for _, lib := range c.Libs {
		if filepath.IsLocal(lib) {
			l.Libs = append(l.Libs, path.Clean(filepath.ToSlash(lib)))
		}
	}
	return l
}

// standard are the settings of standard JSON that forge gives a compiler of a version, without
// those that it does not know (foundry-compilers, SolcSettings::sanitize).
func (c *foundryConfig) standard(version solc.Version) map[string]any {
	since := func(minor, patch int) bool {
		return !version.Less(solc.Version{Major: 0, Minor: minor, Patch: patch})
	}
	optimizer := map[string]any{"enabled": c.Optimizer}
	if c.OptimizerRuns != nil {
		optimizer["runs"] = *c.OptimizerRuns
	}
	if details := withoutNull(c.OptimizerDetails); len(details) > 0 {
		optimizer["details"] = details
	}
	metadata := map[string]any{"useLiteralContent": c.LiteralContent}
	if c.BytecodeHash != "" && since(6, 0) {
		metadata["bytecodeHash"] = c.BytecodeHash
	}
	if c.CBORMetadata != nil && since(8, 18) {
		metadata["appendCBOR"] = *c.CBORMetadata
	}
	all := map[string]any{"remappings": slices.Clone(c.Remappings), "optimizer": optimizer, "metadata": metadata, "libraries": c.libraries()}
	if c.Remappings == nil {
		all["remappings"] = []string{}
	}
	if c.ViaIR && since(7, 5) {
		all["viaIR"] = true
	}
	if name := compile.EVMVersionFor(c.EVMVersion, version); name != "" {
		all["evmVersion"] = name
	}
	if c.RevertStrings != "" && since(6, 0) {
		all["debug"] = map[string]any{"revertStrings": c.RevertStrings}
	}
	return all
}

// withoutNull is a decoded JSON object without the keys that are null, on all levels.
func withoutNull(object map[string]any) map[string]any {
	kept := map[string]any{}
	for key, value := range object {
		inner, nested := value.(map[string]any)
		switch {
		case value == nil:
		case nested:
			kept[key] = withoutNull(inner)
		default:
			kept[key] = value
		}
	}
	return kept
}

// libraries are the addresses of libraries, by file and name.
func (c *foundryConfig) libraries() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, text := range c.Libraries {
		parts := strings.Split(text, ":")
		if len(parts) != 3 {
			continue // forge says so
		}
		if all[parts[0]] == nil {
			all[parts[0]] = map[string]string{}
		}
		all[parts[0]][parts[1]] = parts[2]
	}
	return all
}

// maxConfig bounds what forge says of its configuration, in bytes. It is 7 KB, and more with
// many remappings; 1 MiB is arbitrary.
const maxConfig = 1 << 20

// askForge asks forge for its configuration, at the place where it would build.
func (f *finder) askForge(ctx context.Context, where place, c command) (*foundryConfig, error) {
	ask := command{env: c.env, argv: []string{c.argv[0], "config", "--json"},
		shown: []string{"forge", "config", "--json"}, stdout: &tail{limit: maxConfig}}
	if _, err := f.run(ctx, where, ask, nil); err != nil {
		return nil, err
	}
	var config foundryConfig
	if err := json.Unmarshal(ask.stdout.bytes(), &config); err != nil {
		return nil, fmt.Errorf("%w: its configuration is not understood: %w", errForge, err)
	}
	return &config, nil
}

// compileForge compiles what changed of a Foundry project as forge would, and what uses it. An
// error that wraps errForge says why forge has to.
func (f *finder) compileForge(ctx context.Context, config *foundryConfig, closure *Closure) (*Found, error) {
	if len(config.Profiles)+len(config.Restrictions) > 0 {
		return nil, fmt.Errorf("%w: foundry.toml has compilation_restrictions", errForge)
	}
	if strings.ContainsAny(config.Solc, `/\`) {
		return nil, fmt.Errorf("%w: foundry.toml names the compiler by its path", errForge)
	}
	tree, err := sources.Open(f.root, f.Compilers)
	if err != nil {
		return nil, err
	}
	if tree.Remappings, err = parseRemappings(config.Remappings); err != nil {
		return nil, err
	}
	p := &plain{finder: f, tree: tree, left: map[string][]string{}, tests: map[string]bool{}}
	for _, name := range closure.Tests {
		p.tests[name] = true
	}
	if p.graph, err = resolve(tree, closure.Names); err != nil {
		return nil, err
	}
	p.graph.code = settings.Code{Solc: config.Solc, ViaIR: config.ViaIR}
	for _, broken := range p.graph.broken {
		users := p.graph.users([]string{broken.name})
		used := slices.ContainsFunc(p.graph.roots, func(root string) bool { return users[root] })
		if used && !p.exclude([]string{broken.name}, broken.err) {
			return nil, broken.err
		}
	}
	units, err := f.unitsOf(ctx, tree, p.graph, closure)
	if err != nil {
		return nil, err
	}
	all := len(p.graph.roots)
	times := nativeTimes
	if slices.ContainsFunc(units, func(u Unit) bool { return u.Compiler.WebAssembly() }) {
		times = 1
	}
	if p.chooseTests(times, "a compiler takes long for so many tests, so those next to the change come first"); len(p.graph.roots) < all {
		if units, err = f.unitsOf(ctx, tree, p.graph, closure); err != nil {
			return nil, err
		}
	}
	if size := p.graph.size(); times == 1 && config.ViaIR && size > mostViaIR {
		return nil, fmt.Errorf("%w: via-IR, solc's build for WebAssembly takes too long for %d kB of sources", errForge, size/1000)
	}
	found := &Found{}
	for _, unit := range units {
		input, count, err := withSettings(unit.Input, config.standard(unit.Compiler.Number()))
		if err != nil {
			return nil, err
		}
		_, done := f.during(compile.DescribeMake(count, unit.Compiler))
		made, err := compile.Make(ctx, settings.FoundryFile, input, unit.Compiler, f.Compilers, f.Debug)
		done()
		if err != nil {
			return nil, err
		}
		found.Outputs, found.Made = append(found.Outputs, made.Own), append(found.Made, made)
	}
	p.tell()
	return found, nil
}

// maxWhyForge bounds the reason why forge builds, bytes: two or three errors of a compiler.
const maxWhyForge = 600

// mostViaIR bounds the sources that solc's build for WebAssembly compiles twice via the intermediate
// language, once with the optimizer, bytes. 1 MB of Uniswap v4-core ended in std::bad_alloc after
// nine minutes; forge gets a native compiler for them.
const mostViaIR = 300_000

// nativeTimes is how much faster native compilers are taken to be than solc's build for WebAssembly.
// It is assumed, not measured, and only bounds how many tests are compiled.
const nativeTimes = 4

// unitsOf finds the compilers of a graph that is part of a project: as forge does it, the one
// that all of the project's sources allow where there is one, so that what is left out changes
// nothing.
func (f *finder) unitsOf(ctx context.Context, tree *sources.Tree, g *graph, closure *Closure) ([]Unit, error) {
	if g.code.Solc == "" && !closure.Whole() {
		if whole, err := resolve(tree, slices.Concat(closure.Names, closure.Left)); err == nil {
			c, err := solc.Find(ctx, whole.pragmas(whole.names), f.Compilers)
			if err == nil {
				names := slices.Sorted(slices.Values(g.names))
				return []Unit{{g.input(names, tree.Remappings), c, g.pragmas(names), names}}, nil
			}
		}
	}
	return g.units(ctx, f.Compilers, tree.Remappings)
}

func parseRemappings(texts []string) ([]sources.Remapping, error) {
	var remappings []sources.Remapping
	for _, text := range texts {
		r, err := sources.ParseRemapping(text)
		if err != nil {
			return nil, err
		}
		remappings = append(remappings, r)
	}
	return remappings, nil
}

// withSettings gives a standard-JSON input other settings, and counts its sources.
func withSettings(input json.RawMessage, settings map[string]any) (changed []byte, count int, err error) {
	var held struct {
		Sources map[string]json.RawMessage `json:"sources"`
	}
	if err := json.Unmarshal(input, &held); err != nil {
		return nil, 0, err
	}
	var all map[string]any
	if err := json.Unmarshal(input, &all); err != nil {
		return nil, 0, err
	}
	all = maps.Clone(all)
	all["settings"] = settings
	changed, err = json.Marshal(all)
	return changed, len(held.Sources), err
}

// concerned compiles what the change concerns of a Foundry project whose tool is installed; nil
// where forge has to.
func (f *finder) concerned(ctx context.Context, setups []settings.Setup) (*Found, error) {
	if len(f.Command) > 0 || f.Existing || len(setups) == 0 || setups[0].Tool != settings.ToolFoundry || setups[0].Config == "" {
		return nil, nil
	}
	c, ok := f.commandOf(setups[0])
	if !ok {
		return nil, nil
	}
	where, done, err := f.placeFor(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	config, err := f.askForge(ctx, where, c)
	if err != nil { // its build says what is wrong
		return nil, ctx.Err()
	}
	layout := config.layout()
	if f.Changed == nil && holdsYul(f.root, layout) || slices.ContainsFunc(f.Changed, func(file string) bool { return path.Ext(file) == ".yul" }) {
		return nil, nil // it compiles each Yul source separately
	}
	var found *Found
	if f.closure, err = ClosureOf(f.root, layout, f.Changed, f.Compilers); err == nil {
		found, err = f.compileForge(ctx, config, f.closure)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil && !f.closure.Whole():
		f.say("compiled the %d sources that use what changed, of %d", len(f.closure.Names), len(f.closure.Names)+len(f.closure.Left))
	case err != nil:
		// forge says what is wrong, or knows better.
		why := strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), errForge.Error()+": ")
		if len(why) > maxWhyForge {
			why = strings.ToValidUTF8(why[:maxWhyForge], "") + " …"
		}
		f.say("forge builds the project: %s", why)
		return nil, nil
	}
	found.How = f.how
	return found, nil
}

// holdsYul reports whether a project has Yul sources.
func holdsYul(root string, layout settings.Layout) bool {
	found := false
	for _, folder := range layout.Folders() {
		_ = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(file string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && path.Ext(file) == ".yul" {
				found = true
				return fs.SkipAll
			}
			return nil // what cannot be read is not compiled
		})
	}
	return found
}
