package git

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLastChange: a merge counts as what it brought to its first parent, and commits that change nothing
// that matters are passed over.
func TestLastChange(t *testing.T) {
	r := newRepo(t)
	r.write("A.sol", "1\n")
	first := r.commit()
	check := func(from string, want *LastChange) {
		t.Helper()
		got, err := r.reader().LastChange(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("from %s: %+v, want %+v", from, got, want)
		}
	}
	check("HEAD", &LastChange{Commit: first})
	r.git("checkout", "-q", "-b", "feature")
	r.write("A.sol", "2\n")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("README", "1\n")
	main := r.commit()
	r.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
	merge := r.git("rev-parse", "HEAD")
	check("HEAD", &LastChange{Commit: merge, Base: main, Merge: true})
	r.write("README", "2\n")
	r.commit()
	r.write("README", "3\n")
	r.commit()
	check("HEAD", &LastChange{Commit: merge, Base: main, Merge: true, Before: 2})
	check(main, &LastChange{Commit: first, Before: 1})

	// A shallow clone that ends before says so.
	for depth, there := range map[string]bool{"1": false, "3": false, "4": true} {
		shallow := filepath.Join(t.TempDir(), "clone")
		if out, err := exec.Command("git", "clone", "-q", "--depth", depth, "file://"+r.dir, shallow).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		reader := &Repository{Root: shallow}
		got, err := reader.LastChange(t.Context(), "HEAD")
		switch {
		case there && (err != nil || got.Commit != merge):
			t.Errorf("depth %s: %+v, %v", depth, got, err)
		case !there && (err == nil || !strings.Contains(err.Error(), "this shallow clone ends with") || !strings.Contains(err.Error(), "git fetch --deepen 1")):
			t.Errorf("depth %s: %v", depth, err)
		}
		if is, err := reader.Shallow(t.Context()); err != nil || !is {
			t.Errorf("depth %s: shallow %v, %v", depth, is, err)
		}
	}

	none := newRepo(t)
	none.write("README", "1\n")
	none.commit()
	if got, err := none.reader().LastChange(t.Context(), "HEAD"); got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
