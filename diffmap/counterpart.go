package diffmap

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Definition is a function or a modifier as a source has it. Two are the same if they
// are equal.
type Definition struct {
	Source     string // the compiler's name of it
	Contract   string // that it is a member of; empty for a free function
	Name       string // as [Positions.FunctionAt] has it
	Start, End int    // bytes of the source
}

// Range is a part of a source.
type Range struct {
	Source     string // the compiler's name of it
	Start, End int    // bytes
}

// DefinitionAt is the function or modifier whose source the instruction at loc was
// compiled from. False where [Positions.FunctionAt] is.
func (p *Positions) DefinitionAt(loc bytecode.Location) (Definition, bool) {
	source, entry, ok := p.source(loc)
	if !ok || source.AST == nil {
		return Definition{}, false
	}
	for _, d := range definitionsOf(source.Source) {
		if d.Start <= entry.Start && entry.Start+entry.Length <= d.End {
			return d, true
		}
	}
	return Definition{}, false
}

// DeclarationAt is where the function or modifier begins whose source the instruction at loc
// was compiled from. False where [Positions.DefinitionAt] is, and where the text is not known.
func (p *Positions) DeclarationAt(loc bytecode.Location) (bytecode.Position, bool) {
	source, _, ok := p.source(loc)
	d, defined := p.DefinitionAt(loc)
	if !ok || !defined || source.text == nil || d.Start > len(source.text) {
		return bytecode.Position{}, false
	}
	lines := p.lineTable(source)
	return bytecode.Position{File: source.file, Line: lines.lineOf(d.Start), Column: lines.columnOf(d.Start)}, true
}

// RangeAt is the part of a source that the instruction at loc was compiled from. False
// where [Positions.TextAt] is.
func (p *Positions) RangeAt(loc bytecode.Location) (Range, bool) {
	source, entry, ok := p.source(loc)
	if !ok || source.text == nil {
		return Range{}, false
	}
	return Range{source.Path, entry.Start, entry.Start + entry.Length}, true
}

// definitionsOf lists the functions and modifiers of a source, by place.
func definitionsOf(s *compile.Source) []Definition {
	var list []Definition
	if s.AST == nil {
		return nil
	}
	s.AST.Walk(func(n *compile.Node) bool {
		if n.Type != "FunctionDefinition" && n.Type != "ModifierDefinition" {
			return true
		}
		if n.File == s.ID && n.Start >= 0 {
			contract := ""
			if n.Parent != nil && n.Parent.Type == "ContractDefinition" {
				contract = n.Parent.Attribute("name")
			}
			list = append(list, Definition{s.Path, contract, functionName(n), n.Start, n.End()})
		}
		return false
	})
	return list
}

// similar is the share of their words that two pieces of code have in common if one may
// have become the other. git takes half of the lines for a renamed file; short functions
// share their keywords anyway. Arbitrary.
const similar = 0.6

// maxUnmatched bounds how many contracts or functions without an equal of the same name
// are compared with each other: their number squared is the work. Arbitrary.
const maxUnmatched = 500

// Counterparts say which contract and which function of the base became which one of the
// head, whatever their names are and wherever they stand. Names come first: what has the
// same name in the same place is the same, however much it changed. What remains on both
// sides is the same if its name is, in another place, or if its text is similar.
type Counterparts struct {
	// Contracts has the head's contract, "source:name", of each of the base's that has one.
	Contracts map[string]string

	functions map[Definition]Definition // the base's of the head's
	became    map[Definition]Definition // the head's of the base's
	heads     []Definition
	head      map[string]*compile.Source
	base      map[string]*compile.Source
}

