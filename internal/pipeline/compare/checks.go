package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// check is a statement that refuses a call: a require, or a revert with the condition in front of it.
type check struct {
	diffmap.Range          // the statement with its condition
	reason        string   // its error, or its message as it is written; empty: it gives none
	condition     []string // its words; none: they are not in the statement
	words         []string // of all of it
}

// checksIn lists the checks of a function or modifier with this text, in order.
func checksIn(d diffmap.Definition, text []byte) []check {
	scan := tokenScan{text: text, tokens: tokensOf(text)}
	var all []check
	for i := range scan.tokens {
		c := check{}
		first, last := i, i
		switch scan.word(i) {
		case "require":
			if scan.word(i+1) != "(" {
				continue
			}
			last = scan.closing(i + 1)
			comma := scan.comma(i+1, last)
			c.condition = scan.words(i+2, min(comma, last))
			c.reason = scan.reason(comma+1, last)
		case "revert":
			last = scan.end(i)
			c.reason = scan.reason(i+1, last)
			first, c.condition = scan.guarding(i)
		case "throw":
			first, c.condition = scan.guarding(i)
		default:
			continue
		}
		c.Range = diffmap.Range{Source: d.Source, Start: d.Start + scan.tokens[first].Start, End: d.Start + scan.tokens[last].End}
		c.words = scan.words(first, last+1)
		all = append(all, c)
	}
	return all
}

// tokenScan is a text with its tokens, comments left out.
type tokenScan struct {
	text   []byte
	tokens []solidity.Token
}

// word is a token's text; empty where there is none.
func (s *tokenScan) word(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return string(s.text[s.tokens[i].Start:s.tokens[i].End])
}

func (s *tokenScan) words(from, to int) []string {
	var words []string
	for i := from; i < min(to, len(s.tokens)); i++ {
		words = append(words, s.word(i))
	}
	return words
}

// closing is the index of the parenthesis that closes the one at open; the last token where none does.
func (s *tokenScan) closing(open int) int {
	depth := 0
	for i := open; i < len(s.tokens); i++ {
		switch s.word(i) {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s.tokens) - 1
}

// opening is the index of the parenthesis that the one at shut closes; −1 where none is.
func (s *tokenScan) opening(shut int) int {
	depth := 0
	for i := shut; i >= 0; i-- {
		switch s.word(i) {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// comma is the index of the last comma between the parentheses at open and shut that is in no others;
// shut where there is none.
func (s *tokenScan) comma(open, shut int) int {
	depth, at := 0, shut
	for i := open; i < shut; i++ {
		switch s.word(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 1 {
				at = i
			}
		}
	}
	return at
}

// end is the last token of the statement that begins at a token.
func (s *tokenScan) end(from int) int {
	for i := from; i < len(s.tokens); i++ {
		switch s.word(i) {
		case ";", "}":
			return i - 1
		case "(":
			return s.closing(i) // a statement in assembly has nothing behind it
		}
	}
	return len(s.tokens) - 1
}

// reason is the error that tokens name, or the text that they hold.
func (s *tokenScan) reason(from, to int) string {
	name := ""
	for i := from; i < min(to, len(s.tokens)); i++ {
		switch s.tokens[i].Kind {
		case solidity.String:
			return s.word(i)
		case solidity.Identifier:
			name = s.word(i)
		default:
			if s.word(i) == "(" && name != "" {
				return name
			}
		}
	}
	return name
}

// guarding is the condition of the if whose only statement begins at a token, with the index of the if.
func (s *tokenScan) guarding(at int) (first int, condition []string) {
	before := at - 1
	if s.word(before) == "{" {
		before--
	}
	if s.word(before) != ")" {
		return at, nil
	}
	open := s.opening(before)
	if open < 1 || s.word(open-1) != "if" {
		return at, nil
	}
	return open - 1, s.words(open+1, before)
}

// provides reports whether a text does something about a value that is false: whether an if that asks for it alone has a statement that assigns
// something.
func provides(text []byte, value string) bool {
	scan := tokenScan{text: text, tokens: tokensOf(text)}
	for i := range scan.tokens {
		if !slices.Equal(scan.words(i, i+5), []string{"if", "(", "!", value, ")"}) {
			continue
		}
		depth := 0
		for at := i + 5; at < len(scan.tokens); at++ {
			switch w := scan.word(at); {
			case w == "{":
				depth++
			case w == "}":
				depth--
			case strings.HasSuffix(w, "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, w):
				return true
			}
			if w := scan.word(at); depth <= 0 && (w == ";" || w == "}") {
				break
			}
		}
	}
	return false
}

// fate is what became of a check.
type fate uint8

const (
	gone      fate = iota // there is no counterpart
	edited                // it has another form
	unchanged             // its condition is the same
)

// counterpart finds what became of one of a function's checks among those that the head has in its
// place. Two that have the same text are the same. Of those left over, one became the one with the most in
// common: the reason, or at least half of the words of the condition.
func (c *check) counterpart(bases, heads []check) (became *check, is fate) {
	heads, bases = slices.Clone(heads), slices.Clone(bases)
	for _, same := range []func(a, b *check) bool{
		func(a, b *check) bool { return slices.Equal(a.words, b.words) },
		func(a, b *check) bool { return len(a.condition) > 0 && slices.Equal(a.condition, b.condition) },
	} {
		for i := 0; i < len(bases); i++ {
			at := slices.IndexFunc(heads, func(h check) bool { return same(&bases[i], &h) })
			if at < 0 {
				continue
			}
			if bases[i].Range == c.Range {
				return &heads[at], unchanged
			}
			heads, bases = slices.Delete(heads, at, at+1), slices.Delete(bases, i, i+1)
			i--
		}
	}
	type pair struct {
		head, base int
		share      float64
	}
	var pairs []pair
	for i := range bases {
		for j := range heads {
			if share := bases[i].alike(&heads[j]); share > 0 {
				pairs = append(pairs, pair{j, i, share})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.share, a.share) })
	takenHead, takenBase := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		if takenHead[p.head] || takenBase[p.base] {
			continue
		}
		if bases[p.base].Range == c.Range {
			return &heads[p.head], edited
		}
		takenHead[p.head], takenBase[p.base] = true, true
	}
	return nil, gone
}

// alike is how much of their conditions two checks have in common, and more if they have the same reason;
// 0: they have nothing to do with each other.
func (c *check) alike(other *check) float64 {
	share := shareOf(c.condition, other.condition)
	switch {
	case c.reason != "" && c.reason == other.reason:
		return 1 + share
	case share >= 0.5: // as statements are aligned, see alignStatements
		return share
	}
	return 0
}

// shareOf is the share of the words that two lists have in common, punctuation left out (Dice).
func shareOf(a, b []string) float64 {
	count := map[string]int{}
	n, common := 0, 0
	for _, w := range a {
		if !strings.Contains("(){}[];,.!", w) {
			count[w]++
			n++
		}
	}
	for _, w := range b {
		if strings.Contains("(){}[];,.!", w) {
			continue
		}
		n++
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	if n == 0 {
		return 0
	}
	return 2 * float64(common) / float64(n)
}

// literal reports whether a word is a number, a text or a boolean.
func literal(word string) bool {
	return word[0] >= '0' && word[0] <= '9' || word[0] == '"' || word[0] == '\'' || word == "true" || word == "false"
}

// onlyLiterals reports whether two texts differ in nothing but literals, if at all.
func onlyLiterals(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || literal(x) && literal(y) })
}
