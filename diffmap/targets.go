package diffmap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Options say how the paths of a diff and those of a build belong together.
type Options struct {
	// Root is the project's folder relative to the repository, with slashes: ""
	// or "." when they are the same. Compilers name sources relative to it.
	Root string
	// Checkout is the repository's absolute path on disk, symbolic links resolved,
	// for builds that name sources by absolute path and those that know where their
	// sources lie; may be empty.
	Checkout string
	// Projects are the folders of all projects, see [project.List], relative to
	// Root. May be empty: then there is one.
	Projects []string
	// Problems says of projects why they have no build.
	Problems map[string]string
	// Heads holds the head version's text of changed files, by path. A build
	// whose text of the same file differs is not used. A file without a text
	// here is taken as the build has it.
	Heads map[string][]byte
	// Same holds the changed files whose code is that of the base, see [solidity.Code]: where no
	// build is made of them, none is missing.
	Same map[string]bool
}

// Line is a changed line, whatever contracts hold it.
type Line struct {
	// Position is where people are sent: the changed line, or the statement that
	// stands for code deleted before it.
	Position bytecode.Position
	Kind     unified.ChangeKind
	Function string // that holds it, "withdraw"; empty outside of all
	// Status is empty for a line with targets: the campaign decides, see
	// [Combine]. Reason is set when Status is.
	Status Status
	Reason string
	// Unused is set for code without bytecode because no deployable contract holds it, unlike
	// comments and declarations, which are never code.
	Unused bool
	// Operations are the parts of the line that run under a condition of their own.
	Operations []Operation
	// Reverts is set for a line after which nothing but a revert can follow.
	Reverts bool
	idle    bool // nothing but comments and formatting changed
	// Because says what changed the code of a line of kind Indirect.
	Because string
	// Targets are indices into [Mapping.Targets].
	Targets []int
}

// MayChangeOthers reports whether a line is a declaration without code of its own that may change the
// code of others: a type, a variable in storage, a list of base contracts.
func (l *Line) MayChangeOthers() bool {
	return l.Status == NoBytecode && !l.Unused && !l.idle && strings.HasSuffix(l.Reason, "may change")
}

// Mapping is what a diff means in bytecode.
type Mapping struct {
	Lines   []Line            // every changed line once, by path and line
	Targets []bytecode.Target // by file, line and contract
}

// Entries lists the entries of all targets, for [bytecode.Table.Cut].
func (m *Mapping) Entries() []bytecode.Location {
	var entries []bytecode.Location
	for _, t := range m.Targets {
		entries = append(entries, t.Entries...)
	}
	slices.SortFunc(entries, bytecode.Location.Compare)
	return slices.Compact(entries)
}

// StaleError says that a build was made of other sources than the head version.
type StaleError struct {
	Path   string // of the changed file
	Source string // as the build names it
	Origin string // of the build
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("the sources don't match the build: %s differs from %s in %s; build the head version again",
		e.Path, e.Source, e.Origin)
}

// Map finds the bytecode of changed lines: one target per line and contract of
// table whose bytecode holds it. table is made of the contracts of outputs;
// contracts that are not in it (bases of abstract use, the base side) are left
// out. Every changed line is in the result once, with targets or with a status.
//
// The error is a [*StaleError] when all builds of a changed file were made of
// another version of it.
func Map(outputs []*compile.Output, table *bytecode.Table, changes []unified.ChangedLine, options Options) (*Mapping, error) {
	m := mapper{outputs: outputs, table: table, options: options, lines: map[lineKey]*lineState{}}
	changed := map[string][]unified.ChangedLine{}
	for _, c := range changes {
		changed[c.Path] = append(changed[c.Path], c)
	}
	matches := map[string]match{}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		found, err := matchSources(outputs, path, options)
		if err != nil {
			return nil, err
		}
		matches[path] = found
	}
	for _, output := range outputs {
		m.mapOutput(output, changed, matches)
	}
	for path, list := range changed {
		m.explain(list, matches[path])
	}
	return m.mapping(), nil
}

// lineKey identifies a line of the result.
type lineKey struct {
	path string
	line int
}

// lineState gathers what is known of a line over all outputs.
type lineState struct {
	kind     unified.ChangeKind
	function string
	verdict  verdict                               // when no output has code for it
	entries  map[string]map[bytecode.Location]bool // by qualified contract name
	// operations are the entries of those, by text.
	operations map[string]map[bytecode.Location]bool
	reverts    []bool // of the nodes that stand for the line, whether they always revert
}

// mapper carries the state of Map.
type mapper struct {
	outputs []*compile.Output
	table   *bytecode.Table
	options Options
	lines   map[lineKey]*lineState
}

