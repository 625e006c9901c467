package project

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/exit"
)

// Unit is a set of sources that are compiled together.
type Unit struct {
	Input    json.RawMessage // standard JSON, every source's content inlined
	Compiler *solc.Compiler  // the newest that is allowed
	Pragmas  []string        // of all sources

	names []string // of all sources
}

// CompileSources makes the debug build of a folder of sources without their tool. Of the
// settings of their project, only those that decide what they mean are known, see
// [settings.Code], so it is the only build there is. Sources that
// one compiler takes are one output, see [Units]. Where the newest allowed compiler refuses the sources, those of
// the versions of the language before it are tried: "pragma solidity >=0.7.0
// <0.9.0" is often written by people who have 0.7.
func CompileSources(ctx context.Context, root string, options solc.Options, debug compile.DebugOptions) ([]*compile.Output, error) {
	if options.Root == "" {
		options.Root = root
	}
	units, err := Units(ctx, root, options)
	if err != nil {
		return nil, err
	}
	var outputs []*compile.Output
	for _, unit := range units {
		o, err := unit.compile(ctx, options, debug)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, o)
	}
	return outputs, nil
}

func (u *Unit) compile(ctx context.Context, options solc.Options, debug compile.DebugOptions) (*compile.Output, error) {
	o, err := compile.DebugBuild(ctx, u.Input, u.Compiler, debug)
	if errors.Is(err, solc.ErrCompile) && !errors.Is(err, solc.ErrTrapped) {
		if old := u.compileOlder(ctx, options, debug); old != nil {
			return old, nil
		}
	}
	return o, err
}

// compileOlder compiles with the newest compiler of an older language that takes the sources;
// nil where none does.
func (u *Unit) compileOlder(ctx context.Context, options solc.Options, debug compile.DebugOptions) *compile.Output {
	for c := u.Compiler; ; {
		older := fmt.Sprintf("<%d.%d.0", c.Number().Major, c.Number().Minor)
		var err error
		if c, err = solc.Find(ctx, append([]string{older}, u.Pragmas...), options); err != nil {
			return nil
		}
		o, err := compile.DebugBuild(ctx, u.Input, c, debug)
		if err == nil {
			o.Refused = true
			return o
		}
		if !errors.Is(err, solc.ErrCompile) {
			return nil
		}
	}
}

// Units collects the *.sol files below root's src and contracts folders, or
// below root where it has neither, resolves their imports (relative, remappings
// of remappings.txt and foundry.toml, node_modules, lib) and finds a compiler
// that their pragmas allow.
//
// A source's name is its path relative to root with slashes; sources of
// node_modules are named as they are imported.
func Units(ctx context.Context, root string, options solc.Options) ([]Unit, error) {
	if options.Root == "" {
		options.Root = root
	}
	p, err := sources.Open(root, options)
	if err != nil {
		return nil, err
	}
	names, err := p.Names()
	if err != nil {
		return nil, err
	}
	g, err := resolve(p, names)
	if err != nil {
		return nil, err
	}
	if len(g.broken) > 0 {
		return nil, g.broken[0].err
	}
	g.code = settings.CodeSettings(root, os.Getenv)
	return g.units(ctx, options, p.Remappings)
}

// graph holds sources and what they import.
type graph struct {
	texts   map[string][]byte
	imports map[string][]string // source names
	names   []string            // in order of discovery
	roots   []string            // that were asked for
	code    settings.Code       // of the project
	broken  []brokenSource      // in order of discovery
}

// brokenSource is a source that cannot be compiled, since something that it imports, or it itself,
// is not there or cannot be read.
type brokenSource struct {
	name string
	err  error
	// dependency: what is missing is none of the project's files, so no change of these is why.
	dependency bool
}

// unreadable says what keeps a source that git or the folder lists from being compiled.
func unreadable(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }) {
		return &reading.Error{Origin: strconv.Quote(name), Kind: sources.ErrImport, Remedy: "rename the file",
			Problem: "compilers cannot name this source: its name is not UTF-8, or has a control character"}
	}
	return &reading.Error{Origin: name, Kind: sources.ErrImport, Remedy: "replace it with a regular file, or remove it",
		Problem: "this source cannot be read: it is not a regular file, or it is a link that leads out of the repository or to a hidden file"}
}

