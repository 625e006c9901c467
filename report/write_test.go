package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	r, o := load(t, "fail"), testOptions()
	o.OmitTimes = true
	for range 2 { // the second time over what is there
		if err := Write(dir, r, o); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if got := strings.Join(names, " "); got != "comment.md report.json sightline.sarif summary.md" {
		t.Errorf("files: %s", got)
	}
	data, err := os.ReadFile(filepath.Join(dir, JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, encodeReport(t, r, true)) {
		t.Error("report.json is not what WriteJSON writes")
	}
	comment, err := os.ReadFile(filepath.Join(dir, CommentFile))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(comment), "92 s") || r.Stats.Seconds == 0 {
		t.Error("times are in the comment, or were taken from the report")
	}
}

// TestWriteWorld: the World's file is there where there is one, and not an earlier run's.
func TestWriteWorld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, WorldFile)
	if err := Write(dir, load(t, "pass"), Options{World: []byte("deploy: []\n")}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "deploy: []\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := Write(dir, load(t, "pass"), Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the World of an earlier run is still there")
	}
}

func TestWriteErrors(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(root, "taken")
	if err := os.MkdirAll(filepath.Join(taken, JSONFile), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file": file, "below a file": filepath.Join(file, "x"), "a folder in the way": taken} {
		err := Write(dir, load(t, "pass"), Options{})
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), "/."+JSONFile) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error names a temporary file: %v", name, err)
		}
	}
	entries, err := os.ReadDir(taken)
	if err != nil || len(entries) != 1 {
		t.Errorf("temporary files are left: %v, %v", entries, err)
	}
}
