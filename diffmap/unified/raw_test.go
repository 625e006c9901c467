package unified

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	id1 = "1111111111111111111111111111111111111111"
	id2 = "2222222222222222222222222222222222222222"
)

func TestParseRaw(t *testing.T) {
	data := ":100644 100644 " + id1 + " " + id2 + " M\x00a b.sol\x00" +
		":000000 100644 0000000 " + id2 + " A\x00\"new\".sol\x00" +
		":100644 000000 " + id1 + " 0000000 D\x00gone\nline.sol\x00" +
		":100644 100755 " + id1 + " " + id2 + " R087\x00old.sol\x00new.sol\x00" +
		":100644 120000 " + id1 + " " + id2 + " T\x00link.sol\x00"
	got, err := ParseRaw([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	want := []RawEntry{
		{"100644", "100644", id1, id2, 'M', 0, "a b.sol", "a b.sol"},
		{"000000", "100644", "0000000", id2, 'A', 0, "", `"new".sol`},
		{"100644", "000000", id1, "0000000", 'D', 0, "gone\nline.sol", ""},
		{"100644", "100755", id1, id2, 'R', 87, "old.sol", "new.sol"},
		{"100644", "120000", id1, id2, 'T', 0, "link.sol", "link.sol"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRawErrors(t *testing.T) {
	const meta = ":100644 100644 1111111 2222222 "
	cases := []struct{ name, data, want string }{
		{"no end of status", meta + "M", "cut short"},
		{"no path", meta + "M\x00", "cut short"},
		{"no end of path", meta + "M\x00a", "cut short"},
		{"rename with one path", meta + "R100\x00a\x00", "cut short"},
		{"combined", "::100644 100644 100644 1111111 2222222 3333333 MM\x00a\x00", "combined"},
		{"no colon", strings.TrimPrefix(meta, ":") + "M\x00a\x00", "malformed"},
		{"bad mode", ":10064x 100644 1111111 2222222 M\x00a\x00", "malformed"},
		{"bad id", ":100644 100644 111111g 2222222 M\x00a\x00", "malformed"},
		{"no status", meta + "\x00a\x00", "malformed"},
		{"bad score", meta + "R1x\x00a\x00b\x00", "malformed score"},
		{"unknown status", meta + "X\x00a\x00", `unknown status 'X'`},
		{"conflict", meta + "U\x00a\x00", "merge conflict"},
		{"text", "diff --git a/x b/x\n", "cut short"},
	}
	for _, c := range cases {
		if _, err := ParseRaw([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCrossCheck(t *testing.T) {
	d := &Diff{Files: []File{
		{OldPath: "m.sol", NewPath: "m.sol", Status: Modified},
		{NewPath: "a.sol", Status: Added},
		{OldPath: "o.sol", NewPath: "n.sol", Status: Renamed},
		{OldPath: "t", Status: Deleted},
		{NewPath: "t", Status: Added},
	}}
	raw := []RawEntry{
		{Status: 'A', NewPath: "a.sol"},
		{Status: 'R', Score: 90, OldPath: "o.sol", NewPath: "n.sol"},
		{Status: 'M', OldPath: "m.sol", NewPath: "m.sol"},
		{Status: 'T', OldPath: "t", NewPath: "t"},
	}
	if err := d.CrossCheck(raw); err != nil {
		t.Error(err)
	}
	cases := []struct {
		name string
		raw  []RawEntry
		want string
	}{
		{"a file is missing in the patch", append(raw[:4:4], RawEntry{Status: 'M', OldPath: "x.sol", NewPath: "x.sol"}),
			`git diff --raw lists "x.sol" as modified, it does not`},
		{"a file is missing in the raw form", raw[1:], `it lists "a.sol" as added, git diff --raw does not`},
		{"a name differs", append(raw[:1:1], RawEntry{Status: 'R', OldPath: "o.sol", NewPath: "N.sol"}, raw[2], raw[3]),
			`git diff --raw lists "N.sol" as renamed from "o.sol"`},
	}
	for _, c := range cases {
		if err := d.CrossCheck(c.raw); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzParseRaw checks that a parsed record has the paths its status promises.
func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 100644 1111111 2222222 M\x00a.sol\x00"))
	f.Add([]byte(":100644 100644 1111111 2222222 R100\x00a\x00b\x00:000000 100644 0000000 1111111 A\x00c\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseRaw(data)
		if err != nil {
			return
		}
		for _, e := range entries {
			if (e.OldPath == "") != (e.Status == 'A') || (e.NewPath == "") != (e.Status == 'D') {
				t.Fatalf("%+v", e)
			}
		}
		d := &Diff{}
		for i := range entries {
			for _, c := range entries[i].changedPaths() {
				d.Files = append(d.Files, File{OldPath: c.oldPath, NewPath: c.newPath, Status: c.status})
			}
		}
		if err := d.CrossCheck(entries); err != nil {
			t.Fatal(err)
		}
	})
}