// resolve reads the named sources and everything they import, as far as it is there.
func resolve(p *sources.Tree, names []string) (*graph, error) {
	g := &graph{texts: map[string][]byte{}, imports: map[string][]string{}, roots: names}
	type request struct {
		name, importer string
		line           int
		own            bool // the file is meant to be one of the project's own
	}
	var queue []request
	for _, name := range names {
		queue = append(queue, request{name: name})
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		if _, known := g.texts[r.name]; known {
			continue
		}
		file, tried := p.Locate(r.name)
		if file == "" && r.importer == "" {
			g.broken = append(g.broken, brokenSource{name: r.name, err: unreadable(r.name)})
			continue
		}
		if file == "" {
			g.broken = append(g.broken, brokenSource{r.importer, importError(p, r.importer, r.line, r.name, r.own, tried), !r.own && isForeign(p, r.name)})
			continue
		}
		text, err := p.Read(file)
		if err != nil {
			var e *reading.Error
			if errors.As(err, &e) && !errors.Is(err, sources.ErrImport) {
				return nil, err // too much altogether
			}
			if e == nil {
				err = &reading.Error{Origin: file, Kind: sources.ErrImport, Problem: "cannot be read: " + err.Error(), Cause: err}
			}
			g.broken = append(g.broken, brokenSource{name: cmp.Or(r.importer, r.name), err: err})
			continue
		}
		g.texts[r.name] = text
		g.names = append(g.names, r.name)
		for _, imported := range solidity.Imports(text) {
			name := p.ImportedName(imported.Path, r.name)
			g.imports[r.name] = append(g.imports[r.name], name)
			queue = append(queue, request{name, r.name, imported.Line, strings.HasPrefix(imported.Path, ".") && file == filepath.Join(p.Root, filepath.FromSlash(r.name)) && !isInstalled(r.name)})
		}
	}
	return g, nil
}

// importError says what to do about an import that was not found. What a project's own source imports by its place is a
// file of the project, and no dependency.
func importError(p *sources.Tree, importer string, line int, name string, own bool, tried []string) error {
	command, workflow := installCommand(p.Root, cmp.Or(p.Repository, p.Root), name)
	remedy := cmp.Or(command, "install the dependency") + ", or add a remapping to remappings.txt"
	switch {
	case strings.Contains(name, "://"):
		remedy = "imports are not downloaded: install the dependency and import it by name"
		workflow = ""
	case own:
		remedy, workflow = "add the file to the repository, or mend the import", ""
	}
	return &reading.Error{Origin: importer, Place: fmt.Sprintf("line %d", line), Kind: sources.ErrImport,
		Problem: fmt.Sprintf("the import %q was not found", reading.Shorten(name)), Remedy: fmt.Sprintf("%s (looked in %s)", remedy, strings.Join(tried, ", ")),
		Places: []exit.Place{{File: importer, Line: line, Text: fmt.Sprintf("the import %q was not found", reading.Shorten(name))}}, Workflow: workflow}
}

// isInstalled reports whether a source of a project is in one of the folders that package managers and submodules fill.
func isInstalled(name string) bool {
	folder, _, _ := strings.Cut(name, "/")
	return folder == "lib" || folder == "node_modules" || folder == "dependencies"
}

// isForeign reports whether a source that is not there would be in none of the project's own folders.
func isForeign(p *sources.Tree, name string) bool {
	if isInstalled(name) {
		return true
	}
	folder, _, _ := strings.Cut(name, "/")
	_, err := os.Stat(filepath.Join(p.Root, folder))
	return err != nil
}

