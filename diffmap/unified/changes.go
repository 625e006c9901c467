package unified

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// ChangeKind says how a line of the head version changed.
type ChangeKind uint8

// The kinds of changed lines.
const (
	LineAdded      ChangeKind = iota // the diff adds it and deletes nothing there
	LineEdited                       // it replaces lines of the base version, or its code changed meaning
	DeletionAnchor                   // it follows deleted code
	Indirect                         // it did not change, but its code did: see [diffmap.Mapping.AddIndirect]
)

var changeNames = [...]string{"added", "edited", "deletion", "indirect"}

// String returns the kind as a lower-case word.
func (k ChangeKind) String() string {
	if int(k) < len(changeNames) {
		return changeNames[k]
	}
	return fmt.Sprintf("ChangeKind(%d)", uint8(k))
}

// Span is a half-open range [Start, End) of byte offsets in the head file, as
// solc counts them. An empty span is a place where code was deleted.
type Span struct {
	Start, End int
}

// ChangedLine is a line of the head version that a diff touches. A line without
// Spans has no changed code; then exactly one of Formatting, Comment and Moved
// is set.
type ChangedLine struct {
	Path string // in the head tree
	Line int    // 1-based
	Kind ChangeKind
	// Spans are the changed tokens of the line, neighbors joined, in order. The
	// part of a token on another line belongs to that line. A span of a
	// DeletionAnchor is empty and stands at the line's start, or at the end of
	// the file.
	Spans []Span

	Formatting bool // only whitespace changed, line ends included
	Comment    bool // only comments changed
	Moved      bool // part of a declaration that the same contract of the base version has elsewhere
}

// tokenized reports whether changes inside the file are looked at.
func (f File) tokenized() bool {
	return IsSource(f.NewPath) && f.Status != Deleted && !f.Binary && !f.Submodule && !f.Symlink
}

