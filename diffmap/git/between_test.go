package git

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// The working tree is not looked at, and a file that calls itself binary is.
func TestBetween(t *testing.T) {
	r := newRepo(t)
	r.write("A.sol", "1\n2\n")
	r.write("gone.sol", "contract Gone {}\n// that nothing is like\n")
	base := r.commit()
	r.write("A.sol", "1\n3\n")
	r.write("B.sol", "1\n\x00\n")
	r.write(".gitattributes", "B.sol binary\n")
	if err := os.Remove(filepath.Join(r.dir, "gone.sol")); err != nil {
		t.Fatal(err)
	}
	head := r.commit()
	r.write("A.sol", "not committed\n")
	r.write("C.sol", "untracked\n")
	for _, c := range []struct {
		base string
		want map[string]unified.FileStatus
	}{
		{base, map[string]unified.FileStatus{"A.sol": unified.Modified, "B.sol": unified.Added, ".gitattributes": unified.Added, "gone.sol": unified.Deleted}},
		{"", map[string]unified.FileStatus{"A.sol": unified.Added, "B.sol": unified.Added, ".gitattributes": unified.Added}},
		{head, map[string]unified.FileStatus{}},
	} {
		d, err := r.reader().Between(context.Background(), c.base, head)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]unified.FileStatus{}
		for _, f := range d.Files {
			got[f.Path()] = f.Status
			if f.Path() == "A.sol" && (len(f.Edits) != 1 || f.Edits[0].New[len(f.Edits[0].New)-1] != "3") {
				t.Errorf("from %q: %+v", c.base, f.Edits)
			}
			if f.Binary != (f.Path() == ".gitattributes") {
				t.Errorf("from %q: the lines of %s are shown: %v", c.base, f.Path(), !f.Binary)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("from %q (-want +got):\n%s", c.base, diff)
		}
	}
	for _, wrong := range []string{"nothing", "--help", head + ".." + base} {
		if _, err := r.reader().Between(context.Background(), base, wrong); err == nil {
			t.Errorf("%q is a commit", wrong)
		}
	}
}
