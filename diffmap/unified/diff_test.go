package unified

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseDiffLimits(t *testing.T) {
	data, err := os.ReadFile("testdata/diff/added_deleted.diff")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		limits Limits
		want   string
	}{
		{Limits{MaxBytes: len(data) - 1}, "bytes"},
		{Limits{MaxFiles: 1}, "more than 1 files"},
		{Limits{MaxLines: 10}, "line 10: it has more than 10 lines"},
		{Limits{MaxBytes: len(data), MaxFiles: 2, MaxLines: 100}, ""},
	}
	for _, c := range cases {
		_, err := Parse(data, c.limits)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.limits, err, c.want)
		}
	}
}

// FuzzParseDiff checks that a diff which is accepted is consistent: edits are in
// order and apart, and undoing them on a head text made from the diff works.
func FuzzParseDiff(f *testing.F) {
	files, err := filepath.Glob("testdata/diff/*.diff")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data, Limits{MaxBytes: 1 << 16})
		if err != nil {
			return
		}
		for i := range d.Files {
			if msg := CheckFile(&d.Files[i]); msg != "" {
				t.Fatalf("file %d: %s", i, msg)
			}
		}
	})
}

// CheckFile returns what is inconsistent about a parsed file, or "".
func CheckFile(f *File) string {
	if (f.OldPath == "") != (f.Status == Added) || (f.NewPath == "") != (f.Status == Deleted) {
		return fmt.Sprintf("%s file with paths %q and %q", f.Status, f.OldPath, f.NewPath)
	}
	oldLine, newLine := 1, 1
	for i, e := range f.Edits {
		skip := e.OldStart - oldLine
		if skip != e.NewStart-newLine || skip < 0 || skip == 0 && i > 0 || len(e.Old)+len(e.New) == 0 {
			return fmt.Sprintf("edit %d starts at %d and %d, behind %d and %d", i, e.OldStart, e.NewStart, oldLine, newLine)
		}
		oldLine, newLine = e.OldStart+len(e.Old), e.NewStart+len(e.New)
	}
	last := newLine - 1
	for _, c := range f.context {
		last = max(last, c.line)
	}
	if f.Binary || last > 1<<16 {
		return ""
	}
	head, want := syntheticSides(f, last)
	got, err := f.OldText([]byte(head))
	if err != nil {
		return err.Error()
	}
	if string(got) != want {
		return fmt.Sprintf("base text %q, want %q", got, want)
	}
	if _, err := f.Changes([]byte(head)); err != nil {
		return err.Error()
	}
	return ""
}

// syntheticSides makes head and base texts that fit a file's edits: lines that
// the diff does not show are "?".
func syntheticSides(f *File, lastHead int) (head, old string) {
	lines := make([]string, lastHead)
	for i := range lines {
		lines[i] = "?"
	}
	for _, c := range f.context {
		lines[c.line-1] = c.text
	}
	var oldLines []string
	at := 0
	for _, e := range f.Edits {
		copy(lines[e.NewStart-1:], e.New)
		oldLines = append(append(oldLines, lines[at:e.NewStart-1]...), e.Old...)
		at = e.NewStart - 1 + len(e.New)
	}
	oldLines = append(oldLines, lines[at:]...)
	join := func(lines []string, ended bool) string {
		text := strings.Join(lines, "\n")
		if len(lines) > 0 && ended {
			text += "\n"
		}
		return text
	}
	return join(lines, !f.NewNoEOL), join(oldLines, !f.OldNoEOL)
}
