// Package testdiff makes diffs with the real git, and shows and checks what is read
// of them.
package testdiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// List prints a diff readably.
func List(d *unified.Diff) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files\n", len(d.Files))
	for i := range d.Files {
		f := &d.Files[i]
		fmt.Fprintf(&b, "%s %q", f.Status, f.Path())
		if f.OldPath != "" && f.OldPath != f.Path() {
			fmt.Fprintf(&b, " from %q", f.OldPath)
		}
		for _, flag := range []struct {
			set  bool
			name string
		}{
			{f.Binary, "binary"}, {f.Submodule, "submodule"}, {f.Symlink, "symlink"}, {f.ModeOnly, "mode-only"},
			{f.OldNoEOL, "old-no-newline"}, {f.NewNoEOL, "new-no-newline"},
		} {
			if flag.set {
				b.WriteString(" " + flag.name)
			}
		}
		b.WriteByte('\n')
		for _, e := range f.Edits {
			fmt.Fprintf(&b, "  edit old %d new %d\n", e.OldStart, e.NewStart)
			for _, line := range e.Old {
				fmt.Fprintf(&b, "    - %q\n", line)
			}
			for _, line := range e.New {
				fmt.Fprintf(&b, "    + %q\n", line)
			}
		}
	}
	return b.String()
}

// CheckChanges returns what is wrong about the changed lines of a file, or "": the edits lead from the base text that was reconstructed to the
// head text, and every line they add is there, once, within the file.
func CheckChanges(f *unified.File, head []byte, changes []unified.ChangedLine) string {
	if !unified.IsSource(f.NewPath) || f.Status == unified.Deleted || f.Binary || f.Submodule || f.Symlink {
		if len(changes) > 0 {
			return "a file that is not compared has changed lines"
		}
		return ""
	}
	old, err := f.OldText(head)
	if err != nil {
		return fmt.Sprintf("changes without a base text: %v", err)
	}
	if msg := applies(f, old, head); msg != "" {
		return msg
	}
	lines := linesOf(head)
	seen := map[int]int{}
	for _, c := range changes {
		if c.Line < 1 || c.Line > max(len(lines), 1) || c.Path != f.NewPath {
			return fmt.Sprintf("%s:%d is not in the file", c.Path, c.Line)
		}
		for _, s := range c.Spans {
			if s.Start < 0 || s.Start > s.End || s.End > len(head) {
				return fmt.Sprintf("line %d has the span %v of %d bytes", c.Line, s, len(head))
			}
		}
		if c.Kind != unified.DeletionAnchor {
			seen[c.Line]++
		}
	}
	for _, e := range f.Edits {
		for i := range e.New {
			if seen[e.NewStart+i] != 1 {
				return fmt.Sprintf("line %d was added and is there %d times", e.NewStart+i, seen[e.NewStart+i])
			}
		}
	}
	return ""
}

// applies checks that the edits turn the base text into the head text, line by
// line. Line ends are not looked at.
func applies(f *unified.File, old, head []byte) string {
	oldLines := linesOf(old)
	headLines := linesOf(head)
	var made []string
	at := 0 // index of the next line of the base text
	for _, e := range f.Edits {
		from := e.OldStart - 1
		if from < at || from+len(e.Old) > len(oldLines) {
			return fmt.Sprintf("an edit of line %d of %d", e.OldStart, len(oldLines))
		}
		made = append(made, oldLines[at:from]...)
		made = append(made, e.New...)
		at = from + len(e.Old)
	}
	made = append(made, oldLines[at:]...)
	same := slices.EqualFunc(made, headLines, func(a, b string) bool {
		return strings.TrimSuffix(a, "\r") == strings.TrimSuffix(b, "\r")
	})
	if f.Status != unified.Copied && !same {
		return "the edits do not lead to the head text"
	}
	return ""
}

// linesOf splits a text at line ends.
func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
