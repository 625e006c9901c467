package unified

import (
	"bytes"
	"fmt"
	"strings"
)

// Limits bounds what [Parse] and [git.Repository] read. A field that is not positive means its default.
type Limits struct {
	MaxBytes int // size of the diff
	MaxFiles int // files in the diff
	MaxLines int // lines of the diff, headers included
}

// Default limits. A pull request that replaces a vendored library is the largest
// input worth reading: adding all of @openzeppelin/contracts 4.9.4, build output
// included, is a diff of 2.2 MB, 374 files and 66,000 lines (measured). The
// limits leave an order of magnitude above that and keep memory below a few
// hundred MB.
const (
	DefaultMaxBytes = 64 << 20
	DefaultMaxFiles = 10_000
	DefaultMaxLines = 1_000_000
)

// WithDefaults replaces fields that are not positive by their defaults.
func (l Limits) WithDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxFiles <= 0 {
		l.MaxFiles = DefaultMaxFiles
	}
	if l.MaxLines <= 0 {
		l.MaxLines = DefaultMaxLines
	}
	return l
}

// Diff is what a unified diff says, in the order of its files.
type Diff struct {
	Files []File
}

// File is one changed file. Paths are those of the diff without git's prefixes
// (a/, b/): relative to the repository when git made the diff of one. They are
// untrusted; open them only below a root.
type File struct {
	OldPath string // "" for an added file
	NewPath string // "" for a deleted file
	Status  FileStatus

	Binary    bool // the diff shows no lines of it
	Submodule bool // a submodule's commit; its edits are "Subproject commit" lines
	Symlink   bool // a symbolic link; its one line is the target
	ModeOnly  bool // nothing but the file mode changed

	// Edits are in the order of the file, never adjacent and never empty.
	Edits []Edit

	// OldNoEOL and NewNoEOL: the diff says that the side's last line has no line
	// terminator. When neither is set both sides end the same way.
	OldNoEOL, NewNoEOL bool

	// context holds the unchanged lines the diff shows, to recognize the head
	// file by.
	context []contextLine
}

// contextLine is an unchanged line and its 1-based number in the head file.
type contextLine struct {
	line int
	text string
}

// Path returns the path in the head tree, or that in the base tree of a deleted
// file.
func (f File) Path() string {
	if f.NewPath == "" {
		return f.OldPath
	}
	return f.NewPath
}

// AddedFile is the File that a diff has of a file with that text which is added.
func AddedFile(path string, text []byte) File {
	f := File{NewPath: path, Status: Added}
	if lines, ended := splitLines(string(text)); len(lines) > 0 {
		f.Edits = []Edit{{OldStart: 1, NewStart: 1, New: lines}}
		f.NewNoEOL = !ended
	}
	return f
}

// EditedFile is the File that a diff has of a file whose text becomes another: one edit, from the first line that differs to
// the last.
func EditedFile(path string, was, is []byte) File {
	f := File{OldPath: path, NewPath: path, Status: Modified}
	from, endedOld := splitLines(string(was))
	to, endedNew := splitLines(string(is))
	start := 0
	for start < min(len(from), len(to)) && from[start] == to[start] {
		start++
	}
	same := 0
	for same < min(len(from), len(to))-start && from[len(from)-1-same] == to[len(to)-1-same] {
		same++
	}
	f.OldNoEOL, f.NewNoEOL = !endedOld && endedNew, !endedNew && endedOld
	if edit := (Edit{OldStart: start + 1, NewStart: start + 1, Old: from[start : len(from)-same], New: to[start : len(to)-same]}); len(edit.Old)+len(edit.New) > 0 {
		f.Edits = []Edit{edit}
	}
	return f
}

// Format writes the edits of a file as git diff does, without lines of context.
func Format(f File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", f.OldPath, f.NewPath)
	for _, e := range f.Edits {
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(e.OldStart, len(e.Old)), hunkRange(e.NewStart, len(e.New)))
		for _, line := range e.Old {
			fmt.Fprintf(&b, "-%s\n", line)
		}
		for _, line := range e.New {
			fmt.Fprintf(&b, "+%s\n", line)
		}
	}
	return b.String()
}

// hunkRange is a side of a hunk: one without lines stands after the line before.
func hunkRange(start, count int) string { return fmt.Sprintf("%d,%d", start-btoi(count == 0), count) }