// mapOutput adds what one output knows of the changed lines.
func (m *mapper) mapOutput(output *compile.Output, changed map[string][]unified.ChangedLine, matches map[string]match) {
	paths := map[int]string{} // by source id
	ranges := map[int]map[byteRange]evidence{}
	for path, found := range matches {
		if s := found.sources[output]; s != nil {
			paths[s.ID] = path
			ranges[s.ID] = map[byteRange]evidence{}
		}
	}
	if len(paths) == 0 {
		return
	}
	changes := map[int][]unified.ChangedLine{} // by source id
	for id, path := range paths {
		changes[id] = changed[path]
	}
	constants := findConstants(output, changes)
	for id := range constants.files() {
		if ranges[id] == nil {
			ranges[id] = map[byteRange]evidence{}
		}
	}
	list := artifacts(output, m.table)
	within := addEvidence(list, ranges)
	selections := map[int]*selection{}
	for _, s := range output.Sources {
		if text := m.text(s, paths[s.ID]); ranges[s.ID] != nil && (s.Text != nil || text != nil) {
			selections[s.ID] = newSelection(s, text, ranges[s.ID], styleOf(output))
		}
	}
	placeholders := newPlaceholderFinder(output, selections, func(modifier *compile.Node) bool {
		return slices.ContainsFunc(changes[modifier.File], func(c unified.ChangedLine) bool { return touches(&c, modifier) })
	})
	messages := messages{}
	for i := range list {
		placeholders.find(&list[i])
		if within[i] {
			messages.find(&list[i], selections)
		}
	}
	said := messages.codes()
	for _, sel := range selections {
		sel.tree.seal()
	}
	reverts := newReverter(output)
	for id := range paths {
		m.selectNodes(output, selections, id, changes[id], &constants, reverts)
	}
	for i := range list {
		if !within[i] && placeholders == nil && !said[list[i].program.ID] {
			continue // none of it stands for anything
		}
		m.addEntries(&list[i], selections, placeholders, messages)
	}
}

// addEvidence adds what artifacts have of the files of ranges, and tells which have anything.
func addEvidence(list []artifact, ranges map[int]map[byteRange]evidence) (within []bool) {
	within = make([]bool, len(list))
	for i := range list {
		if within[i] = list[i].isOfAny(func(file int) bool { return ranges[file] != nil }); !within[i] {
			continue
		}
		for _, e := range list[i].instructions() {
			if r := ranges[e.File]; r != nil && e.Start >= 0 {
				r[e.bytes()] |= e.evidence
			}
		}
	}
	return within
}

// text is the text of a source that belongs to a changed file.
func (m *mapper) text(s *compile.Source, path string) []byte {
	if s.Text == nil {
		return m.options.Heads[path]
	}
	return s.Text
}

// selection is which nodes of a source stand for which changed lines.
type selection struct {
	tree  *sourceTree
	lines [][]owner // by node
}

func newSelection(s *compile.Source, text []byte, ranges map[byteRange]evidence, style codeStyle) *selection {
	tree := newSourceTree(s, text, ranges, style)
	return &selection{tree: tree, lines: make([][]owner, len(tree.nodes))}
}

// selectNodes finds the nodes of the changed lines of one source.
func (m *mapper) selectNodes(output *compile.Output, selections map[int]*selection, id int, changes []unified.ChangedLine, constants *constants, reverts *reverter) {
	sel := selections[id]
	tree := sel.tree
	for _, change := range changes {
		set := nodeSet{}
		anchor := tree.changedNodes(change, set)
		key := lineKey{change.Path, change.Line}
		if anchor >= 0 && change.Kind == unified.DeletionAnchor {
			key.line = tree.lines.lineOf(tree.nodes[anchor].start)
		}
		state := m.line(key, change.Kind)
		found := len(set) > 0
		for n := range set {
			operation := ""
			if change.Kind != unified.DeletionAnchor {
				operation = tree.operationOf(n, change.Line)
			}
			sel.lines[n] = append(sel.lines[n], owner{state, operation})
			state.reverts = append(state.reverts, change.Kind != unified.DeletionAnchor && tree.alwaysReverts(n, reverts))
		}
		uses := constants.usesOf(id, &change)
		if !found {
			found = selectUses(selections, uses, state)
		}
		state.describe(tree, output, change, anchor, found)
		if !found && len(uses) == 0 && state.verdict == unusedConstant {
			state.verdict = verdict{status: NoBytecode, reason: "constant that nothing uses"}
		}
	}
}

// selectUses makes the uses of a constant stand for a line, and reports whether any
// has code.
func selectUses(selections map[int]*selection, uses []*compile.Node, state *lineState) bool {
	found := false
	for _, use := range uses {
		sel := selections[use.File]
		if sel == nil {
			continue
		}
		n, ok := sel.tree.byRange[byteRange{use.Start, use.End()}]
		if !ok {
			continue
		}
		set := nodeSet{}
		sel.tree.climb(n, set)
		for n := range set {
			sel.lines[n] = append(sel.lines[n], owner{state, ""})
			state.reverts = append(state.reverts, false)
			found = true
		}
	}
	return found
}

