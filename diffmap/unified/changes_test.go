package unified_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// listChanges prints changed lines: number, kind, what changed on the line and
// the text of the spans, "^" and the column for an empty one.
func listChanges(lines []unified.ChangedLine, head []byte) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%d %s", l.Line, l.Kind)
		for _, flag := range []struct {
			set  bool
			name string
		}{{l.Formatting, "formatting"}, {l.Comment, "comment"}, {l.Moved, "moved"}} {
			if flag.set {
				b.WriteString(" " + flag.name)
			}
		}
		for _, s := range l.Spans {
			if s.Start == s.End {
				column := s.Start - (bytes.LastIndexByte(head[:s.Start], '\n') + 1)
				fmt.Fprintf(&b, " ^%d", column)
			} else {
				fmt.Fprintf(&b, " %q", head[s.Start:s.End])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestChangesGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/changes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base, head := archive.Files[0].Data, archive.Files[1].Data
			d, err := unified.Parse(testdiff.Files(t, "C.sol", base, head), unified.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			lines, err := d.Files[0].Changes(head)
			if err != nil {
				t.Fatal(err)
			}
			got := listChanges(lines, head)
			if *golden.Update {
				archive.Files = append(archive.Files[:2], txtar.File{Name: "changes", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 3 || string(archive.Files[2].Data) != got {
				t.Errorf("%s differs (go test -update rewrites it)\ngot:\n%s", file, got)
			}
		})
	}
}
