package unified

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// RawEntry is one record of git diff --raw -z (git-diff-index(1), "Raw output
// format").
type RawEntry struct {
	OldMode, NewMode string // six octal digits; "000000" on the side without the file
	OldID, NewID     string // object ids, perhaps abbreviated; zeros for a file not in the object store
	Status           byte   // A, C, D, M, R or T
	Score            int    // percentage of similarity of C and R, else 0
	OldPath, NewPath string // as in [File]: "" on the side without the file
}

// ParseRaw reads the output of git diff --raw -z. Errors are *[Error]s
// without a line, since the format has none.
func ParseRaw(data []byte) ([]RawEntry, error) {
	var entries []RawEntry
	for len(data) > 0 {
		e, rest, msg := parseRawEntry(data)
		if msg != "" {
			return nil, &Error{Msg: fmt.Sprintf("record %d of git diff --raw -z %s", len(entries)+1, msg)}
		}
		if e.Status == 'U' {
			return nil, &Error{Msg: fmt.Sprintf("%q has a merge conflict", e.NewPath), Remedy: "resolve the merge conflict"}
		}
		entries = append(entries, e)
		data = rest
	}
	return entries, nil
}

// parseRawEntry reads ":mode mode id id status\0path\0[path\0]"; msg says what is
// wrong.
func parseRawEntry(data []byte) (e RawEntry, rest []byte, msg string) {
	meta, rest, ok := bytes.Cut(data, []byte{0})
	if !ok {
		return e, nil, "is cut short"
	}
	if bytes.HasPrefix(meta, []byte("::")) {
		return e, nil, "is of a combined diff"
	}
	fields := strings.Split(strings.TrimPrefix(string(meta), ":"), " ")
	if !bytes.HasPrefix(meta, []byte(":")) || len(fields) != 5 || !isMode(fields[0]) || !isMode(fields[1]) ||
		!isObjectID(fields[2]) || !isObjectID(fields[3]) || fields[4] == "" {
		return e, nil, "is malformed"
	}
	e = RawEntry{OldMode: fields[0], NewMode: fields[1], OldID: fields[2], NewID: fields[3], Status: fields[4][0]}
	if score := fields[4][1:]; score != "" {
		if e.Score, ok = parseNumber(score); !ok || e.Score > 100 {
			return e, nil, "has a malformed score"
		}
	}
	first, rest, ok := bytes.Cut(rest, []byte{0})
	if !ok || len(first) == 0 {
		return e, nil, "is cut short"
	}
	e.OldPath, e.NewPath = string(first), string(first)
	switch e.Status {
	case 'A':
		e.OldPath = ""
	case 'D':
		e.NewPath = ""
	case 'M', 'T', 'U':
	case 'R', 'C':
		second, after, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(second) == 0 {
			return e, nil, "is cut short"
		}
		e.NewPath, rest = string(second), after
	default:
		return e, nil, fmt.Sprintf("has the unknown status %q", e.Status)
	}
	return e, rest, ""
}

// changedPath is what a diff and its raw form must agree on for each file.
type changedPath struct {
	status  FileStatus
	oldPath string
	newPath string
}

func (c changedPath) String() string {
	switch c.status {
	case Added:
		return fmt.Sprintf("%q as added", c.newPath)
	case Renamed, Copied:
		return fmt.Sprintf("%q as %s from %q", c.newPath, c.status, c.oldPath)
	}
	return fmt.Sprintf("%q as %s", c.oldPath, c.status)
}

// CrossCheck compares the set of files with the records of git diff --raw -z for
// the same revisions and options. A *[Error] names the first file on which
// they differ.
func (d *Diff) CrossCheck(raw []RawEntry) error {
	count := map[changedPath]int{}
	for i := range d.Files {
		f := &d.Files[i]
		count[changedPath{f.Status, f.OldPath, f.NewPath}]++
	}
	for i := range raw {
		for _, c := range raw[i].changedPaths() {
			count[c]--
		}
	}
	var wrong []changedPath
	for c, n := range count {
		if n != 0 {
			wrong = append(wrong, c)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	sort.Slice(wrong, func(i, j int) bool { return wrong[i].String() < wrong[j].String() })
	msg := fmt.Sprintf("it lists %s, git diff --raw does not", wrong[0])
	if count[wrong[0]] < 0 {
		msg = fmt.Sprintf("git diff --raw lists %s, it does not", wrong[0])
	}
	return &Error{Msg: msg, Remedy: "make the diff again while nothing changes the working tree"}
}

// changedPaths returns how a patch shows the entry: a type change as a deleted
// and an added file.
func (e *RawEntry) changedPaths() []changedPath {
	switch e.Status {
	case 'A':
		return []changedPath{{Added, "", e.NewPath}}
	case 'D':
		return []changedPath{{Deleted, e.OldPath, ""}}
	case 'T':
		return []changedPath{{Deleted, e.OldPath, ""}, {Added, "", e.NewPath}}
	case 'R':
		return []changedPath{{Renamed, e.OldPath, e.NewPath}}
	case 'C':
		return []changedPath{{Copied, e.OldPath, e.NewPath}}
	}
	return []changedPath{{Modified, e.OldPath, e.NewPath}}
}
