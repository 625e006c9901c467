package diffmap

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// BaseSide is a build of the head and the build of the base version that is
// compared with it, both made with the same settings.
type BaseSide struct {
	Head, Base *compile.Output
	// Renamed gives the head's name of a source by the base's, where they differ.
	Renamed map[string]string
	// Causes lists what changed besides the sources and may have changed any
	// code: "submodule lib/dep (3b8f01fa665d to 92b37b99e254)".
	Causes []string
	// LeftOut are contracts of the head, by qualified name, whose base version is not known, since it
	// does not compile. Neither build has them.
	LeftOut []string
}

// AddIndirect adds a target for each function of table's contracts whose code
// differs from the base's although none of its lines changed: because the type of
// a struct's field, a list of base contracts or the slot of a state variable did.
// It returns how many lines it added. Contracts that the base lacks, or could not deploy, are
// new altogether. If isNew says that one counts, and no changed line is in it, all of its
// functions get targets: "contract New is Base {}" makes code of what was none before.
func (m *Mapping) AddIndirect(sides []BaseSide, table *bytecode.Table, options Options, isNew func(*bytecode.Contract) bool) int {
	found := map[lineKey]*indirect{}
	changed := map[string]bool{} // contracts with targets
	for _, t := range m.Targets {
		changed[t.Contract] = true
	}
	for _, side := range sides {
		c := newComparer(side, m, options)
		c.table = table
		c.isNew = func(contract *bytecode.Contract) bool { return !changed[contract.QualifiedName()] && isNew(contract) }
		for _, a := range artifacts(side.Head, table) {
			c.compare(&a, found)
		}
	}
	m.insert(found)
	return len(found)
}

// indirect is a function that changed without a changed line.
type indirect struct {
	function string
	reason   string
	entries  map[string][]bytecode.Location // by qualified contract name
}

// comparer compares one build with its base version.
type comparer struct {
	side     BaseSide
	table    *bytecode.Table
	isNew    func(*bytecode.Contract) bool
	head     map[int][]part
	base     map[int][]part
	artifact map[string]*artifact // the base's, by canonical contract and kind
	changed  map[codePart]bool    // parts with a changed line of code
	places   map[codePart]place
	causes   []cause
	// declarations are those of the head that other code means by name: constants, types.
	declarations []*compile.Node
	state        map[int]bool // AST ids of the variables in storage
}

// place is where a part starts, by the repository's path.
type place struct {
	lineKey
	node *compile.Node
}

func newComparer(side BaseSide, m *Mapping, options Options) *comparer {
	c := &comparer{side: side, head: map[int][]part{}, base: map[int][]part{},
		artifact: map[string]*artifact{}, changed: map[codePart]bool{}, places: map[codePart]place{}, state: map[int]bool{}}
	for _, text := range side.Causes {
		c.causes = append(c.causes, cause{text: text, general: true})
	}
	paths := repositoryPaths(side.Head, options)
	byPath := map[string][]Line{}
	for _, l := range m.Lines {
		byPath[l.Position.File] = append(byPath[l.Position.File], l)
	}
	for file := range options.Heads { // by its name in the diff
		if s, _ := matchSource(side.Head, file, options); s != nil {
			paths = named(paths, s.Path, file)
		}
	}
	for _, s := range side.Head.Sources {
		if s.AST != nil && s.Text != nil {
			c.addSource(s, paths(s.Path), byPath[paths(s.Path)])
		}
	}
	c.spreadCauses()
	table := bytecode.NewTable(compile.Contracts([]*compile.Output{side.Base}))
	for _, s := range side.Base.Sources {
		parts := partsOf(s)
		for i := range parts {
			parts[i].source = c.canonical(s.Path)
		}
		c.base[s.ID] = parts
	}
	for _, a := range artifacts(side.Base, table) {
		c.artifact[c.canonical(a.contract.Source)+":"+a.contract.Name+" "+a.program.Code.Kind.String()] = &a
	}
	return c
}

// named is paths with one more name.
func named(paths func(string) string, source, file string) func(string) string {
	return func(s string) string {
		if s == source {
			return file
		}
		return paths(s)
	}
}

// canonical is the head's name of a source of the base.
func (c *comparer) canonical(source string) string {
	if head, ok := c.side.Renamed[source]; ok {
		return head
	}
	return source
}

// addSource finds the parts of a source of the head, and what changed in it.
func (c *comparer) addSource(s *compile.Source, file string, lines []Line) {
	parts := partsOf(s)
	c.head[s.ID] = parts
	table := newLineTable(s.Text)
	c.addDeclarations(s)
	for i := range parts {
		p := &parts[i]
		if p.node.Attributes.Get("constant") != true { // its code is part of what uses it
			c.places[p.codePart] = place{lineKey{file, table.lineOf(p.start)}, p.node}
		}
	}
	for _, l := range lines {
		start := table[min(l.Position.Line, len(table))-1]
		end := len(s.Text)
		if l.Position.Line < len(table) {
			end = table[l.Position.Line]
		}
		inside := false
		for i := range parts {
			if p := &parts[i]; p.start < end && start < p.end {
				inside = inside || p.node.Type == "FunctionDefinition"
				c.changed[p.codePart] = c.changed[p.codePart] || l.Status != NoBytecode
			}
		}
		if !inside && l.Status == NoBytecode && !l.idle {
			c.addCause(s, file, l, byteRange{start, end})
		}
	}
}

