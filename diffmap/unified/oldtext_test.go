package unified

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// randomSource returns a text of random lines, some of which open or close
// comments and strings, with random line ends.
func randomSource(r *rand.Rand, lines int) string {
	pool := []string{
		"x = 1;", "x = 2;", "if (x > 1) {", "}", "", "", "    y = x;", "// note", "/*", "*/", "a /* b */ c",
		`s = "t";`, `s = "/*";`, `s = "open`, "-- x;", "++ y;", "@@ -1 +1 @@", "--- a/x.sol", "+++ b/x.sol", "diff --git a/x b/x",
		`\ No newline at end of file`, "contract C {", "function f() public { x = 1; }", "ä = '€';", "GIT binary patch", "\t", "\f",
	}
	var b strings.Builder
	for i := range lines {
		b.WriteString(pool[r.IntN(len(pool))])
		if i+1 < lines || r.IntN(4) > 0 {
			b.WriteString([]string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)])
		}
	}
	return b.String()
}

// randomEdit changes a few lines of a text.
func randomEdit(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + r.IntN(4) {
		at := r.IntN(len(lines) + 1)
		end := min(len(lines), at+r.IntN(3))
		insert := strings.SplitAfter(randomSource(r, r.IntN(4)), "\n")
		lines = append(append(append([]string{}, lines[:at]...), insert...), lines[end:]...)
	}
	return strings.Join(lines, "")
}

// randomPair is two versions of a file; a side may be missing.
type randomPair struct {
	old, head     string
	noOld, noHead bool
	name          string
}

