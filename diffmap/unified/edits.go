package unified

import (
	"strings"
)

// addHunks turns the hunks of a section into edits.
func addHunks(f *File, sec *section) error {
	b := editBuilder{file: f, crlf: sec.crlf, oldLine: 1, newLine: 1}
	for i := range sec.hunks {
		h := &sec.hunks[i]
		lines, ok := b.seek(h)
		if !ok {
			return errorf(h.line-1, remedyWhole, "the hunk's line numbers don't fit the hunks before it")
		}
		for _, line := range lines {
			b.add(line)
		}
		// The scanner counted the lines: that go-diff returned as many is all that
		// is left to check.
		if b.oldLine != oldStart(h)+h.oldCount || b.newLine != newStart(h)+h.newCount {
			return errorf(h.line-1, remedyWhole, "the hunk's lines don't add up to its header")
		}
	}
	switch {
	case f.Status == Added && b.oldLine > 1, f.Status == Deleted && b.newLine > 1:
		return errorf(sec.line-1, remedyWhole, "the %s file %s has lines on both sides", f.Status, quoteShort(f.Path()))
	}
	return nil
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
func (b *editBuilder) seek(h *rawHunk) (rest []string, ok bool) {
	skip := oldStart(h) - b.oldLine
	if skip != newStart(h)-b.newLine {
		return nil, false
	}
	if skip < 0 {
		return b.repeated(h.lines, -skip)
	}
	b.open = b.open && skip == 0
	b.oldLine, b.newLine = oldStart(h), newStart(h)
	return h.lines, true
}

// oldStart and newStart are where the lines of a hunk begin: an empty range is named
// by the line before it.
func oldStart(h *rawHunk) int { return h.oldStart + btoi(h.oldCount == 0) }
func newStart(h *rawHunk) int { return h.newStart + btoi(h.newCount == 0) }

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
