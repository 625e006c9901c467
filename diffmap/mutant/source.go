package mutant

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// planter holds what mutants of all sources need to know of a build.
type planter struct {
	operators []Operator // none: all
	byID      map[int]*compile.Node
	// derived lists the contracts that have a contract, by its id, among their bases.
	derived map[int][]*compile.Node
	version solc.Version // zero when unknown
}

func newPlanter(o *compile.Output, operators []Operator) *planter {
	p := &planter{operators: operators, byID: map[int]*compile.Node{}, derived: map[int][]*compile.Node{}}
	if v, err := solc.ParseVersion(o.Compiler); err == nil {
		p.version = v
	}
	for _, s := range o.Sources {
		s.AST.Walk(func(n *compile.Node) bool {
			if strings.HasSuffix(n.Type, "Definition") || n.Type == "VariableDeclaration" {
				p.byID[n.ID] = n
			}
			if n.Type == "ContractDefinition" {
				for _, base := range linearized(n) {
					if base != n.ID {
						p.derived[base] = append(p.derived[base], n)
					}
				}
			}
			return true
		})
	}
	return p
}

// maxBases is how many bases of a contract are looked at: projects have dozens at most, and
// a list that a stranger wrote may be as long as the file.
const maxBases = 1000

// linearized are the ids of a contract and its bases, the most derived first.
func linearized(contract *compile.Node) []int {
	list, _ := contract.Attributes.Get("linearizedBaseContracts").([]any)
	var ids []int
	for _, value := range list[:min(len(list), maxBases)] {
		if id, ok := value.(int); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// atLeast reports whether the compiler is known to be this version of 0.x or a later one.
func (p *planter) atLeast(minor, patch int) bool {
	return !p.version.Less(solc.Version{Minor: minor, Patch: patch})
}

// meaning is the declaration that a name refers to; nil when it is not in the build.
func (p *planter) meaning(n *compile.Node) *compile.Node {
	if n == nil {
		return nil
	}
	id, ok := n.Int("referencedDeclaration")
	if !ok {
		return nil
	}
	return p.byID[id]
}

// source collects the mutants of one source.
type source struct {
	*planter
	path    string
	text    []byte
	tokens  []solidity.Token // without comments
	lines   []int            // where lines start
	changed map[int]bool     // lines, from 0
	most    int

	contract, function *compile.Node // the innermost ones around what is looked at
	locals             map[string]bool
	// variables are what [source.stateVariables] found in contracts, conditions the declarations
	// that conditions of loops refer to.
	variables  map[*compile.Node]*stateVariables
	conditions map[*compile.Node]map[int]bool

	mutants []Mutant
	seen    map[edit]bool
	alike   map[string]int // how many mutants have equal surroundings
}

// edit tells equal results apart.
type edit struct {
	start, end  int
	replacement string
}

// source lists the mutants of one source, at most so many.
func (p *planter) source(of *compile.Source, spans []Span, most int) []Mutant {
	s := &source{planter: p, path: of.Path, text: of.Text, most: most, changed: map[int]bool{}, seen: map[edit]bool{}, alike: map[string]int{},
		variables: map[*compile.Node]*stateVariables{}, conditions: map[*compile.Node]map[int]bool{}}
	s.tokens = slices.DeleteFunc(solidity.Tokenize(of.Text), func(t solidity.Token) bool { return t.Kind == solidity.Comment })
	s.lines = []int{0}
	for i, b := range of.Text {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	for _, span := range spans {
		start, end := max(span.Start, 0), min(span.End, len(of.Text))
		if start >= end {
			continue
		}
		for line := s.line(start); line <= s.line(end-1); line++ {
			s.changed[line] = true
		}
	}
	if len(s.changed) > 0 {
		s.visit(of.AST)
	}
	slices.SortStableFunc(s.mutants, func(a, b Mutant) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return s.mutants
}

// line is the line of a byte, from 0.
func (s *source) line(at int) int {
	return sort.SearchInts(s.lines, at+1) - 1
}

// visit plants mistakes in a node and those below it.
func (s *source) visit(n *compile.Node) {
	contract, function, locals := s.contract, s.function, s.locals
	switch n.Type {
	case "InlineAssembly", "PragmaDirective", "ImportDirective":
		return
	case "ContractDefinition":
		s.contract = n
	case "FunctionDefinition", "ModifierDefinition":
		s.function, s.locals = n, map[string]bool{}
		n.Walk(func(local *compile.Node) bool {
			if local.Type == "VariableDeclaration" {
				s.locals[local.Attribute("name")] = true
			}
			return true
		})
	}
	if s.inText(n) {
		for _, o := range table {
			if len(s.operators) == 0 || slices.Contains(s.operators, o.name) {
				o.plant(s, n)
			}
		}
	}
	for _, child := range n.Children {
		if !tellsWhy(child) {
			s.visit(child)
		}
	}
	s.contract, s.function, s.locals = contract, function, locals
}

// tellsWhy reports whether an expression only says why something is refused: which error, with
// which data. What is wrong there changes nothing that is kept.
func tellsWhy(n *compile.Node) bool {
	parent := n.Parent
	switch {
	case parent == nil:
		return false
	case parent.Type == "RevertStatement":
		return true
	case n.Role != "arguments":
		return false
	}
	return isCallOf(parent, "revert") || isCallOf(parent, "require") && arguments(parent)[0] != n
}

// inText reports whether the node stands for a part of the text.
func (s *source) inText(n *compile.Node) bool {
	return n != nil && n.Start >= 0 && n.Length > 0 && n.Start <= len(s.text) && n.Length <= len(s.text)-n.Start
}

// of is the text of a node; empty when it has none.
func (s *source) of(n *compile.Node) string {
	if !s.inText(n) {
		return ""
	}
	return string(s.text[n.Start:n.End()])
}

const (
	// maxEdit is how many bytes a mistake may replace and put in their place: longer ones
	// are not small, and nested calls would make their size quadratic. Arbitrary.
	maxEdit = 4096
	// maxAround is how many bytes before an edit and after it, in the same line, its [Mutant.ID]
	// is made of. Arbitrary: a line of usual length.
	maxAround = 100
)

// plant adds a mutant that replaces a part of the text, if the part begins in a changed line.
func (s *source) plant(operator Operator, start, end int, replacement, description string) {
	if start < 0 || start > end || end > len(s.text) || end-start > maxEdit || len(replacement) > maxEdit || len(s.mutants) >= s.most {
		return
	}
	line := s.line(start)
	original := string(s.text[start:end])
	if missing := strings.Count(original, "\n") - strings.Count(replacement, "\n"); missing > 0 {
		replacement += strings.Repeat("\n", missing)
	}
	if !s.changed[line] || original == replacement {
		return
	}
	smallest := smallestEdit(start, original, replacement)
	if s.seen[smallest] {
		return
	}
	s.seen[smallest] = true
	before := s.text[max(s.lines[line], start-maxAround):start]
	after := s.text[end:min(len(s.text), end+maxAround)]
	if at := bytes.IndexByte(after, '\n'); at >= 0 {
		after = after[:at]
	}
	m := Mutant{Operator: operator, Source: s.path, Line: line + 1, Start: start, End: end, Replacement: replacement, Description: description,
		Contract: contractName(s.contract), Function: functionName(s.function)}
	around := fmt.Sprintf("%s\x00%s\x00%s", bytes.TrimSpace(before), original, bytes.TrimSpace(after))
	key := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s", operator, m.Contract, m.Function, replacement, around)
	m.around = fmt.Sprintf("%d\x00%s", s.alike[key], around)
	s.alike[key]++
	s.mutants = append(s.mutants, m)
}

// smallestEdit is the edit without what stays as it is.
func smallestEdit(start int, original, replacement string) edit {
	for original != "" && replacement != "" && original[0] == replacement[0] {
		original, replacement, start = original[1:], replacement[1:], start+1
	}
	for original != "" && replacement != "" && original[len(original)-1] == replacement[len(replacement)-1] {
		original, replacement = original[:len(original)-1], replacement[:len(replacement)-1]
	}
	return edit{start, start + len(original), replacement}
}

// functionName is what people call a function or a modifier; empty for none.
func functionName(n *compile.Node) string {
	if n == nil {
		return ""
	}
	if name := n.Attribute("name"); name != "" {
		return name
	}
	if kind := n.Attribute("kind"); kind != "" && kind != "function" {
		return kind
	}
	if n.Attributes.Get("isConstructor") == true {
		return "constructor"
	}
	return "fallback"
}

// token is the first token with that text, in [start, end); false when there is none.
func (s *source) token(text string, start, end int) (solidity.Token, bool) {
	for i := s.tokenAt(start); i < len(s.tokens) && s.tokens[i].End <= end; i++ {
		if t := s.tokens[i]; string(s.text[t.Start:t.End]) == text {
			return t, true
		}
	}
	return solidity.Token{}, false
}

// tokenAt is the index of the first token that starts at a place or after it.
func (s *source) tokenAt(at int) int {
	return sort.Search(len(s.tokens), func(i int) bool { return s.tokens[i].Start >= at })
}

// statement is the end of a statement: compilers leave out the semicolon.
func (s *source) statement(n *compile.Node) int {
	end := n.End()
	if i := s.tokenAt(end); !strings.HasSuffix(s.of(n), ";") && i < len(s.tokens) && s.text[s.tokens[i].Start] == ';' {
		end = s.tokens[i].End
	}
	return end
}

// short is code in a sentence: in one line, shortened, in backquotes.
func short(code string) string {
	const enough = 200 // bytes; [reading.Shorten] keeps fewer
	if len(code) > enough {
		code = code[:enough]
	}
	return "`" + reading.Shorten(strings.Join(strings.Fields(code), " ")) + "`"
}

// became describes the replacement of code.
func became(before, after string) string {
	return short(before) + " became " + short(after)
}

func contractName(n *compile.Node) string {
	if n == nil {
		return ""
	}
	return n.Attribute("name")
}
