package unified

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// This file cuts a diff into files and hunks by counting the lines that hunk
// headers announce, as git apply and patch do. What a line inside a hunk looks
// like never matters, so that a deleted line "-- x;" followed by an added line
// "++ y;" cannot pass as a file header. go-diff would take it for one, so it gets
// hunk by hunk to parse (see parseHunk).

// section is the part of a diff that describes one file.
type section struct {
	line   int      // 1-based number of the first line
	git    bool     // begins with "diff --git"
	header []string // header lines without terminator, "---" and "+++" lines excluded
	// oldHeader and newHeader are what follows "--- " and "+++ "; named says
	// whether these lines are there.
	oldHeader, newHeader string
	named                bool
	// crlf says that the diff itself was written with CRLF line ends, so that
	// the last CR of a line is not part of the file.
	crlf   bool
	binary bool
	hunks  []rawHunk
	// oldNoEOL and newNoEOL: a marker said that the side's last line has no
	// line terminator.
	oldNoEOL, newNoEOL bool
	// submodule holds the fields of a "Submodule PATH A..B" line, which
	// git diff --submodule=log prints in place of a patch.
	submodule *submoduleLine
}

// rawHunk is one hunk, as go-diff parsed it. Starts and counts are those of its
// header.
type rawHunk struct {
	line               int // 1-based number of the header line
	oldStart, oldCount int
	newStart, newCount int
	lines              []string // body lines with their prefix, without markers
}

// scanner walks over the lines of a diff. Invariant: at is the index of the
// next line that no section has consumed.
type scanner struct {
	lines    []string // without "\n"; a CR is kept
	at       int
	maxFiles int
	sections []*section
}

// noNewlineMarker begins the line that says that the line before it has no
// terminator. Its text is translated by GNU diff, its first two bytes are not.
const noNewlineMarker = `\ `

func newScanner(data []byte, maxFiles int) *scanner {
	data = bytes.TrimSuffix(data, []byte("\n"))
	return &scanner{lines: strings.Split(string(data), "\n"), maxFiles: maxFiles}
}

// peek returns the k-th unread line without its CR, or "" behind the end.
func (s *scanner) peek(k int) string {
	if s.at+k >= len(s.lines) {
		return ""
	}
	return strings.TrimSuffix(s.lines[s.at+k], "\r")
}

func (s *scanner) done() bool { return s.at >= len(s.lines) }

// errorf makes an error about the line with index at.
func errorf(at int, remedy, format string, args ...any) *Error {
	return &Error{Line: at + 1, Msg: fmt.Sprintf(format, args...), Remedy: remedy}
}

const (
	remedyWhole    = "make the diff again and pass all of it"
	remedyPlain    = "make it with `git diff BASE HEAD`"
	remedyCombined = "compare with one base: `git diff BASE HEAD`, for a merge commit `git diff HEAD^1 HEAD`"
)

// scan cuts the whole diff. Lines outside of files (mail headers, commit
// messages, "diff -ru" command lines) are skipped unless they show that the
// diff is incomplete or of another format.
func (s *scanner) scan() error {
	for !s.done() {
		if err := s.next(); err != nil {
			return err
		}
		if len(s.sections) > s.maxFiles {
			return errorf(s.sections[s.maxFiles].line-1, "compare with a nearer base",
				"it has more than %d files", s.maxFiles)
		}
	}
	return nil
}

// next consumes one section or one line outside of sections.
func (s *scanner) next() error {
	line := s.peek(0)
	switch {
	case strings.HasPrefix(line, "diff --git "):
		return s.gitSection()
	case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "), strings.HasPrefix(line, "@@@"):
		return errorf(s.at, remedyCombined, "it is a combined diff, which has several bases")
	case strings.HasPrefix(line, "--- ") && strings.HasPrefix(s.peek(1), "+++ "):
		return s.plainSection()
	case strings.HasPrefix(line, "--- ") && s.at+1 == len(s.lines):
		return errorf(s.at, remedyWhole, "it ends inside a file header")
	case strings.HasPrefix(line, "@@ -"):
		return errorf(s.at, remedyWhole, "a hunk has no file header")
	case strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ"):
		s.add(&section{line: s.at + 1, header: []string{line}, binary: true})
	case strings.HasPrefix(line, "Only in ") && strings.Contains(line, ": "):
		return errorf(s.at, "use `git diff` or `diff -ruN`", "a file on one side only is named without its content")
	case strings.HasPrefix(line, "* Unmerged path "):
		return errorf(s.at, "resolve the merge conflict", "%s has a merge conflict",
			Printable(strings.TrimPrefix(line, "* Unmerged path ")))
	case strings.HasPrefix(line, "***************"):
		return errorf(s.at, "use `git diff` or `diff -u`", "it is a context diff")
	case strings.HasPrefix(line, "Submodule "):
		if sub, ok := parseSubmoduleLine(line); ok {
			s.add(&section{line: s.at + 1, submodule: &sub})
		}
	}
	s.at++
	return nil
}

