package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Unit is a set of sources that are compiled together.
type Unit struct {
	Input    json.RawMessage // standard JSON, every source's content inlined
	Compiler *Compiler       // the newest that is allowed
	Pragmas  []string        // of all sources
}

// CompileSources makes the mapping build of a folder of plain sources: they
// have no settings of their own, so it is the only build there is. Sources that
// one compiler takes are one output, see [Units]. Where the newest allowed compiler refuses the sources, those of
// the versions of the language before it are tried: "pragma solidity >=0.7.0
// <0.9.0" is often written by people who have 0.7.
func CompileSources(ctx context.Context, root string, options CompilerOptions, mapping MappingOptions) ([]*Output, error) {
	if options.Root == "" {
		options.Root = root
	}
	units, err := Units(ctx, root, options)
	if err != nil {
		return nil, err
	}
	var outputs []*Output
	for _, unit := range units {
		o, err := unit.compile(ctx, options, mapping)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, o)
	}
	return outputs, nil
}

func (u Unit) compile(ctx context.Context, options CompilerOptions, mapping MappingOptions) (*Output, error) {
	o, first := MappingBuild(ctx, u.Input, u.Compiler, mapping)
	for c, err := u.Compiler, first; errors.Is(err, ErrCompile); {
		older := fmt.Sprintf("<%d.%d.0", c.version.Major, c.version.Minor)
		if c, err = FindCompiler(ctx, append([]string{older}, u.Pragmas...), options); err != nil {
			break
		}
		if o, err = MappingBuild(ctx, u.Input, c, mapping); err == nil {
			return o, nil
		}
	}
	return o, first
}

// SourceReader reads sources of the project at root by the names that compilers
// give them: files below root, of node_modules and of lib, and Hardhat 3's names
// of these. It is what [Output.CheckSources] needs.
func SourceReader(root string, options CompilerOptions) (func(name string) ([]byte, error), error) {
	p, err := openProject(root, options)
	if err != nil {
		return nil, err
	}
	return p.readNamed, nil
}

// readNamed reads a source by the name that compilers give it.
func (p *project) readNamed(name string) ([]byte, error) {
	file := p.fileOf(name)
	if file == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return p.readAlone(file)
}

// readAlone reads a file that counts for itself in the limits.
func (p *project) readAlone(file string) ([]byte, error) {
	p.bytes, p.files = 0, 0
	return p.read(file)
}

// hardhat3File is the file that Hardhat 3 means by "project/FILE" or by
// "npm/PACKAGE@VERSION/FILE"; empty for other names.
func hardhat3File(name string) string {
	if file, ok := strings.CutPrefix(name, "project/"); ok {
		return file
	}
	rest, ok := strings.CutPrefix(name, "npm/")
	if !ok {
		return ""
	}
	scope := ""
	if strings.HasPrefix(rest, "@") {
		scope, rest, _ = strings.Cut(rest, "/")
		scope += "/"
	}
	versioned, file, _ := strings.Cut(rest, "/")
	name, _, _ = strings.Cut(versioned, "@")
	return scope + name + "/" + file
}

// Units collects the *.sol files below root's src and contracts folders, or
// below root where it has neither, resolves their imports (relative, remappings
// of remappings.txt and foundry.toml, node_modules, lib) and finds a compiler
// that their pragmas allow.
//
// A source's name is its path relative to root with slashes; sources of
// node_modules are named as they are imported.
func Units(ctx context.Context, root string, options CompilerOptions) ([]Unit, error) {
	if options.Root == "" {
		options.Root = root
	}
	p, err := openProject(root, options)
	if err != nil {
		return nil, err
	}
	names, err := p.sources()
	if err != nil {
		return nil, err
	}
	g, err := p.resolve(names)
	if err != nil {
		return nil, err
	}
	return g.units(ctx, options, p.remappings)
}

// graph holds sources and what they import.
type graph struct {
	texts   map[string][]byte
	imports map[string][]string // source names
	names   []string            // in order of discovery
	roots   []string            // that were asked for
}