// NewCounterparts compares the two builds of a side.
func NewCounterparts(side BaseSide) *Counterparts {
	c := &Counterparts{Contracts: map[string]string{}, functions: map[Definition]Definition{}, became: map[Definition]Definition{}, head: map[string]*compile.Source{}, base: map[string]*compile.Source{}}
	var contracts, functions [2][]piece
	for i, o := range []*compile.Output{side.Head, side.Base} {
		for _, s := range o.Sources {
			canonical := s.Path
			if i == 0 {
				c.head[s.Path] = s
				c.heads = append(c.heads, definitionsOf(s)...)
			} else {
				c.base[s.Path] = s
				canonical = cmp.Or(side.Renamed[s.Path], s.Path)
			}
			contracts[i] = append(contracts[i], contractPieces(s, canonical)...)
		}
	}
	pairUp(contracts[0], contracts[1], []criterion{sameSource | sameName, sameName, sameSource | alike, alike}, func(head, base *piece) {
		c.Contracts[base.own.Source+":"+base.own.Name] = head.own.Source + ":" + head.own.Name
	})
	for i, o := range []*compile.Output{side.Head, side.Base} {
		for _, s := range o.Sources {
			for _, d := range definitionsOf(s) {
				container := d.Source + ":" + d.Contract
				if i == 1 {
					container = cmp.Or(c.Contracts[container], cmp.Or(side.Renamed[d.Source], d.Source)+":"+d.Contract)
				}
				functions[i] = append(functions[i], functionPiece(s, d, container))
			}
		}
	}
	pairUp(functions[0], functions[1], []criterion{sameSource | sameName | sameHeader, sameSource | sameName, sameName | sameHeader | alike, sameSource | alike, alike}, func(head, base *piece) {
		c.functions[head.own], c.became[base.own] = base.own, head.own
	})
	return c
}

// Function is what a function or modifier of the head was on the base; false where the base
// did not have it.
func (c *Counterparts) Function(head Definition) (Definition, bool) {
	base, ok := c.functions[head]
	return base, ok
}

// Became is the function or modifier of the head that one of the base has become; false where the
// head does not have it.
func (c *Counterparts) Became(base Definition) (Definition, bool) {
	head, ok := c.became[base]
	return head, ok
}

// Redeclared reports whether a variable that is declared outside of functions has another declaration, by
// its words, than on the base.
func (c *Counterparts) Redeclared(name string) bool {
	return !maps.Equal(declarationsOf(c.head, name), declarationsOf(c.base, name))
}

// declarationsOf counts the declarations of variables of a name outside of functions.
func declarationsOf(sources map[string]*compile.Source, name string) map[string]int {
	count := map[string]int{}
	for _, s := range sources {
		if s.AST == nil {
			continue
		}
		s.AST.Walk(func(n *compile.Node) bool {
			if n.Type == "VariableDeclaration" && n.Attribute("name") == name && n.File == s.ID {
				var words []string
				text := textOf(s, n.Start, n.End())
				for _, t := range solidity.Tokenize(text) {
					if t.Kind != solidity.Comment {
						words = append(words, string(text[t.Start:t.End]))
					}
				}
				count[strings.Join(words, " ")]++
			}
			return n.Type == "SourceUnit" || n.Type == "ContractDefinition"
		})
	}
	return count
}

// Functions lists the functions of the head that have a name: those of a contract first.
func (c *Counterparts) Functions(contract, name string) []Definition {
	var own, others []Definition
	for _, d := range c.heads {
		switch {
		case d.Name != name:
		case d.Contract == contract:
			own = append(own, d)
		default:
			others = append(others, d)
		}
	}
	return append(own, others...)
}

// HeadText is the text of a part of a source of the head; empty where it is not known.
func (c *Counterparts) HeadText(r Range) []byte { return textOf(c.head[r.Source], r.Start, r.End) }

// BaseText is HeadText for the base.
func (c *Counterparts) BaseText(r Range) []byte { return textOf(c.base[r.Source], r.Start, r.End) }

func textOf(s *compile.Source, start, end int) []byte {
	if s == nil || start < 0 || end > len(s.Text) || start > end {
		return nil
	}
	return s.Text[start:end]
}

// piece is a contract, function or modifier to be found again.
type piece struct {
	own    Definition // a contract's: its name, and no contract
	where  string     // in the head's names: the source of a contract, the contract of a function
	header string     // of a function, its parameters
	bodied bool
	words  map[string]int
	count  int
}

// criterion says what two pieces have to have in common.
type criterion uint8

const (
	sameSource criterion = 1 << iota // they stand in the same place
	sameName
	sameHeader
	alike // they have a body, and much of it in common
)

// pairUp pairs the pieces of the two sides, by one criterion after the other. Of several
// that may be meant, those with the most in common are.
func pairUp(head, base []piece, criteria []criterion, found func(head, base *piece)) {
	heads, bases := pointers(head), pointers(base)
	for _, criterion := range criteria {
		taken := map[*piece]bool{}
		for _, c := range criterion.candidates(heads, bases) {
			if !taken[c.head] && !taken[c.base] {
				taken[c.head], taken[c.base] = true, true
				found(c.head, c.base)
			}
		}
		heads = slices.DeleteFunc(heads, func(p *piece) bool { return taken[p] })
		bases = slices.DeleteFunc(bases, func(p *piece) bool { return taken[p] })
	}
}

