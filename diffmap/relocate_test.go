package diffmap

import (
	"strings"
	"testing"
)

func TestRelocate(t *testing.T) {
	cases := []struct {
		name   string
		files  string // "old>new", in order
		exists string
		found  int
		want   string
	}{
		{"as named", "src/A.sol>src/A.sol", "src/A.sol", 1, "src/A.sol>src/A.sol"},
		{"two folders", "v1/src/A.sol>v2/src/A.sol >v2/src/B.sol v1/C.sol> v1/r.md>v2/r.md", "src/A.sol src/B.sol", 2,
			"src/A.sol>src/A.sol >src/B.sol C.sol> r.md>r.md"},
		{"project in a monorepo", "packages/c/src/A.sol>packages/c/src/A.sol packages/d/B.sol>packages/d/B.sol R.md>R.md", "src/A.sol", 1,
			"src/A.sol>src/A.sol packages/d/B.sol>packages/d/B.sol R.md>R.md"},
		{"absolute", "/x/v1/A.sol>/x/v2/A.sol", "A.sol", 1, "A.sol>A.sol"},
		{"parent folders", "../old/A.sol>../new/A.sol", "A.sol ../new/A.sol", 1, "A.sol>A.sol"},
		{"nothing there", "a/A.sol>a/A.sol", "", 0, "a/A.sol>a/A.sol"},
		{"no source", "a/A.txt>a/A.txt", "A.txt", 0, "a/A.txt>a/A.txt"},
		{"smallest number wins", "a/a/A.sol>a/a/A.sol", "a/A.sol A.sol", 1, "a/A.sol>a/A.sol"},
	}
	for _, c := range cases {
		d := &Diff{}
		for _, pair := range strings.Fields(c.files) {
			oldPath, newPath, _ := strings.Cut(pair, ">")
			d.Files = append(d.Files, File{OldPath: oldPath, NewPath: newPath})
		}
		present := strings.Fields(c.exists)
		found := d.Relocate(func(p string) bool {
			for _, q := range present {
				if p == q {
					return true
				}
			}
			return false
		})
		var got []string
		for _, f := range d.Files {
			got = append(got, f.OldPath+">"+f.NewPath)
		}
		if s := strings.Join(got, " "); s != c.want || found != c.found {
			t.Errorf("%s: found %d: %s, want %d: %s", c.name, found, s, c.found, c.want)
		}
	}
}
