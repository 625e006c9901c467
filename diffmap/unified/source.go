package unified

import (
	"sort"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// source is a tokenized text with its lines. Lines are 0-based in here.
type source struct {
	text      []byte
	lineStart []int            // offset of each line, and len(text) at the end
	code      []solidity.Token // tokens that are not comments
	ids       []int            // of each code token; equal text has equal ids
	comments  []solidity.Token
	// inside is what each line begins in: 0, or the first byte of the string
	// (" or ') or comment (/) that the line before it left open.
	inside []byte
}

// interner gives equal token texts equal numbers.
type interner map[string]int

func (in interner) id(text []byte) int {
	id, ok := in[string(text)]
	if !ok {
		id = len(in)
		in[string(text)] = id
	}
	return id
}

// lineStarts lists the offset of each line, and the text's length at the end.
func lineStarts(text []byte) []int {
	var starts []int
	for at := 0; at < len(text); {
		starts = append(starts, at)
		for at < len(text) && text[at] != '\n' {
			at++
		}
		at++
	}
	return append(starts, len(text))
}

// newSource tokenizes text.
func newSource(text []byte, in interner) *source {
	s := &source{text: text, lineStart: lineStarts(text)}
	s.inside = make([]byte, len(s.lineStart))
	for _, t := range solidity.Tokenize(text) {
		if t.Kind == solidity.Comment {
			s.comments = append(s.comments, t)
		} else {
			s.code = append(s.code, t)
			s.ids = append(s.ids, in.id(text[t.Start:t.End]))
		}
		if t.Kind == solidity.Comment || t.Kind == solidity.String {
			for line := s.lineOf(t.Start) + 1; line < len(s.lineStart) && s.lineStart[line] < t.End; line++ {
				s.inside[line] = text[t.Start]
			}
		}
	}
	return s
}

// lines returns the number of lines.
func (s *source) lines() int { return len(s.lineStart) - 1 }

// lineOf returns the line that holds an offset below len(text).
func (s *source) lineOf(offset int) int {
	return sort.SearchInts(s.lineStart, offset+1) - 1
}

// codeIn returns the range of code tokens that start on lines [from, to).
func (s *source) codeIn(from, to int) (int, int) {
	return firstToken(s.code, s.lineStart[from]), firstToken(s.code, s.lineStart[to])
}

// firstToken returns the index of the first token that starts at or behind
// offset.
func firstToken(tokens []solidity.Token, offset int) int {
	return sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= offset })
}

// commentsIn returns the comments that overlap the lines [from, to).
func (s *source) commentsIn(from, to int) []solidity.Token {
	start, end := s.lineStart[from], s.lineStart[to]
	first := sort.Search(len(s.comments), func(i int) bool { return s.comments[i].End > start })
	return s.comments[first:max(first, firstToken(s.comments, end))]
}

// codeOn returns the code tokens that start on a line, as text.
func (s *source) codeOn(line int) string {
	var b strings.Builder
	from, to := s.codeIn(line, line+1)
	for i := from; i < to; i++ {
		b.WriteString(s.tokenText(i))
		b.WriteByte(' ')
	}
	return b.String()
}

// tokenText returns the text of the i-th code token.
func (s *source) tokenText(i int) string {
	return string(s.text[s.code[i].Start:s.code[i].End])
}

// firstOnLine reports whether no code token stands before the i-th on its line.
func (s *source) firstOnLine(i int) bool {
	return i == 0 || s.lineOf(s.code[i-1].Start) != s.lineOf(s.code[i].Start)
}

// boundaryScore rates the place in front of the i-th code token as the end of a
// changed piece of text: best at a line's first token, good between statements.
func (s *source) boundaryScore(i int) int {
	switch {
	case i >= len(s.code) || s.firstOnLine(i):
		return 2
	case endsStatement(s.tokenText(i - 1)):
		return 1
	}
	return 0
}

// endsStatement reports whether a statement or declaration can end, or a list of
// them begin, with the token.
func endsStatement(text string) bool { return text == ";" || text == "{" || text == "}" }
