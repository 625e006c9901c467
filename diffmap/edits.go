package diffmap

import (
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// addHunks parses the hunks of a section and turns them into edits.
func addHunks(f *File, sec *section) error {
	b := editBuilder{file: f, crlf: sec.crlf, oldLine: 1, newLine: 1}
	for i := range sec.hunks {
		h := &sec.hunks[i]
		lines, err := parseHunk(h)
		if err != nil {
			return err
		}
		lines, ok := b.seek(h, lines)
		if !ok {
			return errorf(h.line-1, remedyWhole, "the hunk's line numbers don't fit the hunks before it")
		}
		for _, line := range lines {
			b.add(line)
		}
	}
	switch {
	case f.Status == Added && b.oldLine > 1, f.Status == Deleted && b.newLine > 1:
		return errorf(sec.line-1, remedyWhole, "the %s file %s has lines on both sides", f.Status, quoteShort(f.Path()))
	}
	return nil
}

// parseHunk lets go-diff parse one hunk and checks the result against the
// scanner's. go-diff gets one hunk at a time because it would take some lines of
// a hunk for a file header if another hunk followed.
func parseHunk(h *rawHunk) ([]string, error) {
	hunks, err := godiff.ParseHunksOptions(h.text, godiff.ParseOptions{KeepCR: true})
	if err != nil {
		return nil, errorf(h.line-1, remedyWhole, "a hunk is malformed: %v", err)
	}
	if len(hunks) != 1 {
		return nil, errorf(h.line-1, remedyWhole, "two readers disagree on a hunk: one hunk or %d", len(hunks))
	}
	g := hunks[0]
	theirs := [4]int{int(g.OrigStartLine), int(g.OrigLines), int(g.NewStartLine), int(g.NewLines)}
	if ours := [4]int{h.oldStart, h.oldCount, h.newStart, h.newCount}; ours != theirs {
		return nil, errorf(h.line-1, remedyWhole, "two readers disagree on a hunk's header: %v or %v", ours, theirs)
	}
	lines := bodyLines(g.Body)
	if len(lines) != len(h.lines) {
		return nil, errorf(h.line-1, remedyWhole, "two readers disagree on a hunk: %d or %d lines", len(h.lines), len(lines))
	}
	for i := range lines {
		if lines[i] != h.lines[i] {
			return nil, errorf(h.line-1, remedyWhole, "two readers disagree on line %d of the hunk", i+1)
		}
	}
	return lines, nil
}

// bodyLines splits the body of a go-diff hunk. go-diff removes "no newline"
// markers in English only.
func bodyLines(body []byte) []string {
	if len(body) == 0 {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	lines := all[:0]
	for _, line := range all {
		if !strings.HasPrefix(line, noNewlineMarker) {
			lines = append(lines, line)
		}
	}
	return lines
}

// editBuilder collects the lines of a file's hunks into edits. oldLine and
// newLine are the numbers of the next line on each side.
type editBuilder struct {
	file             *File
	crlf             bool // the last CR of a line belongs to the diff
	oldLine, newLine int
	open             bool // the last edit may grow
}

// seek moves to the start of a hunk and returns the lines of it that are new.
// The lines skipped are unchanged, so both sides must skip the same number of
// them. git diff --function-context lets hunks overlap: then the second repeats
// context lines of the first.
func (b *editBuilder) seek(h *rawHunk, lines []string) (rest []string, ok bool) {
	// The start of an empty range is the line before it.
	oldStart, newStart := h.oldStart+btoi(h.oldCount == 0), h.newStart+btoi(h.newCount == 0)
	skip := oldStart - b.oldLine
	if skip != newStart-b.newLine {
		return nil, false
	}
	if skip < 0 {
		return b.repeated(lines, -skip)
	}
	b.open = b.open && skip == 0
	b.oldLine, b.newLine = oldStart, newStart
	return lines, true
}

// repeated drops the first n lines of a hunk if they are the last n context lines
// that were added.
func (b *editBuilder) repeated(lines []string, n int) (rest []string, ok bool) {
	context := b.file.context
	if n > len(lines) || n > len(context) {
		return nil, false
	}
	for i, c := range context[len(context)-n:] {
		line := lines[i]
		if isOld, isNew, _ := lineSides(line); !isOld || !isNew || c.line != b.newLine-n+i || c.text != b.text(line) {
			return nil, false
		}
	}
	return lines[n:], true
}

// text returns the text of a hunk line in its file.
func (b *editBuilder) text(line string) string {
	if b.crlf {
		line = strings.TrimSuffix(line, "\r")
	}
	if line != "" {
		line = line[1:]
	}
	return line
}

// add appends one hunk line.
func (b *editBuilder) add(line string) {
	isOld, isNew, _ := lineSides(line)
	line = b.text(line)
	if isOld && isNew {
		b.file.context = append(b.file.context, contextLine{b.newLine, line})
		b.oldLine, b.newLine, b.open = b.oldLine+1, b.newLine+1, false
		return
	}
	if !b.open {
		b.file.Edits = append(b.file.Edits, Edit{OldStart: b.oldLine, NewStart: b.newLine})
		b.open = true
	}
	e := &b.file.Edits[len(b.file.Edits)-1]
	if isOld {
		e.Old = append(e.Old, line)
		b.oldLine++
	} else {
		e.New = append(e.New, line)
		b.newLine++
	}
}
