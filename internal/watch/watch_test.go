package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/A.sol", "foundry.toml", "README.md", "node_modules/x/B.sol", ".git/C.sol", "out/D.sol", ".github/sightline.yml", "lib/x/E.sol"} {
		write(t, root, name, "a")
	}
	before := Look(root)
	var names []string
	for path := range before {
		name, _ := filepath.Rel(root, path)
		names = append(names, filepath.ToSlash(name))
	}
	slices.Sort(names)
	if want := []string{".github/sightline.yml", "foundry.toml", "lib/x/E.sol", "src/A.sol"}; !slices.Equal(names, want) {
		t.Errorf("watches %q, want %q", names, want)
	}
	write(t, root, "src/A.sol", "ab")
	write(t, root, "src/F.sol", "a")
	if err := os.Remove(filepath.Join(root, "foundry.toml")); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(root, "foundry.toml"), filepath.Join(root, "src/A.sol"), filepath.Join(root, "src/F.sol")}
	if got := Look(root).Changed(before); !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
}

// TestNext: what is still being written is waited for.
func TestNext(t *testing.T) {
	root := t.TempDir()
	write(t, root, "A.sol", "a")
	before := Look(root)
	looks := 0
	sleep := func(context.Context, time.Duration) error {
		if looks++; looks <= 3 {
			write(t, root, "A.sol", string(make([]byte, 1+looks)))
		}
		return nil
	}
	after, ok := Next(t.Context(), root, before, sleep)
	if !ok || len(after.Changed(before)) != 1 || looks != 4 {
		t.Errorf("%v after %d looks", after, looks)
	}
	canceled := func(context.Context, time.Duration) error { return context.Canceled }
	if _, ok := Next(t.Context(), root, after, canceled); ok {
		t.Error("goes on though it is canceled")
	}
}
