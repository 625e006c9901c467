package unified

import (
	"fmt"
	"strings"
)

// OldText reconstructs the base version of the file from its head version. It is
// exact, to the byte, when head is the file the diff was made of. Lines are
// compared up to a CR before the line end, because git shows a working tree's
// CRLF files with LF where core.autocrlf or .gitattributes say so; the base text
// then gets the line ends of the head text.
//
// A *[MismatchError] says that head is not the head version of the diff. A file
// whose lines the diff does not show (Binary, or a deleted file of a diff made
// with --irreversible-delete) cannot be reconstructed: for the former an error is
// returned, the latter is refused by [Parse].
func (f File) OldText(head []byte) ([]byte, error) {
	if f.Binary {
		return nil, &MismatchError{Path: f.Path(), Line: 1, Msg: "the diff shows it as binary"}
	}
	lines, headEOL := splitLines(string(head))
	cr, err := f.verify(lines, headEOL)
	if err != nil {
		return nil, err
	}
	var old []string
	at := 0 // lines of head consumed
	for i := range f.Edits {
		e := &f.Edits[i]
		old = append(old, lines[at:e.NewStart-1]...)
		for _, line := range e.Old {
			old = append(old, cr.apply(line))
		}
		at = e.NewStart - 1 + len(e.New)
	}
	old = append(old, lines[at:]...)
	text := strings.Join(old, "\n")
	if len(old) > 0 && f.oldEndsWithNewline(headEOL) {
		text += "\n"
	}
	return []byte(text), nil
}

// oldEndsWithNewline reports whether the base file's last line has a terminator.
// A diff marks a last line without one whenever it shows that line, so without
// marks either both sides end alike or the diff shows both ends.
func (f File) oldEndsWithNewline(headEOL bool) bool {
	if f.OldNoEOL || f.NewNoEOL {
		return !f.OldNoEOL
	}
	return headEOL
}

// verifier compares the lines that a diff shows of the head file with the file.
type verifier struct {
	path  string
	lines []string // of the head file
	cr    carriage
}

func (v *verifier) mismatch(line int, format string, args ...any) error {
	return &MismatchError{Path: v.path, Line: line, Msg: fmt.Sprintf(format, args...)}
}

// check compares one line, a CR at its end apart, which it makes a note of.
func (v *verifier) check(line int, want string) error {
	if line < 1 || line > len(v.lines) {
		return v.mismatch(line, "the file has %d lines, the diff shows %s", len(v.lines), quoteShort(want))
	}
	got := v.lines[line-1]
	if got == want {
		return nil
	}
	if strings.TrimSuffix(got, "\r") != strings.TrimSuffix(want, "\r") {
		return v.mismatch(line, "it reads %s, the diff shows %s", quoteShort(got), quoteShort(want))
	}
	if v.cr == carriageSame {
		v.cr = carriageOf(got)
	}
	return nil
}

// edits checks the added lines and tells the number of the line behind the last
// edit's, less one.
func (v *verifier) edits(edits []Edit) (end int, err error) {
	for i := range edits {
		e := &edits[i]
		if e.NewStart-1 < end || e.NewStart-1 > len(v.lines) {
			return end, v.mismatch(e.NewStart, "the file has %d lines, the diff has an edit there", len(v.lines))
		}
		for k, want := range e.New {
			if err := v.check(e.NewStart+k, want); err != nil {
				return end, err
			}
		}
		end = e.NewStart - 1 + len(e.New)
	}
	return end, nil
}

// verify checks that the diff's head lines are those of the file.
func (f File) verify(lines []string, headEOL bool) (carriage, error) {
	v := &verifier{path: f.Path(), lines: lines}
	end, err := v.edits(f.Edits)
	if err != nil {
		return v.cr, err
	}
	for _, c := range f.context {
		if err := v.check(c.line, c.text); err != nil {
			return v.cr, err
		}
	}
	switch {
	case f.NewNoEOL && headEOL:
		err = v.mismatch(len(lines), "the last line ends with a newline, in the diff it does not")
	case f.OldNoEOL && !f.NewNoEOL && !headEOL && len(lines) > 0:
		err = v.mismatch(len(lines), "the last line has no newline, in the diff it has one")
	case f.Status == Added && !f.coversAll(len(lines)), f.Status == Deleted && len(lines) > 0:
		err = v.mismatch(end+1, "the file has more lines than the diff shows of an %s file", f.Status)
	}
	return v.cr, err
}

// coversAll reports whether the edits of an added file make up all its lines.
func (f File) coversAll(lines int) bool {
	if len(f.Edits) == 0 {
		return lines == 0
	}
	return len(f.Edits) == 1 && len(f.Edits[0].New) == lines
}

// carriage says how the head file's line ends differ from those of the diff.
type carriage uint8

const (
	carriageSame   carriage = iota
	carriageAdd             // the file has CRLF where the diff has LF
	carriageRemove          // the file has LF where the diff has CRLF
)

// carriageOf returns the difference for a line of the file that equals the
// diff's but for a CR.
func carriageOf(got string) carriage {
	if strings.HasSuffix(got, "\r") {
		return carriageAdd
	}
	return carriageRemove
}

// apply gives a line of the diff the line end of the file.
func (c carriage) apply(line string) string {
	switch c {
	case carriageAdd:
		return strings.TrimSuffix(line, "\r") + "\r"
	case carriageRemove:
		return strings.TrimSuffix(line, "\r")
	}
	return line
}

// splitLines splits text at "\n" and reports whether the last line has one. An
// empty text has no lines and counts as ended.
func splitLines(text string) (lines []string, ended bool) {
	if text == "" {
		return nil, true
	}
	ended = strings.HasSuffix(text, "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), ended
}
