// Package lcov reads and writes LCOV tracefiles: text that says of lines of sources how often
// they were executed (geninfo(1), "TRACEFILE FORMAT"). forge coverage writes them, and so does
// solidity-coverage; genhtml, editors and services for coverage read them.
package lcov

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// Bounds of a tracefile that is read. OpenZeppelin's contracts have 10,000 lines that forge
// counts in 400 files, in a tracefile of a megabyte: two orders of magnitude below.
const (
	MaxSize  = 64 << 20 // bytes
	maxFiles = 50_000
	maxLines = 1_000_000 // different ones, of all files: 50 MB of memory
	maxLine  = 10_000_000
	maxPath  = 4096 // bytes; what Linux takes
)

// maxQuoted bounds what an error quotes, in characters. Arbitrary.
const maxQuoted = 60

// File is what a tracefile says of a source.
type File struct {
	Path string // as it is written there, never empty
	// Hits are how often lines were executed, by their number from 1. A line that is not
	// among them has no code that was counted.
	Hits map[int]uint64
	// Functions are the lines in which functions begin (FN). [Write] leaves them out.
	Functions map[int]bool
}

// Error is what is wrong with a tracefile.
type Error struct {
	Line int // from 1; 0: it is about the whole
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.What
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.What)
}

// Read reads a tracefile: its sources in the order in which they appear first. What several
// sections say of a source is added up, as lcov does, and so is what one says twice of a line.
// Records of other kinds are skipped, among them those of branches; a line that is not a record, a
// record that is out of place and a section without an end are errors, which are of type *Error.
func Read(text []byte) ([]File, error) {
	if len(text) > MaxSize {
		return nil, &Error{0, fmt.Sprintf("it has %d bytes; at most %d are read", len(text), MaxSize)}
	}
	r := reader{index: map[string]int{}, at: -1}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if err := r.line(strings.TrimRight(string(line), "\r\n")); err != nil {
			return nil, &Error{number, err.Error()}
		}
		if r.at >= 0 && r.begun == 0 {
			r.begun = number
		}
	}
	switch {
	case r.at >= 0:
		return nil, &Error{0, fmt.Sprintf("it ends within the section of %s, which begins at line %d: it was cut short, or another program still writes it", human.Clean(r.files[r.at].Path, maxQuoted), r.begun)}
	case len(r.files) == 0:
		return nil, &Error{0, "it names no source: it has no line SF:PATH"}
	}
	return r.files, nil
}

// reader is a tracefile that was read so far.
type reader struct {
	files []File
	index map[string]int // of files, by path
	at    int            // the file of the section; -1: outside of one
	begun int            // the line of its SF; 0: it is the present one
	lines int            // of all files
}

// line reads a line without its end.
func (r *reader) line(text string) error {
	if text == "" || text[0] == '#' {
		return nil
	}
	if text == "end_of_record" {
		if r.at < 0 {
			return errors.New("end_of_record without an SF before it")
		}
		r.at, r.begun = -1, 0
		return nil
	}
	kind, rest, ok := strings.Cut(text, ":")
	if !ok || !isKind(kind) {
		return fmt.Errorf("%q is not a record of an LCOV tracefile, such as SF:src/Vault.sol or DA:12,1", human.Clean(text, maxQuoted))
	}
	switch kind {
	case "SF":
		return r.section(rest)
	case "DA":
		return r.data(rest)
	case "FN":
		return r.function(rest)
	}
	return nil
}

// isKind reports whether a word can be the kind of a record, of this version of the format or a
// later one.
func isKind(word string) bool {
	const longest = 16 // arbitrary: the longest known has four letters
	if word == "" || len(word) > longest {
		return false
	}
	return strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// section begins the section of a source.
func (r *reader) section(path string) error {
	switch {
	case r.at >= 0:
		return fmt.Errorf("a section begins before that of %s ends, at line %d: its end_of_record is missing", human.Clean(r.files[r.at].Path, maxQuoted), r.begun)
	case path == "":
		return errors.New("SF without a path")
	case len(path) > maxPath:
		return fmt.Errorf("a path of %d bytes; at most %d are read", len(path), maxPath)
	case strings.ContainsRune(path, 0):
		return errors.New("a path with a NUL in it")
	}
	at, known := r.index[path]
	if !known {
		if len(r.files) == maxFiles {
			return fmt.Errorf("more than %d sources", maxFiles)
		}
		at = len(r.files)
		r.index[path] = at
		r.files = append(r.files, File{Path: path, Hits: map[int]uint64{}, Functions: map[int]bool{}})
	}
	r.at = at
	return nil
}

// data reads DA:LINE,HITS and, as the format allows, a checksum.
func (r *reader) data(text string) error {
	fields := strings.Split(text, ",")
	if len(fields) < 2 || len(fields) > 3 {
		return fmt.Errorf("DA:%s: want a line's number and how often it was executed, as in DA:12,1", human.Clean(text, maxQuoted))
	}
	line, err := r.number(fields[0])
	if err != nil {
		return err
	}
	hits, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not how often a line was executed: want an integer from 0 to 2^64-1", human.Clean(fields[1], maxQuoted))
	}
	f := &r.files[r.at]
	before, known := f.Hits[line]
	if !known {
		if r.lines++; r.lines > maxLines {
			return fmt.Errorf("more than %d lines of sources", maxLines)
		}
	}
	f.Hits[line] = before + min(hits, math.MaxUint64-before)
	return nil
}

// function reads FN:LINE,NAME or FN:LINE,END,NAME.
func (r *reader) function(text string) error {
	first, _, ok := strings.Cut(text, ",")
	if !ok {
		return fmt.Errorf("FN:%s: want a line's number and a name, as in FN:12,Vault.deposit", human.Clean(text, maxQuoted))
	}
	line, err := r.number(first)
	if err != nil {
		return err
	}
	f := &r.files[r.at]
	if !f.Functions[line] {
		if r.lines++; r.lines > maxLines {
			return fmt.Errorf("more than %d lines of sources", maxLines)
		}
	}
	f.Functions[line] = true
	return nil
}

// number reads the number of a line in the section's source.
func (r *reader) number(text string) (int, error) {
	if r.at < 0 {
		return 0, errors.New("a record of a line without an SF before it")
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < 1 || n > maxLine {
		return 0, fmt.Errorf("%q is not the number of a line: want an integer from 1 to %d", human.Clean(text, maxQuoted), maxLine)
	}
	return int(n), nil
}

// Writable reports whether a path can be in a tracefile, which has no way to write a line break.
func Writable(path string) bool { return path != "" && !strings.ContainsAny(path, "\x00\r\n") }

// Write writes a tracefile: for each source, in the order of paths, its lines in order and the
// number of lines and of those that were executed. It has no name of a test, as forge's have
// none, so that lcov makes one section of both. Sources without lines, and those whose path is
// not [Writable], are left out.
func Write(files []File) []byte {
	var out bytes.Buffer
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := range files {
		f := &files[i]
		if len(f.Hits) == 0 || !Writable(f.Path) {
			continue
		}
		fmt.Fprintf(&out, "TN:\nSF:%s\n", f.Path)
		hit := 0
		for _, line := range slices.Sorted(maps.Keys(f.Hits)) {
			fmt.Fprintf(&out, "DA:%d,%d\n", line, f.Hits[line])
			if f.Hits[line] > 0 {
				hit++
			}
		}
		fmt.Fprintf(&out, "LF:%d\nLH:%d\nend_of_record\n", len(f.Hits), hit)
	}
	return out.Bytes()
}
