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
