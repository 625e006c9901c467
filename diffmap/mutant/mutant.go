// Package mutant plants small mistakes in the changed lines of Solidity sources, to ask
// whether a run would notice them: "caught 7 of 9 mutants". Mistakes are found in ASTs and
// carried out in texts. The package compiles nothing: most mutants compile, and a compiler
// has the last word on each.
//
// Inline assembly is left as it is.
package mutant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// Operator is a kind of mistake. Its text is stable.
type Operator string

// The operators. What each stands for is said where it is carried out.
const (
	Relational      Operator = "relational"
	Arithmetic      Operator = "arithmetic"
	OffByOne        Operator = "off-by-one"
	RemoveRequire   Operator = "remove-require"
	RemoveModifier  Operator = "remove-modifier"
	RemoveStatement Operator = "remove-statement"
	SwapArguments   Operator = "swap-arguments"
	SwapVariables   Operator = "swap-variables"
	WidenVisibility Operator = "widen-visibility"
	DropUnchecked   Operator = "drop-unchecked"
	DropCast        Operator = "drop-cast"
	EventArgument   Operator = "event-argument"
)

// table lists the operators with what plants them, in the order in which they take turns:
// those first whose mistakes matter most in audits.
var table = []struct {
	name  Operator
	plant func(*source, *compile.Node)
}{
	{RemoveRequire, plantRemoveRequire},
	{RemoveModifier, plantRemoveModifier},
	{Relational, plantRelational},
	{Arithmetic, plantArithmetic},
	{RemoveStatement, plantRemoveStatement},
	{SwapVariables, plantSwapVariables},
	{SwapArguments, plantSwapArguments},
	{OffByOne, plantOffByOne},
	{WidenVisibility, plantWidenVisibility},
	{DropUnchecked, plantDropUnchecked},
	{DropCast, plantDropCast},
	{EventArgument, plantEventArgument},
}

// Operators lists all operators, in the order in which they take turns.
func Operators() []Operator {
	var names []Operator
	for _, o := range table {
		names = append(names, o.name)
	}
	return names
}

// Mutant is one small mistake planted in a source.
type Mutant struct {
	Operator    Operator
	Source      string // path as the compiler knows it ([compile.Source.Path])
	Line        int    // in the source, from 1, where the edit begins
	Start, End  int    // bytes of the original text that are replaced
	Replacement string // has as many line ends as what it replaces: all other lines stay where they are
	Contract    string // of the innermost declaration, for people; empty outside
	Function    string // or modifier; "constructor", "fallback", "receive"; empty outside
	Description string // for people: "`>` became `>=`", "`require(msg.sender == owner)` removed"

	around string // the texts around the edit, and which of those with equal ones it is
}

// ID is a short hash of the mistake: the same in each run where the text around it is the
// same, wherever that is in the source.
func (m *Mutant) ID() string {
	hash := sha256.New()
	for _, part := range []string{string(m.Operator), m.Source, m.Contract, m.Function, m.Replacement, m.around} {
		fmt.Fprintf(hash, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil)[:6]) // 48 bits: 65,536 mutants share one with a chance of 1 in 100,000
}

// Apply returns the text with the mistake; the text as it is where the edit does not lie in it.
func (m *Mutant) Apply(text []byte) []byte {
	if m.Start < 0 || m.End < m.Start || m.End > len(text) {
		return slices.Clone(text)
	}
	return slices.Concat(text[:m.Start], []byte(m.Replacement), text[m.End:])
}

// Span is a half-open range of bytes in a text.
type Span struct{ Start, End int }

// Options of [Of].
type Options struct {
	// Most is how many mutants there are of all sources; 0: no limit. They are chosen so
	// that operators, functions and lines have their share, the same in each run.
	Most int
	// Operators are those to plant; none: all.
	Operators []Operator
}

// maxMutants bounds the work on a stranger's sources: more than the lines of the largest
// projects have. Arbitrary.
const maxMutants = 1 << 16

// Of lists mutants of the lines that the spans touch: byte ranges of changed text by source
// path. They are in the order of sources and places. The edit of each begins in one of the
// lines. Where the statements of an AST were dropped, what was inside has none.
func Of(o *compile.Output, changed map[string][]Span, options Options) []Mutant {
	p := newPlanter(o, options.Operators)
	var all []Mutant
	for _, s := range o.Sources {
		if s.AST == nil || s.Text == nil || len(changed[s.Path]) == 0 {
			continue
		}
		all = append(all, p.source(s, changed[s.Path], maxMutants-len(all))...)
	}
	if options.Most > 0 && len(all) > options.Most {
		all = choose(all, options.Most)
	}
	slices.SortStableFunc(all, func(a, b Mutant) int { return strings.Compare(a.Source, b.Source) })
	return all
}