// resolve reads the named sources and everything they import.
func (p *project) resolve(names []string) (*graph, error) {
	g := &graph{texts: map[string][]byte{}, imports: map[string][]string{}, roots: names}
	type request struct {
		name, importer string
		line           int
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
		file, tried := p.locate(r.name)
		if file == "" {
			return nil, p.importError(r.importer, r.line, r.name, tried)
		}
		text, err := p.read(file)
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				return nil, err
			}
			return nil, &Error{Origin: file, Kind: ErrImport, Problem: "cannot be read: " + err.Error(), Cause: err}
		}
		g.texts[r.name] = text
		g.names = append(g.names, r.name)
		for _, imported := range Imports(text) {
			name := p.importedName(imported.Path, r.name)
			g.imports[r.name] = append(g.imports[r.name], name)
			queue = append(queue, request{name, r.name, imported.Line})
		}
	}
	return g, nil
}

// importedName is the source unit that an import means. Where it cannot be
// found, the remapping that Foundry would infer is tried, and kept.
func (p *project) importedName(imported, importer string) string {
	name := unitName(p.remappings, imported, importer)
	if file, _ := p.locate(name); file != "" {
		return name
	}
	r, ok := p.inferred(name)
	if !ok {
		return name
	}
	extended := append(slices.Clone(p.remappings), r)
	other := unitName(extended, imported, importer)
	if file, _ := p.locate(other); file == "" {
		return name
	}
	p.remappings = extended
	return other
}

func (p *project) importError(importer string, line int, name string, tried []string) error {
	remedy := firstOf(installCommand(p.root, firstOf(p.repository, p.root)), "install the dependency") + ", or add a remapping to remappings.txt"
	if strings.Contains(name, "://") {
		remedy = "imports are not downloaded: install the dependency and import it by name"
	}
	return &Error{Origin: importer, Place: fmt.Sprintf("line %d", line), Kind: ErrImport,
		Problem: fmt.Sprintf("the import %q was not found; looked in %s", shorten(name), strings.Join(tried, ", ")), Remedy: remedy}
}

// units finds compilers: one for all sources where there is one, else one for
// each group of sources that import each other, else, as forge and Hardhat do it,
// one for each source with what it imports. What sources of several compilers
// import is compiled by each of them.
func (g *graph) units(ctx context.Context, options CompilerOptions, remappings []remapping) ([]Unit, error) {
	all := slices.Sorted(slices.Values(g.names))
	c, err := FindCompiler(ctx, g.pragmas(all), options)
	if err == nil {
		return []Unit{{g.input(all, remappings), c, g.pragmas(all)}}, nil
	}
	if !errors.Is(err, ErrNoCompiler) {
		return nil, err
	}
	var compilers []*Compiler
	members := map[string][]string{} // by the compiler's path
	add := func(group []string) error {
		c, err := FindCompiler(ctx, g.pragmas(group), options)
		var e *Error
		if errors.As(err, &e) && e.Place == "" && e.Origin == "" {
			e.Place = group[0]
		}
		if err != nil {
			return err
		}
		if members[c.path] == nil {
			compilers = append(compilers, c)
		}
		members[c.path] = append(members[c.path], group...)
		return nil
	}
	for _, group := range g.groups(all) {
		err := add(group)
		if !errors.Is(err, ErrNoCompiler) {
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
		names := slices.Compact(slices.Sorted(slices.Values(members[c.path])))
		units = append(units, Unit{g.input(names, remappings), c, g.pragmas(names)})
	}
	return units, nil
}

// closures are the project's own sources among names, each before what it imports.
func (g *graph) closures(names []string) [][]string {
	var closures [][]string
	for _, name := range names {
		if !slices.Contains(g.roots, name) {
			continue
		}
		closure := []string{name}
		seen := map[string]bool{name: true}
		for i := 0; i < len(closure); i++ {
			for _, other := range g.imports[closure[i]] {
				if !seen[other] {
					seen[other] = true
					closure = append(closure, other)
				}
			}
		}
		closures = append(closures, closure)
	}
	return closures
}

func (g *graph) pragmas(names []string) []string {
	var pragmas []string
	for _, name := range names {
		pragmas = append(pragmas, Pragmas(g.texts[name])...)
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
func (g *graph) input(names []string, remappings []remapping) json.RawMessage {
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
	input, err := json.Marshal(map[string]any{
		"language": "Solidity",
		"sources":  sources,
		"settings": map[string]any{"remappings": texts},
	})
	if err != nil {
		panic(err) // strings and maps of them can be encoded
	}
	return input
}
