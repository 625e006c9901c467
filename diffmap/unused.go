package diffmap

import (
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// Unused are the declarations of each output that hold changed lines that no deployable contract
// has or, by the names of contracts, lost says that nothing calls: functions, modifiers and variables,
// each once and in the first output that has it. take chooses the files.
func (m *Mapping) Unused(outputs []*compile.Output, options Options, take, lost func(name string) bool) map[*compile.Output][]*compile.Node {
	found := map[*compile.Output][]*compile.Node{}
	for i := range m.Lines {
		l := &m.Lines[i]
		isLost := len(l.Targets) > 0 && !slices.ContainsFunc(l.Targets, func(t int) bool { return !lost(m.Targets[t].Contract) })
		if !isLost && (!l.Unused || len(l.Targets) > 0) || !take(l.Position.File) {
			continue
		}
		matched, err := matchSources(outputs, l.Position.File, options)
		if err != nil {
			continue // Map has returned it
		}
		for _, o := range outputs {
			s := matched.sources[o]
			if s == nil {
				continue
			}
			text := s.Text
			if text == nil {
				text = options.Heads[l.Position.File]
			}
			if n := declarationAt(s, newLineTable(text), l.Position.Line); n != nil && !slices.Contains(found[o], n) {
				found[o] = append(found[o], n)
			}
			break
		}
	}
	return found
}

// declarationAt is the innermost function, modifier or variable outside of functions that a line
// is of; nil when there is none.
func declarationAt(s *compile.Source, lines lineTable, line int) *compile.Node {
	var found *compile.Node
	s.AST.Walk(func(n *compile.Node) bool {
		if n.Start < 0 || n.Type != "SourceUnit" && (lines.lineOf(n.Start) > line || lines.lineOf(max(n.Start, n.End()-1)) < line) {
			return false
		}
		switch n.Type {
		case "FunctionDefinition", "ModifierDefinition":
			found = n
			return false
		case "VariableDeclaration":
			if n.Parent.Type == "ContractDefinition" || n.Parent.Type == "SourceUnit" {
				found = n
			}
			return false
		}
		return true
	})
	return found
}