// FileStatus says what happened to a file.
type FileStatus uint8

// The statuses of git-diff(1), except that a type change (a file that became a
// symbolic link) is a deleted and an added file of the same path.
const (
	Added FileStatus = iota
	Deleted
	Modified
	Renamed // and perhaps edited
	Copied  // and perhaps edited
)

var statusNames = [...]string{"added", "deleted", "modified", "renamed", "copied"}

// String returns the status as a lower-case word.
func (s FileStatus) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("FileStatus(%d)", uint8(s))
}

// Edit is one maximal run of deleted and added lines between unchanged ones.
// Lines are given without their "\n"; a CR before it is kept as part of the
// text, unless the diff itself was written with CRLF line ends.
type Edit struct {
	// OldStart and NewStart are the 1-based first lines on each side. A side
	// without lines has the number of the line that follows the place, which is
	// one more than the number of lines at the end of the file.
	OldStart, NewStart int
	Old, New           []string
}

// Parse reads a unified diff as git diff, git format-patch, git show and
// diff -u write it. An empty diff is a Diff without files.
//
// A scanner of this package decides where files and hunks begin and end, and reads
// the files' headers; go-diff parses the hunks. Whatever cannot be accounted for is a
// *[Error]: combined and context diffs, hunks that don't add up, files cut short, a
// file that occurs twice.
func Parse(data []byte, limits Limits) (*Diff, error) {
	limits = limits.WithDefaults()
	if len(data) > limits.MaxBytes {
		return nil, &Error{Msg: fmt.Sprintf("it has more than %d bytes", limits.MaxBytes),
			Remedy: "compare with a nearer base"}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{Line: 1, Msg: "it is UTF-16 text, as PowerShell's > writes",
			Remedy: "write it with `git diff --output=FILE`"}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if n := bytes.Count(data, []byte("\n")); n > limits.MaxLines {
		return nil, &Error{Line: limits.MaxLines, Msg: fmt.Sprintf("it has more than %d lines", limits.MaxLines),
			Remedy: "compare with a nearer base"}
	}
	s := newScanner(data, limits.MaxFiles)
	if err := s.scan(); err != nil {
		return nil, err
	}
	if len(s.sections) == 0 && len(bytes.TrimSpace(data)) > 0 {
		return nil, &Error{Line: 1, Msg: "it names no file", Remedy: "pass the output of `git diff` or `diff -u`"}
	}
	return buildDiff(s.sections)
}

// buildDiff turns sections into files.
func buildDiff(sections []*section) (*Diff, error) {
	d := &Diff{}
	prefixed := plainPrefixed(sections)
	for _, sec := range sections {
		f, err := buildFile(sec, prefixed)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, f)
	}
	return d, checkOnce(d, sections)
}

// buildFile makes one file with its edits.
func buildFile(sec *section, prefixed bool) (f File, err error) {
	switch {
	case sec.submodule != nil:
		return submoduleFile(sec.submodule), nil
	case sec.git:
		f, err = gitFile(sec)
	default:
		f, err = plainFile(sec, prefixed)
	}
	if err != nil {
		return f, err
	}
	f.OldNoEOL, f.NewNoEOL = sec.oldNoEOL, sec.newNoEOL
	return f, addHunks(&f, sec)
}

// plainPrefixed reports whether the names of diff -u sections have git's
// prefixes: true unless a section with both names has none.
func plainPrefixed(sections []*section) bool {
	for _, sec := range sections {
		if sec.git || !sec.named {
			continue
		}
		from, to, err := namedSides(sec)
		if err != nil || from.absent || to.absent {
			continue
		}
		if stripped, _ := stripGitPrefixes(from.name, to.name); stripped == from.name {
			return false
		}
	}
	return true
}

// checkOnce refuses a diff in which a file occurs twice, as in a series of
// patches, whose line numbers belong to different versions.
func checkOnce(d *Diff, sections []*section) error {
	heads, bases := map[string]bool{}, map[string]bool{}
	for i := range d.Files {
		f := &d.Files[i]
		seen, path := heads, f.NewPath
		if f.Status == Deleted {
			seen, path = bases, f.OldPath
		}
		if seen[path] {
			return errorf(sections[i].line-1, remedyPlain, "the file %s occurs twice, as in a series of patches", quoteShort(path))
		}
		seen[path] = true
	}
	return nil
}
