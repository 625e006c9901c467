package diffmap

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Positions finds the source of an instruction. Safe for concurrent use.
type Positions struct {
	units map[bytecode.CodeID]*unit

	mu    sync.Mutex
	lines map[*compile.Source]lineTable
	pcs   map[bytecode.CodeID][]uint32
}

// unit is what Positions knows of one artifact.
type unit struct {
	artifact artifact
	sources  map[int]unitSource // by id
	path     func(source string) string
}

// unitSource is a source with its path in the repository.
type unitSource struct {
	*compile.Source
	file string
	text []byte // nil when unknown
}

// NewPositions makes the resolver for the code that table knows of outputs.
func NewPositions(outputs []*compile.Output, table *bytecode.Table, options Options) *Positions {
	p := &Positions{
		units: map[bytecode.CodeID]*unit{},
		lines: map[*compile.Source]lineTable{},
		pcs:   map[bytecode.CodeID][]uint32{},
	}
	for _, output := range outputs {
		path := repositoryPaths(output, options)
		sources := map[int]unitSource{}
		for _, s := range output.Sources {
			sources[s.ID] = unitSource{s, path(s.Path), s.Text}
		}
		for file, head := range options.Heads { // changed files go by their name in the diff
			if s, _ := matchSource(output, file, options); s != nil && !differs(s, head) {
				sources[s.ID] = unitSource{s, file, head}
			}
		}
		for _, a := range artifacts(output, table) {
			p.units[a.program.ID] = &unit{artifact: a, sources: sources, path: path}
		}
	}
	return p
}

// At is where the instruction at loc was compiled from: the start of its source
// range. False for code that no artifact explains, for data, and for code the
// compiler generated without a source; a caller that wants a line for the
// latter goes back along the path it came by.
func (p *Positions) At(loc bytecode.Location) (bytecode.Position, bool) {
	source, entry, ok := p.source(loc)
	if !ok {
		return bytecode.Position{}, false
	}
	position := bytecode.Position{File: source.file}
	if source.text != nil {
		lines := p.lineTable(source)
		position.Line, position.Column = lines.lineOf(entry.Start), lines.columnOf(entry.Start)
	}
	return position, position.Line > 0
}

// TextAt is the source that the instruction at loc was compiled from, with single
// spaces for all whitespace, so that formatting does not show. False where
// [Positions.At] is, and where the text is not known.
func (p *Positions) TextAt(loc bytecode.Location) (string, bool) {
	source, entry, ok := p.source(loc)
	if !ok || source.text == nil {
		return "", false
	}
	return string(bytes.Join(bytes.Fields(source.text[entry.Start:entry.Start+entry.Length]), []byte{' '})), true
}

// FunctionAt is the name of the function or modifier whose source the
// instruction at loc was compiled from. False where there is none: a contract's
// dispatcher, a state variable, generated code.
func (p *Positions) FunctionAt(loc bytecode.Location) (string, bool) {
	source, entry, ok := p.source(loc)
	if !ok || source.AST == nil {
		return "", false
	}
	var found *compile.Node
	source.AST.Walk(func(n *compile.Node) bool {
		if n.File != source.ID || n.Start > entry.Start || n.End() < entry.Start+entry.Length {
			return false
		}
		if n.Type == "FunctionDefinition" || n.Type == "ModifierDefinition" {
			found = n
		}
		return found == nil
	})
	if found == nil {
		return "", false
	}
	return functionName(found), true
}

// IsInstruction reports whether loc is the start of an instruction of its
// artifact, data behind the code not among them.
func (p *Positions) IsInstruction(loc bytecode.Location) bool {
	u := p.units[loc.Code]
	if u == nil {
		return false
	}
	_, ok := p.number(u, loc.PC)
	return ok
}

// path is the repository's path of a source in the unit that holds loc.
func (p *Positions) path(loc bytecode.Location, source string) string {
	if u := p.units[loc.Code]; u != nil {
		return u.path(source)
	}
	return source
}