// changedNodes adds the nodes that a changed line stands for. anchor is the
// statement that follows deleted statements, else −1.
func (t *sourceTree) changedNodes(change unified.ChangedLine, set nodeSet) (anchor int32) {
	anchor = -1
	for _, span := range change.Spans {
		if span.Start < span.End {
			for _, token := range t.tokensIn(byteRange{span.Start, span.End}) {
				t.owners(token, set)
			}
		}
	}
	code := len(set) > 0
	for _, span := range change.Spans {
		if span.Start != span.End || span.Start > len(t.text) {
			continue
		}
		gap := nodeSet{}
		following := t.gapOwners(span.Start, gap)
		if following >= 0 && code {
			continue // the line itself has changed code: no need for the next statement
		}
		anchor = max(anchor, following)
		maps.Copy(set, gap)
	}
	return anchor
}

// line is the state of a line, made on first use. A line that was added or
// edited stays that when deleted code is anchored on it too.
func (m *mapper) line(key lineKey, kind unified.ChangeKind) *lineState {
	state := m.lines[key]
	if state == nil {
		state = &lineState{kind: kind, entries: map[string]map[bytecode.Location]bool{}, operations: map[string]map[bytecode.Location]bool{}}
		m.lines[key] = state
	} else if state.kind == unified.DeletionAnchor {
		state.kind = kind
	}
	return state
}

// run is a maximal run of one line's instructions within a basic block.
type run struct {
	number int // of its last instruction
	entry  bytecode.Location
}

// addEntries adds the entries of an artifact: the first instruction of every
// maximal run of one line's instructions within a basic block.
func (m *mapper) addEntries(a *artifact, selections map[int]*selection, placeholders *placeholderFinder, messages messages) {
	lastRun := map[*lineState]run{}
	number := 0
	name := a.contract.QualifiedName()
	shown := m.table.Recognized(a.program).ID
	for pc, e := range a.instructions() {
		number++
		loc := bytecode.Location{Code: shown, PC: pc}
		here := bytecode.Location{Code: a.program.ID, PC: pc}
		for _, s := range placeholders.at(here) {
			for _, line := range s.selection.lines[s.node] {
				line.add(name, loc)
			}
		}
		if s, ok := messages[here]; ok {
			for _, line := range s.selection.lines[s.node] {
				line.add(name, loc)
			}
		}
		sel := selections[e.File]
		if sel == nil {
			continue
		}
		n, ok := sel.tree.byRange[e.bytes()]
		if !ok || !sel.tree.nodes[n].mayOwn() || sel.tree.nodes[n].kind == messageNode || !e.evidence.proves(&sel.tree.nodes[n]) {
			continue
		}
		for _, line := range sel.lines[n] {
			_, leader := a.program.StartsAt(uint64(pc))
			entry := loc
			if last, ok := lastRun[line.lineState]; ok && last.number >= number-1 && !leader {
				entry = last.entry
			}
			line.add(name, entry)
			lastRun[line.lineState] = run{number, entry}
		}
	}
}

func (o owner) add(contract string, entry bytecode.Location) {
	if o.entries[contract] == nil {
		o.entries[contract] = map[bytecode.Location]bool{}
	}
	o.entries[contract][entry] = true
	if o.operation == "" {
		return
	}
	if o.operations[o.operation] == nil {
		o.operations[o.operation] = map[bytecode.Location]bool{}
	}
	o.operations[o.operation][entry] = true
}

// mapping is the result, sorted.
func (m *mapper) mapping() *Mapping {
	keys := slices.SortedFunc(maps.Keys(m.lines), func(a, b lineKey) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line))
	})
	result := &Mapping{}
	for _, key := range keys {
		state := m.lines[key]
		line := Line{
			Position: bytecode.Position{File: key.path, Line: key.line},
			Kind:     state.kind, Function: state.function,
			Operations: state.listOperations(),
			Reverts:    len(state.reverts) > 0 && !slices.Contains(state.reverts, false),
		}
		for _, contract := range slices.Sorted(maps.Keys(state.entries)) {
			line.Targets = append(line.Targets, len(result.Targets))
			result.Targets = append(result.Targets, bytecode.Target{
				Position: line.Position,
				Contract: contract,
				Entries:  slices.SortedFunc(maps.Keys(state.entries[contract]), bytecode.Location.Compare),
				Deletion: state.kind == unified.DeletionAnchor,
				Reverts:  line.Reverts,
			})
		}
		if len(line.Targets) == 0 {
			line.Status, line.Reason = state.verdict.status, state.verdict.reason
			line.idle = state.verdict.idle
			if line.Status == unused {
				line.Status, line.Unused = NoBytecode, true
			}
		}
		result.Lines = append(result.Lines, line)
	}
	return result
}