func (s *scanner) add(sec *section) { s.sections = append(s.sections, sec) }

// gitSection consumes a file that begins with "diff --git".
func (s *scanner) gitSection() error {
	sec := &section{line: s.at + 1, git: true, header: []string{s.peek(0)}}
	s.at++
	for !s.done() && isExtendedHeader(s.peek(0)) {
		line := s.peek(0)
		sec.header = append(sec.header, line)
		s.at++
		if strings.HasPrefix(line, "Binary files ") {
			sec.binary = true
		}
		if line == "GIT binary patch" {
			sec.binary = true
			if err := s.binaryPatch(); err != nil {
				return err
			}
			break
		}
	}
	s.add(sec)
	if !sec.binary && strings.HasPrefix(s.peek(0), "--- ") {
		return s.fileBody(sec)
	}
	return nil
}

// plainSection consumes a file that begins with "---" and "+++" lines.
func (s *scanner) plainSection() error {
	sec := &section{line: s.at + 1}
	s.add(sec)
	return s.fileBody(sec)
}

// fileBody consumes the "---" and "+++" lines and the hunks behind them.
func (s *scanner) fileBody(sec *section) error {
	if !strings.HasPrefix(s.peek(1), "+++ ") {
		return errorf(s.at, remedyWhole, "a file header has no \"+++\" line")
	}
	sec.named = true
	sec.oldHeader, sec.newHeader = s.peek(0)[len("--- "):], s.peek(1)[len("+++ "):]
	sec.crlf = strings.HasSuffix(s.lines[s.at+1], "\r")
	s.at += 2
	if strings.HasPrefix(s.peek(0), "@@@") {
		return errorf(s.at, remedyCombined, "it is a combined diff, which has several bases")
	}
	if !strings.HasPrefix(s.peek(0), "@@ -") {
		return errorf(s.at-1, remedyWhole, "a file header has no hunk")
	}
	for strings.HasPrefix(s.peek(0), "@@ -") {
		if err := s.hunk(sec); err != nil {
			return err
		}
	}
	return s.afterHunks()
}

// afterHunks refuses lines that look like more of the last hunk than its header
// counts.
func (s *scanner) afterHunks() error {
	line := s.peek(0)
	if s.done() || line == "" || !strings.ContainsRune(" +-\\", rune(line[0])) {
		return nil
	}
	if strings.HasPrefix(line, "--- ") && strings.HasPrefix(s.peek(1), "+++ ") {
		return nil // the next plain file
	}
	if next := s.peek(1); line == "-- " && next != "" && next[0] >= '0' && next[0] <= '9' {
		return nil // the signature of git format-patch: "-- ", git's version
	}
	return errorf(s.at, remedyWhole, "a hunk has more lines than its header says")
}

// hunk consumes one hunk: as many lines as its header announces.
func (s *scanner) hunk(sec *section) error {
	start := s.at
	oldLeft, newLeft, ok := announced(s.peek(0))
	if !ok {
		return malformedHeader(start, s.peek(0))
	}
	s.at++
	last := "" // the line before, with its prefix
	for oldLeft > 0 || newLeft > 0 {
		if s.done() {
			return errorf(s.at-1, remedyWhole, "it ends inside a hunk: %d old and %d new lines are missing", oldLeft, newLeft)
		}
		line := s.lines[s.at]
		if strings.HasPrefix(line, noNewlineMarker) {
			if err := s.marker(sec, start, last); err != nil {
				return err
			}
			continue
		}
		isOld, isNew, ok := lineSides(line)
		if !ok {
			return errorf(s.at, remedyWhole, "%s is not a line of a hunk: %d old and %d new lines are missing",
				quoteShort(line), oldLeft, newLeft)
		}
		if isOld && (oldLeft == 0 || sec.oldNoEOL) || isNew && (newLeft == 0 || sec.newNoEOL) {
			return errorf(s.at, remedyWhole, "the hunk's lines don't add up to its header")
		}
		oldLeft, newLeft = oldLeft-btoi(isOld), newLeft-btoi(isNew)
		last = line
		s.at++
	}
	if strings.HasPrefix(s.peek(0), noNewlineMarker) {
		if err := s.marker(sec, start, last); err != nil {
			return err
		}
	}
	h, err := parseHunk(s.lines[start:s.at], start)
	sec.hunks = append(sec.hunks, h)
	return err
}

