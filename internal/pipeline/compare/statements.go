package compare

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// statement is a part of a source that an oracle may see fail.
type statement struct {
	diffmap.Range
	words []string
	in    diffmap.Definition // zero: in no function
	at    []bytecode.Location
}

// statementsOf lists the statements of a contract's code that have an instruction op and
// are of a kind, see kindOf.
func statementsOf(contract string, b *deploy.Build, op byte, kind string) []*statement {
	known := map[diffmap.Range]*statement{}
	var list []*statement
	for _, p := range programsOf(contract, b) {
		p.Instructions(func(pc uint32) bool {
			at := bytecode.Location{Code: p.ID, PC: pc}
			if p.Bytes[pc] != op {
				return true
			}
			text, ok := b.Positions.TextAt(at)
			if !ok || kindOf(text) != kind {
				return true
			}
			r, _ := b.Positions.RangeAt(at)
			s := known[r]
			if s == nil {
				s = &statement{Range: r, words: wordsOf([]byte(text))}
				s.in, _ = b.Positions.DefinitionAt(at)
				known[r] = s
				list = append(list, s)
			}
			s.at = append(s.at, at)
			return true
		})
	}
	slices.SortStableFunc(list, func(a, b *statement) int { return a.Start - b.Start })
	return list
}

// kindOf is the word that says what a statement is: assert, emit, function; empty for an
// assignment.
func kindOf(text string) string {
	words := wordsOf([]byte(text[:min(len(text), 256)]))
	switch {
	case len(words) > 1 && words[1] == "(":
		return words[0]
	case len(words) > 1 && slices.Contains([]string{"emit", "function", "modifier"}, words[0]):
		return words[0]
	}
	return ""
}

// wordsOf are the tokens of a text without comments.
func wordsOf(text []byte) []string {
	var words []string
	for _, t := range solidity.Tokenize(text) {
		if t.Kind != solidity.Comment {
			words = append(words, string(text[t.Start:t.End]))
		}
	}
	return words
}

// counterparts are the statements of the base that a statement of the head may have been.
type counterparts struct {
	same   []*statement // with the same text but for renamed variables
	edited []*statement // with another text
	gone   []*statement // of the contract that the head does not have any more
	bases  []*statement // all
}

// placesOf are where the statements are in the base's code.
func placesOf(statements []*statement) []bytecode.Location {
	var places []bytecode.Location
	for _, s := range statements {
		places = append(places, s.at...)
	}
	return places
}

// holds is the statement of a list that an instruction of the base belongs to; nil where
// it belongs to none.
func holds(list []*statement, at bytecode.Location) *statement {
	for _, s := range list {
		if slices.Contains(s.at, at) {
			return s
		}
	}
	return nil
}

// correspond finds the base's counterparts of one of the head's statements. A statement
// was in the function that its own function was, in the place that the words around it
// say. What is left over on both sides was moved within the function, or written anew; of
// other functions, what is left over was moved if its text is the same.
func correspond(target *statement, heads, bases []*statement, functions *diffmap.Counterparts) counterparts {
	a := &alignment{functions: functions, was: map[*statement]*statement{}, edits: map[*statement][]*statement{}, taken: map[*statement]bool{}}
	seen := map[diffmap.Definition]bool{}
	for _, h := range heads {
		if before, ok := functions.Function(h.in); ok && !seen[h.in] {
			seen[h.in] = true
			a.within(h.in, before, of(heads, h.in), of(bases, before))
		}
	}
	c := counterparts{bases: bases, edited: a.edits[target]}
	for _, b := range bases {
		if a.taken[b] {
			continue
		}
		c.gone = append(c.gone, b)
		if a.was[target] == nil && len(a.edits[target]) == 0 && a.renamed(target, b) {
			c.same = append(c.same, b)
		}
	}
	switch b := a.was[target]; {
	case b == nil:
	case a.renamed(target, b):
		c.same = append(c.same, b)
	default:
		c.edited = append(c.edited, b)
	}
	return c
}

// of are the statements of a function.
func of(list []*statement, d diffmap.Definition) []*statement {
	return slices.DeleteFunc(slices.Clone(list), func(s *statement) bool { return s.in != d })
}

// alignment pairs the statements of the two versions.
type alignment struct {
	functions *diffmap.Counterparts
	was       map[*statement]*statement   // the base's of the head's
	edits     map[*statement][]*statement // those of which one may have been it
	taken     map[*statement]bool         // of the base
}

func (a *alignment) pair(h, b *statement) { a.was[h], a.taken[b] = b, true }

// renamed is [renamed] of two statements in their functions.
func (a *alignment) renamed(h, b *statement) bool {
	return renamed(h.words, b.words, a.functions.HeadText(rangeOf(h.in)), a.functions.BaseText(rangeOf(b.in)))
}

func rangeOf(d diffmap.Definition) diffmap.Range {
	return diffmap.Range{Source: d.Source, Start: d.Start, End: d.End}
}

// within pairs the statements of a function with those of its base version.
func (a *alignment) within(d, before diffmap.Definition, hs, bs []*statement) {
	alignStatements(hs, bs, a.functions.HeadText(rangeOf(d)), a.functions.BaseText(rangeOf(before)), d.Start, before.Start, a.pair)
	for _, h := range hs {
		for _, b := range bs {
			if a.was[h] == nil && !a.taken[b] && a.renamed(h, b) {
				a.pair(h, b)
			}
		}
	}
	left := slices.DeleteFunc(bs, func(b *statement) bool { return a.taken[b] })
	for _, h := range hs {
		if a.was[h] == nil {
			a.edits[h] = left
		}
	}
	for _, b := range left {
		a.taken[b] = slices.ContainsFunc(hs, func(h *statement) bool { return a.was[h] == nil })
	}
}