// source finds the source map entry of loc and the source it lies in.
func (p *Positions) source(loc bytecode.Location) (unitSource, compile.SourceMapEntry, bool) {
	u := p.units[loc.Code]
	if u == nil {
		return unitSource{}, compile.SourceMapEntry{}, false
	}
	i, ok := p.number(u, loc.PC)
	if !ok {
		return unitSource{}, compile.SourceMapEntry{}, false
	}
	entry := u.artifact.entries.At(i)
	source, ok := u.sources[entry.File]
	if !ok || entry.Start < 0 || source.text != nil && entry.Start+entry.Length > len(source.text) {
		return unitSource{}, compile.SourceMapEntry{}, false
	}
	return source, entry, true
}

// number is the index of the instruction at pc among those with a source map
// entry.
func (p *Positions) number(u *unit, pc uint32) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := u.artifact.program.ID
	pcs, ok := p.pcs[id]
	if !ok {
		pcs = make([]uint32, 0, len(u.artifact.entries))
		for pc := range u.artifact.instructions() {
			pcs = append(pcs, pc)
		}
		p.pcs[id] = pcs
	}
	i := sort.Search(len(pcs), func(i int) bool { return pcs[i] >= pc })
	return i, i < len(pcs) && pcs[i] == pc
}

func (p *Positions) lineTable(s unitSource) lineTable {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines, ok := p.lines[s.Source]
	if !ok {
		lines = newLineTable(s.text)
		p.lines[s.Source] = lines
	}
	return lines
}

// repositoryPaths answers the path in the repository of a source as output
// names it: the reverse of namesOf, as far as it goes without looking at the
// disk.
func repositoryPaths(output *compile.Output, options Options) func(source string) string {
	hardhat3 := len(output.Sources) > 0
	for _, s := range output.Sources {
		hardhat3 = hardhat3 && (strings.HasPrefix(s.Path, "project/") || strings.HasPrefix(s.Path, "npm/"))
	}
	checkout := unified.CleanPath(options.Checkout) + "/"
	known := map[string]string{}
	for _, s := range output.Sources {
		if file, below := strings.CutPrefix(s.File, checkout); below && options.Checkout != "" {
			known[unified.CleanPath(s.Path)] = file
		}
	}
	return func(source string) string {
		source = unified.CleanPath(source)
		if file, ok := known[source]; ok {
			return file
		}
		if path.IsAbs(source) {
			if options.Checkout == "" {
				return source
			}
			return strings.TrimPrefix(source, checkout)
		}
		if hardhat3 {
			source = strings.TrimPrefix(source, "project/")
		}
		return path.Join(options.rootOf(output), source)
	}
}

// NodePosition is where a node of a build's AST begins, by its path in the repository.
// False where the source or its text is not known.
func NodePosition(output *compile.Output, n *compile.Node, options Options) (bytecode.Position, bool) {
	at := slices.IndexFunc(output.Sources, func(s *compile.Source) bool { return s.ID == n.File })
	if at < 0 || n.Start < 0 {
		return bytecode.Position{}, false
	}
	source := output.Sources[at]
	file, text := repositoryPaths(output, options)(source.Path), source.Text
	for _, name := range slices.Sorted(maps.Keys(options.Heads)) { // changed files go by their name in the diff
		if s, _ := matchSource(output, name, options); s == source && !differs(s, options.Heads[name]) {
			file, text = name, options.Heads[name]
			break
		}
	}
	if n.Start > len(text) {
		return bytecode.Position{}, false
	}
	lines := newLineTable(text)
	return bytecode.Position{File: file, Line: lines.lineOf(n.Start), Column: lines.columnOf(n.Start)}, true
}

// KnowsTexts reports whether the text of every source that code was compiled from is
// known: false for code that no artifact explains.
func (p *Positions) KnowsTexts(id bytecode.CodeID) bool {
	u := p.units[id]
	if u == nil {
		return false
	}
	for i := range u.artifact.entries {
		source, ok := u.sources[u.artifact.entries.At(i).File]
		if ok && source.text == nil {
			return false
		}
	}
	return true
}