func pointers(pieces []piece) []*piece {
	list := make([]*piece, len(pieces))
	for i := range pieces {
		list[i] = &pieces[i]
	}
	return list
}

// candidate is a pair that meets a criterion.
type candidate struct {
	head, base *piece
	similarity float64
}

// candidates lists the pairs that meet a criterion, the most similar first.
func (c criterion) candidates(heads, bases []*piece) []candidate {
	byName := map[string][]*piece{}
	for _, b := range bases {
		byName[b.own.Name] = append(byName[b.own.Name], b)
	}
	if c&sameName == 0 {
		heads, bases = heads[:min(len(heads), maxUnmatched)], bases[:min(len(bases), maxUnmatched)]
	}
	var list []candidate
	for _, h := range heads {
		others := bases
		if c&sameName != 0 {
			others = byName[h.own.Name]
		}
		for _, b := range others {
			if similarity, ok := c.meets(h, b); ok {
				list = append(list, candidate{h, b, similarity})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.similarity, a.similarity) })
	return list
}

// meets reports whether two pieces with the names that the criterion asks for meet it, and
// how similar they are.
func (c criterion) meets(head, base *piece) (similarity float64, ok bool) {
	if c&sameSource != 0 && head.where != base.where || c&sameHeader != 0 && head.header != base.header {
		return 0, false
	}
	similarity = head.similarity(base)
	return similarity, c&alike == 0 || head.bodied && base.bodied && similarity >= similar
}

// similarity is the share of words that two pieces have in common (Dice), from 0 to 1.
func (p *piece) similarity(other *piece) float64 {
	if p.count+other.count == 0 {
		return 0
	}
	common := 0
	for word, n := range p.words {
		common += min(n, other.words[word])
	}
	return 2 * float64(common) / float64(p.count+other.count)
}

// read counts the words of a text: names, literals and operators. Punctuation that every
// piece of code has is not among them, nor is the name under which the piece is known.
func (p *piece) read(text []byte) {
	p.words = map[string]int{}
	for _, t := range solidity.Tokenize(text) {
		word := string(text[t.Start:t.End])
		if t.Kind == solidity.Comment || word == p.own.Name || strings.Contains("(){}[];,.", word) {
			continue
		}
		p.words[word]++
		p.count++
	}
}

func contractPieces(s *compile.Source, canonical string) []piece {
	var pieces []piece
	if s.AST == nil {
		return nil
	}
	s.AST.Walk(func(n *compile.Node) bool {
		if n.Type == "ContractDefinition" {
			p := piece{own: Definition{s.Path, "", n.Attribute("name"), n.Start, n.End()}, where: canonical}
			p.read(textOf(s, n.Start, n.End()))
			p.bodied = p.count > 0
			pieces = append(pieces, p)
		}
		return n.Type == "SourceUnit"
	})
	return pieces
}

func functionPiece(s *compile.Source, d Definition, container string) piece {
	p := piece{own: d, where: container}
	text := textOf(s, d.Start, d.End)
	p.read(text)
	p.bodied = bytes.ContainsRune(text, '{')
	p.header = strings.Join(ParameterTypes(text), ",")
	return p
}

// ParameterTypes are the types of the parameters of a function with this text, as they are
// written there, with uint and int by their full names.
func ParameterTypes(text []byte) []string {
	var types []string
	depth, first := 0, true
	for _, t := range solidity.Tokenize(text) {
		word := string(text[t.Start:t.End])
		switch {
		case t.Kind == solidity.Comment:
		case word == "(":
			if depth++; depth == 1 {
				first = true
			}
		case word == ")":
			if depth--; depth == 0 {
				return types
			}
		case depth == 0:
			if word == "{" {
				return types
			}
		case word == ",":
			first = depth == 1
		case first:
			types, first = append(types, fullName(word)), false
		case word == "[" || word == "]" || word == ".":
			types[len(types)-1] += word
		case t.Kind == solidity.Number || len(types) > 0 && strings.HasSuffix(types[len(types)-1], "."):
			types[len(types)-1] += word
		}
	}
	return types
}

func fullName(word string) string {
	switch word {
	case "uint", "int":
		return word + "256"
	}
	return word
}