// units finds compilers: one for all sources where there is one, else one for
// each group of sources that import each other, else, as forge and Hardhat do it,
// one for each source with what it imports. What sources of several compilers
// import is compiled by each of them.
func (g *graph) units(ctx context.Context, options solc.Options, remappings []sources.Remapping) ([]Unit, error) {
	all := slices.Sorted(slices.Values(g.names))
	c, err := g.configured(ctx, all, options)
	if c == nil && err == nil {
		c, err = solc.Find(ctx, g.pragmas(all), options)
	}
	if err == nil {
		return []Unit{{g.input(all, remappings), c, g.pragmas(all), all}}, nil
	}
	if !errors.Is(err, solc.ErrNoCompiler) {
		return nil, err
	}
	var compilers []*solc.Compiler
	members := map[string][]string{} // by the compiler's path
	add := func(group []string) error {
		c, err := solc.Find(ctx, g.pragmas(group), options)
		var e *reading.Error
		if errors.As(err, &e) && e.Place == "" && e.Origin == "" {
			e.Place = g.pragmaPlace(group)
		}
		if err != nil {
			return err
		}
		if members[c.Path()] == nil {
			compilers = append(compilers, c)
		}
		members[c.Path()] = append(members[c.Path()], group...)
		return nil
	}
	for _, group := range g.groups(all) {
		err := add(group)
		if !errors.Is(err, solc.ErrNoCompiler) {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, closure := range g.closures(group) {
			if err := add(closure); err != nil {
				return nil, err
			}
		}
	}
	var units []Unit
	for _, c := range compilers {
		names := slices.Compact(slices.Sorted(slices.Values(members[c.Path()])))
		units = append(units, Unit{g.input(names, remappings), c, g.pragmas(names), names})
	}
	return units, nil
}

// configured is the compiler whose version the project's configuration names; nil where it
// names none, the sources do not allow it, or it is not to be had, which a warning says.
func (g *graph) configured(ctx context.Context, all []string, options solc.Options) (*solc.Compiler, error) {
	if g.code.Solc == "" || options.Named() != "" || !solc.Allows(g.pragmas(all), g.code.Solc) {
		return nil, nil
	}
	// Of the version alone the warning speaks for head and base alike, whatever sources each compiles.
	c, err := solc.Find(ctx, []string{"=" + g.code.Solc}, options)
	if errors.Is(err, solc.ErrNoCompiler) {
		if options.Warn != nil {
			options.Warn(fmt.Sprintf("the project's configuration asks for solc %s, and the sources are compiled with another: %v", g.code.Solc, err))
		}
		return nil, nil
	}
	return c, err
}

// pragmaLine finds a source's pragma.
var pragmaLine = regexp.MustCompile(`(?m)^[ \t]*pragma[ \t]+solidity[ \t]*([=0-9])?`)

// pragmaPlace is where a group of sources says which compiler it takes: "src/A.sol:2". An
// exact version comes before a range.
func (g *graph) pragmaPlace(group []string) string {
	place, exact := group[0], false
	for _, name := range group {
		m := pragmaLine.FindSubmatchIndex(g.texts[name])
		if m == nil || exact || place != group[0] && m[2] < 0 {
			continue
		}
		place, exact = fmt.Sprintf("%s:%d", name, 1+bytes.Count(g.texts[name][:m[0]], []byte("\n"))), m[2] >= 0
	}
	return place
}

// closures are the project's own sources among names, each before what it imports.
func (g *graph) closures(names []string) [][]string {
	var closures [][]string
	for _, name := range names {
		if slices.Contains(g.roots, name) {
			closures = append(closures, g.closure([]string{name}))
		}
	}
	return closures
}

// closure is some sources, before what they import.
func (g *graph) closure(names []string) []string {
	closure := slices.Clone(names)
	seen := map[string]bool{}
	for _, name := range closure {
		seen[name] = true
	}
	for i := 0; i < len(closure); i++ {
		for _, other := range g.imports[closure[i]] {
			if !seen[other] {
				seen[other] = true
				closure = append(closure, other)
			}
		}
	}
	return closure
}

func (g *graph) pragmas(names []string) []string {
	var pragmas []string
	for _, name := range names {
		pragmas = append(pragmas, solidity.Pragmas(g.texts[name])...)
	}
	return pragmas
}

// groups divides the sources into those connected by imports, each sorted, by
// their first name.
func (g *graph) groups(names []string) [][]string {
	neighbors := map[string][]string{}
	for _, name := range names {
		for _, other := range g.imports[name] {
			neighbors[name] = append(neighbors[name], other)
			neighbors[other] = append(neighbors[other], name)
		}
	}
	var groups [][]string
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		group := []string{name}
		for i := 0; i < len(group); i++ {
			for _, other := range neighbors[group[i]] {
				if !seen[other] {
					seen[other] = true
					group = append(group, other)
				}
			}
		}
		slices.Sort(group)
		groups = append(groups, group)
	}
	return groups
}

// input is the standard-JSON input of some sources.
func (g *graph) input(names []string, remappings []sources.Remapping) json.RawMessage {
	type source struct {
		Content string `json:"content"`
	}
	sources := map[string]source{}
	for _, name := range names {
		sources[name] = source{string(g.texts[name])}
	}
	texts := []string{}
	for _, r := range remappings {
		texts = append(texts, r.String())
	}
	settings := map[string]any{"remappings": texts}
	if g.code.ViaIR {
		settings["viaIR"] = true
	}
	if g.code.EVMVersion != "" {
		settings["evmVersion"] = g.code.EVMVersion
	}
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": sources, "settings": settings})
	if err != nil {
		panic(err) // strings and maps of them can be encoded
	}
	return input
}