// marker consumes a "\ No newline at end of file" line; last is the line of the hunk
// before it, start the index of the hunk's header.
func (s *scanner) marker(sec *section, start int, last string) error {
	if s.at == start+1 {
		return errorf(s.at, remedyWhole, "a \"no newline\" mark has no line before it")
	}
	if last == "" || last[1:] == "" || sec.crlf && last[1:] == "\r" {
		return errorf(s.at, remedyWhole, "a \"no newline\" mark follows an empty line")
	}
	isOld, isNew, _ := lineSides(last)
	if isOld && sec.oldNoEOL || isNew && sec.newNoEOL {
		return errorf(s.at, remedyWhole, "a \"no newline\" mark is repeated")
	}
	sec.oldNoEOL = sec.oldNoEOL || isOld
	sec.newNoEOL = sec.newNoEOL || isNew
	s.at++
	return nil
}

// lineSides says to which sides a hunk line belongs. An empty line is an empty
// context line: git with diff.suppressBlankEmpty and many mailers drop its
// space.
func lineSides(line string) (isOld, isNew, ok bool) {
	if line == "" {
		return true, true, true
	}
	switch line[0] {
	case ' ':
		return true, true, true
	case '-':
		return true, false, true
	case '+':
		return false, true, true
	}
	return false, false, false
}

// maxLineNumber bounds the numbers in a hunk header: go-diff holds them in an
// int32, and the sum of a start and a count must fit too.
const maxLineNumber = 1 << 29

// hunkHeader is the form of "@@ -start[,count] +start[,count] @@[ section]". go-diff
// is less strict: it takes signs and spaces before numbers.
var hunkHeader = regexp.MustCompile(`^@@ -\d+(,\d+)? \+\d+(,\d+)? @@( |$)`)

// announced returns how many lines of each side a hunk has by its header.
func announced(header string) (oldLines, newLines int, ok bool) {
	m := hunkHeader.FindStringSubmatch(header)
	if m == nil {
		return 0, 0, false
	}
	counts := [2]int{1, 1} // a range without a count is one line
	for i, text := range m[1:3] {
		if text == "" {
			continue
		}
		if counts[i], ok = parseNumber(text[1:]); !ok {
			return 0, 0, false
		}
	}
	return counts[0], counts[1], true
}

func malformedHeader(at int, header string) *Error {
	return errorf(at, remedyWhole, "the hunk header %s is malformed", quoteShort(header))
}

// parseHunk lets go-diff parse the lines of one hunk; at is the index of the first.
func parseHunk(lines []string, at int) (rawHunk, error) {
	text := strings.Join(lines, "\n") + "\n"
	hunks, err := godiff.ParseHunksOptions([]byte(text), godiff.ParseOptions{KeepCR: true})
	if err != nil || len(hunks) != 1 {
		return rawHunk{}, malformedHeader(at, lines[0])
	}
	g := hunks[0]
	h := rawHunk{
		line: at + 1, oldStart: int(g.OrigStartLine), oldCount: int(g.OrigLines),
		newStart: int(g.NewStartLine), newCount: int(g.NewLines), lines: bodyLines(g.Body),
	}
	// Only an empty range may start at 0.
	if h.oldStart == 0 && h.oldCount > 0 || h.newStart == 0 && h.newCount > 0 || max(h.oldStart, h.newStart) > maxLineNumber {
		return rawHunk{}, malformedHeader(at, lines[0])
	}
	return h, nil
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

func parseNumber(text string) (n int, ok bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > maxLineNumber {
			return 0, false
		}
	}
	return n, text != ""
}

// binaryPatch consumes the blocks behind "GIT binary patch": a "literal" or
// "delta" line, lines of base85 data, an empty line; a second block holds the
// reverse patch. Data lines hold no space, so none can look like a header.
func (s *scanner) binaryPatch() error {
	for blocks := 0; blocks < 2; blocks++ {
		if head := s.peek(0); !strings.HasPrefix(head, "literal ") && !strings.HasPrefix(head, "delta ") {
			if blocks == 0 {
				return errorf(s.at-1, remedyWhole, "a binary patch has no data")
			}
			return nil
		}
		s.at++
		for !s.done() && s.peek(0) != "" {
			if strings.ContainsRune(s.peek(0), ' ') {
				return errorf(s.at, remedyWhole, "%s is not a line of a binary patch", quoteShort(s.peek(0)))
			}
			s.at++
		}
		if s.done() {
			return errorf(s.at-1, remedyWhole, "it ends inside a binary patch")
		}
		s.at++
	}
	return nil
}

// quoteShort quotes a line of the diff for a message, cut to what fits there.
func quoteShort(line string) string {
	const room = 60 // arbitrary: leaves the message on one terminal line or two
	if len(line) > room {
		return fmt.Sprintf("%q…", line[:room])
	}
	return fmt.Sprintf("%q", line)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
