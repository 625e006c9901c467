package diffmap

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// checkGolden compares got with a file below testdata.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if string(want) != got {
		t.Errorf("%s differs (go test -update rewrites it)\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// listDiff prints a Diff readably.
func listDiff(d *Diff) string {
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
			{f.oldNoEOL, "old-no-newline"}, {f.newNoEOL, "new-no-newline"},
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

func TestParseDiffGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.diff")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".diff"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if d, err := ParseDiff(data, Limits{}); err != nil {
				got = "error: " + err.Error() + "\n"
			} else {
				got = listDiff(d)
			}
			checkGolden(t, strings.TrimSuffix(file, ".diff")+".out", got)
		})
	}
}

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
		_, err := ParseDiff(data, c.limits)
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
		d, err := ParseDiff(data, Limits{MaxBytes: 1 << 16})
		if err != nil {
			return
		}
		for i := range d.Files {
			if msg := checkFile(&d.Files[i]); msg != "" {
				t.Fatalf("file %d: %s", i, msg)
			}
		}
	})
}

// checkFile returns what is inconsistent about a parsed file, or "".
func checkFile(f *File) string {
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
	return join(lines, !f.newNoEOL), join(oldLines, !f.oldNoEOL)
}