// randomDiff writes n pairs of files into two folders and lets git compare them.
func randomDiff(t *testing.T, r *rand.Rand, n int, options ...string) (map[string]randomPair, *Diff) {
	t.Helper()
	dir := t.TempDir()
	write := func(folder, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"old", "new"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pairs := map[string]randomPair{}
	for i := range n {
		p := randomPair{name: fmt.Sprintf("f%d.sol", i), old: randomSource(r, r.IntN(30)), noOld: i%10 == 8, noHead: i%10 == 9}
		p.head = randomEdit(r, p.old)
		if !p.noOld {
			write("old", p.name, p.old)
		}
		if !p.noHead {
			write("new", p.name, p.head)
		}
		pairs[p.name] = p
	}
	args := append([]string{"diff", "--no-index", "--no-color", "--no-renames", "--text", "--src-prefix=a/", "--dst-prefix=b/"}, options...)
	cmd := exec.Command("git", append(args, "old", "new")...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	d, err := Parse(out, Limits{})
	if err != nil {
		t.Fatalf("%v: %v", options, err)
	}
	return pairs, d
}

var diffStyles = [][]string{nil, {"-U0"}, {"-U1"}, {"--patience"}, {"--function-context"}, {"--inter-hunk-context=5"}}

// TestOldTextRoundTrip undoes real diffs of random files.
func TestOldTextRoundTrip(t *testing.T) {
	for seed, options := range diffStyles {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		pairs, d := randomDiff(t, r, 60, options...)
		for i := range d.Files {
			f := &d.Files[i]
			p := pairs[filepath.Base(f.Path())]
			if p.noOld {
				p.old = ""
			}
			if p.noHead {
				p.head = ""
			}
			got, err := f.OldText([]byte(p.head))
			if err != nil {
				t.Fatalf("%v %s: %v", options, p.name, err)
			}
			if string(got) != p.old {
				t.Fatalf("%v %s:\ngot  %q\nwant %q", options, p.name, got, p.old)
			}
		}
		if len(d.Files) < 40 {
			t.Fatalf("only %d files differ", len(d.Files))
		}
	}
}

func TestOldTextMismatch(t *testing.T) {
	parse := func(diff string) *File {
		d, err := Parse([]byte("--- a/x.sol\n+++ b/x.sol\n"+diff), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return &d.Files[0]
	}
	const edit = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
	cases := []struct {
		name, diff, head string
		line             int
	}{
		{"edited line differs", edit, "a\nb\nc\n", 2},
		{"context differs", edit, "a\nB\nd\n", 3},
		{"file too short", edit, "a\n", 2},
		{"empty file", edit, "", 2},
		{"deletion behind the end", "@@ -7 +6,0 @@\n-x\n", "a\n", 7},
		{"newline where the diff has none", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b\n", 1},
		{"no newline where the diff has one", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b", 1},
	}
	for _, c := range cases {
		_, err := parse(c.diff).OldText([]byte(c.head))
		var mismatch *MismatchError
		if !errors.As(err, &mismatch) || mismatch.Line != c.line || mismatch.Path != "x.sol" {
			t.Errorf("%s: got %v, want a mismatch on line %d", c.name, err, c.line)
		}
	}
	binary := File{NewPath: "x.sol", Binary: true}
	if _, err := binary.OldText(nil); err == nil {
		t.Error("a binary file was reconstructed")
	}
}

// TestOldTextLineEnds: git shows LF for a CRLF working tree under core.autocrlf.
func TestOldTextLineEnds(t *testing.T) {
	cases := []struct{ diff, head, want string }{
		{"@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\r\nB\r\n", "a\r\nb\r\n"},
		{"@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n", "a\nB\n", "a\nb\n"},
		{"@@ -1,2 +1,2 @@\n a\n-b\r\n+B\n", "a\nB\n", "a\nb\r\n"},
	}
	for _, c := range cases {
		d, err := Parse([]byte("--- a/x.sol\n+++ b/x.sol\n"+c.diff), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Files[0].OldText([]byte(c.head))
		if err != nil || string(got) != c.want {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}

// TestChangesProperties checks, on random files, that no changed token is missed
// and that spans are well formed.
func TestChangesProperties(t *testing.T) {
	for seed, options := range diffStyles {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		pairs, d := randomDiff(t, r, 60, options...)
		for i := range d.Files {
			f := d.Files[i]
			p := pairs[filepath.Base(f.Path())]
			if p.noHead {
				continue
			}
			if p.noOld {
				p.old = ""
			}
			lines, err := f.Changes([]byte(p.head))
			if err != nil {
				t.Fatal(err)
			}
			if msg := checkChanges(lines, f.Edits, p.old, p.head); msg != "" {
				t.Fatalf("%v %s: %s\nold  %q\nhead %q\n%+v", options, p.name, msg, p.old, p.head, lines)
			}
		}
	}
}

// checkChanges returns what is wrong with the changed lines of a file, or "".
func checkChanges(lines []ChangedLine, edits []Edit, old, head string) string {
	in := interner{}
	was, is := newSource([]byte(old), in), newSource([]byte(head), in)
	covered := make([]bool, len(head))
	seen := map[int]bool{}
	lost, moved := false, false
	for i, l := range lines {
		if i > 0 && (lines[i-1].Line > l.Line || lines[i-1].Line == l.Line && lines[i-1].Kind >= l.Kind) {
			return "lines are out of order or repeated"
		}
		if n := btoi(l.Formatting) + btoi(l.Comment) + btoi(l.Moved); n != btoi(len(l.Spans) == 0) {
			return fmt.Sprintf("line %d: %d reasons for %d spans", l.Line, n, len(l.Spans))
		}
		seen[l.Line] = seen[l.Line] || l.Kind != DeletionAnchor
		moved = moved || l.Moved
		end := -1
		for _, s := range l.Spans {
			if s.Start < end || s.End < s.Start || s.End > len(head) {
				return fmt.Sprintf("line %d: span %v", l.Line, s)
			}
			if l.Kind != DeletionAnchor && (s.Start < is.lineStart[l.Line-1] || s.End > is.lineStart[l.Line]) {
				return fmt.Sprintf("line %d: span %v is on another line", l.Line, s)
			}
			lost = lost || s.Start == s.End
			for k := s.Start; k < s.End; k++ {
				covered[k] = true
			}
			end = s.End
		}
	}
	for _, e := range edits {
		for k := range e.New {
			if !seen[e.NewStart+k] {
				return fmt.Sprintf("the added line %d is missing", e.NewStart+k)
			}
		}
	}
	if moved {
		return "" // then the rest is not in order
	}
	return checkTokens(was, is, covered, lost)
}

// checkTokens checks that the tokens without a span occur in the old version in
// that order, and that a place is marked where others were lost.
func checkTokens(was, is *source, covered []bool, lost bool) string {
	at, any := 0, false
	for i, t := range is.code {
		if covered[t.Start] {
			any = true
			continue
		}
		for at < len(was.ids) && was.ids[at] != is.ids[i] {
			at++
		}
		if at == len(was.ids) {
			return fmt.Sprintf("the token %q at %d is new and has no span", is.tokenText(i), t.Start)
		}
		at++
	}
	if len(was.ids) > len(is.ids) && !any && !lost {
		return "tokens were lost and no place is marked"
	}
	return ""
}
