package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/report"
)

// written lists the files of a folder by path, with their content.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWriteFolder: a run replaces the files of an earlier one, and no others.
func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	reproducer, err := (&Reproducer{Claim: Claim{Kind: LineClaim}, Sequence: []string{"x"}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	fault, err := exampleFault().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	upgrade, err := exampleUpgrade().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	first := Bundle{
		report.JSONFile: []byte("1"), WorldFile: []byte("deploy: []\n"), SnapshotFile: []byte("{}"),
		"reproducers/old.json": reproducer, "upgrades/old.json": upgrade, "faults/old.json": fault,
	}
	if err := first.WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "reproducers", "old.json"))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
	for _, folder := range []string{"reproducers", "upgrades", "faults"} {
		if err := os.WriteFile(filepath.Join(dir, folder, "mine.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	second := Bundle{report.JSONFile: []byte("2"), SnapshotFile: []byte("{}"), "reproducers/new.json": reproducer}
	if err := second.WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	got := written(t, dir)
	for _, name := range []string{"reproducers/mine.json", "upgrades/mine.json", "faults/mine.json"} {
		if got[name] != "{}" {
			t.Errorf("%s, which is not ours, has become %q", name, got[name])
		}
		delete(got, name)
	}
	if len(got) != len(second) {
		t.Errorf("the folder has %d files of ours, not %d: %v", len(got), len(second), got)
	}
	for name, data := range second {
		if got[name] != string(data) {
			t.Errorf("%s is %q", name, got[name])
		}
	}
}

func TestWriteFolderErrors(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(root, "taken")
	if err := os.MkdirAll(filepath.Join(taken, report.JSONFile), 0o755); err != nil {
		t.Fatal(err)
	}
	b := Bundle{report.JSONFile: []byte("1")}
	for name, dir := range map[string]string{"a file": file, "below a file": filepath.Join(file, "x"), "a folder in the way": taken} {
		err := b.WriteFolder(dir)
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), "/."+report.JSONFile) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error names a temporary file: %v", name, err)
		}
	}
	entries, err := os.ReadDir(taken)
	if err != nil || len(entries) != 1 {
		t.Errorf("temporary files are left: %v, %v", entries, err)
	}
}