// compare looks for parts of an artifact that differ from the base's.
func (c *comparer) compare(a *artifact, found map[lineKey]*indirect) {
	other := c.artifact[a.contract.UnitName()+" "+a.program.Code.Kind.String()]
	if len(a.entries) == 0 || other == nil && !c.isNew(&a.contract.Contract) {
		return
	}
	taken := takeApart(a, c.side.Head, c.head, creationSizes(c.side.Head))
	ours, theirs := taken.normalize(), map[codePart]*normalized{}
	if other != nil {
		theirs = takeApart(other, c.side.Base, c.base, creationSizes(c.side.Base)).normalize()
	}
	for _, p := range slices.SortedFunc(maps.Keys(ours), compareParts) {
		at, ok := c.places[p]
		if !ok || c.changed[p] {
			continue
		}
		number, differs := ours[p].numbers[0], true
		if theirs[p] != nil {
			number, differs = ours[p].firstDifference(theirs[p])
		}
		if !differs {
			continue
		}
		i := found[at.lineKey]
		if i == nil {
			reason := c.because(at.node, theirs[p] == nil, &a.contract.Contract)
			if to, ok := taken.destinationOf(number); ok && reason == unexplained && to != p {
				name, _, _ := strings.Cut(to.name, "(")
				reason = "calls " + name + " where the base version does not"
			}
			i = &indirect{function: nameOf(p), reason: reason, entries: map[string][]bytecode.Location{}}
			found[at.lineKey] = i
		}
		name := a.contract.QualifiedName()
		i.entries[name] = append(i.entries[name], bytecode.Location{Code: c.table.Recognized(a.program).ID, PC: taken.pcs[number]})
	}
}

func compareParts(a, b codePart) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.name, b.name))
}

// nameOf is the bare name of a part: "withdraw" of "Vault.withdraw(uint256)".
func nameOf(p codePart) string {
	name, _, _ := strings.Cut(p.name, "(")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// insert adds lines with their targets, and keeps both in order. A changed line
// without code of its own becomes one with targets.
func (m *Mapping) insert(found map[lineKey]*indirect) {
	if len(found) == 0 {
		return
	}
	targets := map[lineKey][]bytecode.Target{}
	var lines []Line
	for _, l := range m.Lines {
		key := lineKey{l.Position.File, l.Position.Line}
		for _, i := range l.Targets {
			targets[key] = append(targets[key], m.Targets[i])
		}
		if found[key] == nil {
			lines = append(lines, l)
		}
	}
	for key, i := range found {
		position := bytecode.Position{File: key.path, Line: key.line}
		lines = append(lines, Line{Position: position, Kind: unified.Indirect, Function: i.function, Because: i.reason})
		for contract, entries := range i.entries {
			slices.SortFunc(entries, bytecode.Location.Compare)
			targets[key] = append(targets[key], bytecode.Target{Position: position, Contract: contract, Entries: slices.Compact(entries)})
		}
		slices.SortFunc(targets[key], func(a, b bytecode.Target) int { return cmp.Compare(a.Contract, b.Contract) })
	}
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line))
	})
	m.Lines, m.Targets = lines, nil
	for i := range m.Lines {
		l := &m.Lines[i]
		l.Targets = nil
		for _, t := range targets[lineKey{l.Position.File, l.Position.Line}] {
			l.Targets = append(l.Targets, len(m.Targets))
			m.Targets = append(m.Targets, t)
		}
	}
}

// ChangesDeclarations reports whether a change is not inside the bodies of
// functions and modifiers alone: then code elsewhere may have changed, and the
// base version is worth compiling.
func ChangesDeclarations(outputs []*compile.Output, changes []unified.ChangedLine, options Options) bool {
	bodies := map[string][]byteRange{} // by file
	for _, change := range changes {
		if _, known := bodies[change.Path]; !known {
			bodies[change.Path] = bodiesOf(outputs, change.Path, options)
		}
		for _, span := range change.Spans {
			inside := slices.ContainsFunc(bodies[change.Path], func(b byteRange) bool { return b.start < span.Start && span.End < b.end })
			if !inside {
				return true
			}
		}
	}
	return false
}

// bodiesOf lists the bodies of a file's functions and modifiers.
func bodiesOf(outputs []*compile.Output, file string, options Options) []byteRange {
	var bodies []byteRange
	for _, o := range outputs {
		s, _ := matchSource(o, file, options)
		if s == nil || s.AST == nil || differs(s, options.Heads[file]) {
			continue
		}
		s.AST.Walk(func(n *compile.Node) bool {
			if n.Type == "Block" && n.Parent != nil && (n.Parent.Type == "FunctionDefinition" || n.Parent.Type == "ModifierDefinition") {
				bodies = append(bodies, byteRange{n.Start, n.End()})
				return false
			}
			return true
		})
		break
	}
	return bodies
}