// Changes compares the tokens of both versions and returns the changed lines of
// the head file, in order. head is the file's text in the head version; a
// *[MismatchError] says that it is not the version the diff was made of.
//
// Every line the diff adds is in the result. Besides there are:
// deletion anchors, on the line that follows deleted code (on the last line when
// code was deleted at the end of the file); and lines the diff does not show
// whose code came into being or vanished because a comment or string was opened
// or closed above them. All lines of a copied file are added ones. Deleted,
// binary and other files than .sol, .yul and .vy have no changed lines. Those of
// .vy files are taken for changed as a whole.
func (f File) Changes(head []byte) ([]ChangedLine, error) {
	if !f.tokenized() {
		return nil, nil
	}
	oldText, err := f.OldText(head)
	if err != nil {
		return nil, err
	}
	if f.Status == Copied {
		oldText = nil
		lines, _ := splitLines(string(head))
		f.Edits = []Edit{{OldStart: 1, NewStart: 1, New: lines}}
	}
	if !solidity.IsSource(f.NewPath) {
		return untokenized(f.NewPath, f.Edits, head), nil
	}
	in := interner{}
	c := &comparison{path: f.NewPath, head: newSource(head, in)}
	c.old = newSource(oldText, in)
	c.oldKept, c.headKept, c.origin = unmoved(c.old, c.head)
	for _, group := range groups(c.regions(f.Edits)) {
		same := c.sameTokens(group)
		for _, r := range group {
			c.compare(r, same)
		}
	}
	slices.SortStableFunc(c.result, func(a, b ChangedLine) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	return c.result, nil
}

// comparison holds both versions of a file while its changed lines are found.
type comparison struct {
	path              string
	old, head         *source
	oldKept, headKept []bool // code tokens of declarations that both versions have
	origin            []int  // of a kept token of the head: the old one
	result            []ChangedLine
}

// region is a pair of 0-based line ranges that are compared as a whole: one or
// more edits and the lines after them that begin inside a comment or string on
// one side only.
type region struct {
	oldFrom, oldTo, headFrom, headTo int
	edits                            []Edit
}

// regions makes the regions of a file's edits.
func (c *comparison) regions(edits []Edit) []region {
	var list []region
	for i := 0; i < len(edits); i++ {
		e := edits[i]
		r := region{e.OldStart - 1, e.OldStart - 1 + len(e.Old), e.NewStart - 1, e.NewStart - 1 + len(e.New), edits[i : i+1]}
		first := i
		// A string that an unchanged line leaves open is one token with what follows.
		for r.headFrom > 0 && r.oldFrom > 0 && (isQuote(c.head.inside[r.headFrom]) || isQuote(c.old.inside[r.oldFrom])) {
			r.headFrom, r.oldFrom = r.headFrom-1, r.oldFrom-1
		}
		for r.headTo < c.head.lines() && r.oldTo < c.old.lines() {
			if i+1 < len(edits) && r.headTo == edits[i+1].NewStart-1 {
				i++
				r.oldTo, r.headTo = r.oldTo+len(edits[i].Old), r.headTo+len(edits[i].New)
				continue
			}
			state := c.head.inside[r.headTo]
			if state == c.old.inside[r.oldTo] && !isQuote(state) {
				break
			}
			r.oldTo, r.headTo = r.oldTo+1, r.headTo+1
		}
		r.edits = edits[first : i+1]
		if k := len(list) - 1; k >= 0 && list[k].headTo > r.headFrom {
			last := &list[k]
			last.oldTo, last.headTo = r.oldTo, r.headTo
			last.edits = edits[first-len(last.edits) : i+1]
			continue
		}
		list = append(list, r)
	}
	return list
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// groupGap is the number of unchanged lines between edits that may belong to
// one reformatting, as git counts the context of a hunk.
const groupGap = 3

// groups splits the regions where more than groupGap lines lie between them.
func groups(list []region) [][]region {
	var out [][]region
	for i := range list {
		if k := len(out) - 1; k >= 0 && list[i].headFrom-list[i-1].headTo <= groupGap {
			out[k] = append(out[k], list[i])
		} else {
			out = append(out, list[i:i+1:i+1])
		}
	}
	return out
}

// sameTokens reports whether a group of regions and the lines between them have
// the same tokens on both sides: a reformatting whose edits, each on its own,
// seem to move tokens across an unchanged line.
func (c *comparison) sameTokens(group []region) bool {
	first, last := group[0], group[len(group)-1]
	a, b := c.old.codeIn(first.oldFrom, last.oldTo)
	x, y := c.head.codeIn(first.headFrom, last.headTo)
	return slices.Equal(c.old.ids[a:b], c.head.ids[x:y])
}

// compare adds the changed lines of one region. same says that its tokens are
// known to be equal.
func (c *comparison) compare(r region, same bool) {
	lines := c.diffLines(r)
	if !same {
		c.compareTokens(lines, r)
	}
	c.classify(lines, r)
	for line := r.headFrom; line < r.headTo; line++ {
		if l := lines[line]; l != nil {
			c.result = append(c.result, *l)
		}
	}
}

// diffLines makes a ChangedLine for every line that the diff adds, by 0-based
// line.
func (c *comparison) diffLines(r region) map[int]*ChangedLine {
	lines := map[int]*ChangedLine{}
	for _, e := range r.edits {
		kind := LineEdited
		if len(e.Old) == 0 {
			kind = LineAdded
		}
		for k := range e.New {
			line := e.NewStart - 1 + k
			lines[line] = &ChangedLine{Path: c.path, Line: line + 1, Kind: kind}
		}
	}
	return lines
}

// compareTokens adds the spans of a region. Declarations that both versions have
// are not compared: what surrounds one must not be taken for a part of it.
func (c *comparison) compareTokens(lines map[int]*ChangedLine, r region) {
	old := c.part(c.old, r.oldFrom, r.oldTo, nil)
	head := c.part(c.head, r.headFrom, r.headTo, nil)
	c.markMoved(lines, &old, &head)
	old, head = c.part(c.old, r.oldFrom, r.oldTo, c.oldKept), c.part(c.head, r.headFrom, r.headTo, c.headKept)
	runs := diffTokens(old.ids, head.ids)
	slideRuns(runs, old.ids, head.ids, old.boundaryScore, head.boundaryScore)
	for _, run := range runs {
		c.addRun(lines, r, &old, &head, run)
	}
}

// markMoved marks the lines of kept declarations that do not stand where a diff
// of all tokens aligns them.
func (c *comparison) markMoved(lines map[int]*ChangedLine, old, head *partOf) {
	aligned := make([]int, len(head.at)) // the old token, 1 more than its number
	from, at := 0, 0
	runs := append(diffTokens(old.ids, head.ids), tokenRun{bFrom: len(head.at)})
	for _, run := range runs {
		for ; at < run.bFrom; from, at = from+1, at+1 {
			aligned[at] = old.at[from] + 1
		}
		from, at = run.aTo, run.bTo
	}
	for k, i := range head.at {
		if c.headKept[i] && aligned[k] != c.origin[i]+1 {
			c.line(lines, c.head.lineOf(c.head.code[i].Start)).Moved = true
		}
	}
}

// partOf is some code tokens of a source, in order.
type partOf struct {
	source *source
	at     []int // which
	ids    []int // their text
	end    int   // the token behind them
}

// part lists the code tokens on lines [from, to), those apart that are left out.
func (c *comparison) part(s *source, from, to int, without []bool) partOf {
	first, end := s.codeIn(from, to)
	p := partOf{source: s, end: end}
	for i := first; i < end; i++ {
		if without == nil || !without[i] {
			p.at, p.ids = append(p.at, i), append(p.ids, s.ids[i])
		}
	}
	return p
}

// token is the i-th token of the part; behind the last, what comes next.
func (p *partOf) token(i int) int {
	if i == len(p.at) {
		return p.end
	}
	return p.at[i]
}

// boundaryScore rates the place in front of the i-th token of the part.
func (p *partOf) boundaryScore(i int) int { return p.source.boundaryScore(p.token(i)) }

// addRun adds the spans of one difference between the tokens of both sides.
func (c *comparison) addRun(lines map[int]*ChangedLine, r region, old, head *partOf, run tokenRun) {
	for k, i := range head.at[run.bFrom:run.bTo] {
		// Neighbors on a line are joined across the whitespace between them.
		c.addToken(lines, c.head.code[i], k > 0 && head.at[run.bFrom+k-1] == i-1)
	}
	if run.bFrom < run.bTo {
		return
	}
	place := tokenRun{aFrom: old.token(run.aFrom), aTo: old.at[run.aTo-1] + 1, bTo: head.token(run.bTo)}
	place.bFrom = place.bTo
	if run.bFrom > 0 && (run.aFrom == 0 || old.at[run.aFrom-1] == place.aFrom-1) {
		place.bFrom = head.at[run.bFrom-1] + 1
	}
	if inside := place.bTo; c.insideKept(inside) { // nothing was deleted in there
		for c.insideKept(inside) {
			inside++
		}
		c.addAnchor(c.lineOfToken(inside))
		return
	}
	c.addDeletion(lines, r, place)
}

// insideKept reports whether a kept declaration goes on with a token of the head.
func (c *comparison) insideKept(i int) bool {
	return i > 0 && i < len(c.headKept) && c.headKept[i] && c.headKept[i-1] && c.origin[i] == c.origin[i-1]+1
}

// lineOfToken is the 0-based line of a code token of the head; behind the last,
// the line behind the last.
func (c *comparison) lineOfToken(i int) int {
	if i == len(c.head.code) {
		return c.head.lines()
	}
	return c.head.lineOf(c.head.code[i].Start)
}

// line returns the ChangedLine of a 0-based line, making one for a line that the
// diff does not show.
func (c *comparison) line(lines map[int]*ChangedLine, line int) *ChangedLine {
	l := lines[line]
	if l == nil {
		l = &ChangedLine{Path: c.path, Line: line + 1, Kind: LineEdited}
		lines[line] = l
	}
	return l
}

// addToken adds a token's span to each line it lies on.
func (c *comparison) addToken(lines map[int]*ChangedLine, t solidity.Token, joined bool) {
	first, last := c.head.lineOf(t.Start), c.head.lineOf(t.End-1)
	for line := first; line <= last; line++ {
		l := c.line(lines, line)
		span := Span{max(t.Start, c.head.lineStart[line]), min(t.End, c.head.lineStart[line+1])}
		if n := len(l.Spans); joined && line == first && n > 0 {
			l.Spans[n-1].End = span.End
		} else {
			l.Spans = append(l.Spans, span)
		}
	}
}

// addDeletion marks the place of deleted tokens, none of which were replaced:
// at the end of the token before if it stood on the same line, else at the start
// of the token behind if that stood on the same line. What is left are whole
// lines: the place is then in front of the line that follows.
func (c *comparison) addDeletion(lines map[int]*ChangedLine, r region, run tokenRun) {
	headFrom, headTo := c.head.codeIn(r.headFrom, r.headTo)
	if run.bFrom > headFrom && !c.old.firstOnLine(run.aFrom) {
		at := c.head.code[run.bFrom-1].End
		c.addPlace(c.line(lines, c.head.lineOf(at-1)), at)
		return
	}
	if run.bTo == headTo {
		c.addAnchor(r.headTo)
		return
	}
	at := c.head.code[run.bTo].Start
	line := c.head.lineOf(at)
	if lines[line] != nil || run.aTo < len(c.old.code) && !c.old.firstOnLine(run.aTo) {
		c.addPlace(c.line(lines, line), at)
	} else {
		c.addAnchor(line)
	}
}

// addPlace adds an empty span, unless a span of the line touches it already.
func (c *comparison) addPlace(l *ChangedLine, at int) {
	for _, s := range l.Spans {
		if s.Start <= at && at <= s.End {
			return
		}
	}
	l.Spans = append(l.Spans, Span{at, at})
}

// addAnchor adds a deletion anchor on a 0-based line, which may be the one
// behind the last.
func (c *comparison) addAnchor(line int) {
	at := c.head.lineStart[line]
	number := max(1, min(line+1, c.head.lines()))
	if k := len(c.result) - 1; k >= 0 && c.result[k].Kind == DeletionAnchor && c.result[k].Line == number {
		return // several deletions in one region
	}
	c.result = append(c.result, ChangedLine{Path: c.path, Line: number, Kind: DeletionAnchor, Spans: []Span{{at, at}}})
}

// classify decides what changed on the lines without changed code: their
// comments, if a comment on the line is new or one was removed next to the same
// code, else their whitespace.
func (c *comparison) classify(lines map[int]*ChangedLine, r region) {
	had := map[string]int{}
	for _, t := range c.old.commentsIn(r.oldFrom, r.oldTo) {
		had[commentText(c.old, t)]++
	}
	fresh := map[int]bool{} // lines that hold a new comment
	for _, t := range c.head.commentsIn(r.headFrom, r.headTo) {
		text := commentText(c.head, t)
		if had[text] > 0 {
			had[text]--
			continue
		}
		for line := c.head.lineOf(t.Start); line <= c.head.lineOf(t.End-1); line++ {
			fresh[line] = true
		}
	}
	uncommented := map[string]bool{} // code next to removed comments
	for _, t := range c.old.commentsIn(r.oldFrom, r.oldTo) {
		if text := commentText(c.old, t); had[text] > 0 {
			had[text]--
			uncommented[c.old.codeOn(c.old.lineOf(t.Start))] = true
			uncommented[c.old.codeOn(c.old.lineOf(t.End-1))] = true
		}
	}
	delete(uncommented, "")
	for line, l := range lines {
		if len(l.Spans) > 0 {
			l.Moved = false
			continue
		}
		if l.Moved {
			continue
		}
		blank := strings.TrimSpace(string(c.head.text[c.head.lineStart[line]:c.head.lineStart[line+1]])) == ""
		l.Comment = !blank && (fresh[line] || uncommented[c.head.codeOn(line)])
		l.Formatting = !l.Comment
	}
}

// commentText returns a comment's text with its whitespace made uniform, so
// that an indented comment is the same comment.
func commentText(s *source, t solidity.Token) string {
	return strings.Join(strings.Fields(string(s.text[t.Start:t.End])), " ")
}