// renamed reports whether two statements are the same but for names that the other side's
// function does not have, each always for the same one.
func renamed(head, base []string, headText, baseText []byte) bool {
	if slices.Equal(head, base) {
		return true
	}
	if len(head) != len(base) {
		return false
	}
	headWords, baseWords := wordsOf(headText), wordsOf(baseText)
	to, from := map[string]string{}, map[string]string{}
	for i, word := range head {
		other := base[i]
		if t, ok := to[word]; ok && t != other {
			return false
		}
		if f, ok := from[other]; ok && f != word {
			return false
		}
		to[word], from[other] = other, word
		if word != other && (!isName(word) || !isName(other) || slices.Contains(baseWords, word) || slices.Contains(headWords, other)) {
			return false
		}
	}
	return true
}

func isName(word string) bool {
	return word[0] == '_' || word[0] == '$' || 'a' <= word[0]|0x20 && word[0]|0x20 <= 'z'
}

// maxAligned bounds the table of a longest common subsequence: two functions of 2,000
// words each. In longer ones the statements are taken in order. Arbitrary.
const maxAligned = 4_000_000

// alignStatements pairs the statements of a function with those of its base version, by
// the longest common subsequence of the functions' words: those that share at least half
// of theirs.
func alignStatements(hs, bs []*statement, headText, baseText []byte, headStart, baseStart int, pair func(h, b *statement)) {
	head, base := tokensOf(headText), tokensOf(baseText)
	aligned := commonWords(headText, baseText, head, base)
	type candidate struct {
		h, b  *statement
		share float64
	}
	within := func(t solidity.Token, start int, s *statement) bool {
		return s.Start <= start+t.Start && start+t.End <= s.End
	}
	var candidates []candidate
	for _, h := range hs {
		for _, b := range bs {
			common := 0
			for i, j := range aligned {
				if j >= 0 && within(head[i], headStart, h) && within(base[j], baseStart, b) {
					common++
				}
			}
			if share := 2 * float64(common) / float64(len(h.words)+len(b.words)); share >= 0.5 {
				candidates = append(candidates, candidate{h, b, share})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		switch {
		case a.share > b.share:
			return -1
		case a.share < b.share:
			return 1
		}
		return 0
	})
	taken := map[*statement]bool{}
	for _, c := range candidates {
		if !taken[c.h] && !taken[c.b] {
			taken[c.h], taken[c.b] = true, true
			pair(c.h, c.b)
		}
	}
}

func tokensOf(text []byte) []solidity.Token {
	return slices.DeleteFunc(solidity.Tokenize(text), func(t solidity.Token) bool { return t.Kind == solidity.Comment })
}

// commonWords gives for each token of head the one of base that it is in a longest common
// subsequence, the first possible one; -1 where it is in none.
func commonWords(headText, baseText []byte, head, base []solidity.Token) []int {
	aligned := make([]int, len(head))
	for i := range aligned {
		aligned[i] = -1
	}
	equal := func(i, j int) bool {
		return string(headText[head[i].Start:head[i].End]) == string(baseText[base[j].Start:base[j].End])
	}
	from := 0
	for from < len(head) && from < len(base) && equal(from, from) {
		aligned[from] = from
		from++
	}
	n, m := len(head), len(base)
	for n > from && m > from && equal(n-1, m-1) {
		n, m = n-1, m-1
		aligned[n] = m
	}
	rows, columns := n-from, m-from
	if rows*columns > maxAligned {
		return aligned
	}
	longest := make([]int32, (rows+1)*(columns+1)) // from i, j on
	for i := rows - 1; i >= 0; i-- {
		for j := columns - 1; j >= 0; j-- {
			at := i*(columns+1) + j
			if equal(from+i, from+j) {
				longest[at] = longest[at+columns+2] + 1
			} else {
				longest[at] = max(longest[at+columns+1], longest[at+1])
			}
		}
	}
	for i, j := 0, 0; i < rows && j < columns; {
		at := i*(columns+1) + j
		switch {
		case equal(from+i, from+j):
			aligned[from+i] = from + j
			i, j = i+1, j+1
		case longest[at+columns+1] > longest[at+1]:
			i++
		default:
			j++
		}
	}
	return aligned
}

// programsOf are the programs of a contract.
func programsOf(name string, b *deploy.Build) []*bytecode.Program {
	contract := b.Contract(name)
	if contract == nil {
		return nil
	}
	var programs []*bytecode.Program
	for _, code := range []*bytecode.Code{contract.Creation, contract.Runtime} {
		if code == nil {
			continue
		}
		if p := b.Table.Program(code.ID); p != nil {
			programs = append(programs, p)
		}
	}
	return programs
}

// textual reports whether the source text of all code of a contract is known.
func textual(name string, b *deploy.Build) bool {
	return !slices.ContainsFunc(programsOf(name, b), func(p *bytecode.Program) bool { return !b.Positions.KnowsTexts(p.ID) })
}

// shortSignature is a function for people: "Meter.set(uint256)".
func shortSignature(instance, signature string) string {
	contract, _, _ := strings.Cut(instance, "#")
	return contract + "." + signature
}
