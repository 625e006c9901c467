package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// A synthetic history is a repository whose commits change files at random. What
// git itself names in its hunks, file by file and without context, is what the
// readers of this package must find.

// hostileNames are paths that git quotes, that look like parts of a diff, or that
// differ in case or whitespace alone.
var hostileNames = []string{
	"A.sol", "a.sol", "src/Token.sol", "src/with space.sol", " leading.sol", "trailing .sol ", "b/b/b.sol", "a b/a b/c.sol",
	"Ünï/cödé.sol", "日本.sol", "quote\"d.sol", "back\\slash.sol", "tab\there.sol", "new\nline.sol", "-dash.sol", "'single'.yul",
	"dev/null", "@@ -1 +1 @@.sol", "diff --git a b.sol", "x => y.sol", "{a => b}/c.sol", "plain.txt", "noext", "e\u0301.sol", "\x01.sol", "high\xff.sol",
}

// hostileLines are lines of sources, and such as a careless reader takes for the
// diff's own.
var hostileLines = []string{
	"contract C {", "}", "    uint x;", "    function f() public { x = 1; }", "", "    ", "\tx += 1;", "// a comment", "/* open", "*/", "\"a string\";",
	"-- x;", "++ y;", "--- a/A.sol", "+++ b/A.sol", "@@ -1,3 +1,3 @@", "diff --git a/A.sol b/A.sol", "\\ No newline at end of file", "index 0000000..1111111",
	"- x", "+ x", "-", "+", " ", "\\", "rename from A.sol", "GIT binary patch", "Binary files a/A.sol and b/A.sol differ", "-- ", "2.39.2", "Subproject commit 00",
	"carriage\rreturn", "with CR\r", "ünïcödé 日本", "invalid \xff\xfe", "form\ffeed", "\u2028", "\ufeff",
}

// historian changes a repository at random.
type historian struct {
	*repo
	random *rand.Rand
	files  map[string]string // content by path; links and what git ignores are not in it
}

// pick is an element at random.
func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// paths lists the files in order.
func (h *historian) paths() []string {
	var list []string
	for name := range h.files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// text makes a file: mostly lines with one kind of line end, sometimes none at
// the end, seldom binary or empty.
func (h *historian) text() string {
	switch h.random.IntN(16) {
	case 0:
		return ""
	case 1:
		return "\x00binary\n" + pick(h.random, hostileLines)
	case 2:
		return pick(h.random, hostileLines) // one line, not ended
	}
	end := pick(h.random, []string{"\n", "\n", "\n", "\r\n"})
	var b strings.Builder
	for range h.random.IntN(60) {
		b.WriteString(pick(h.random, hostileLines) + end)
	}
	if h.random.IntN(4) == 0 {
		b.WriteString(pick(h.random, hostileLines))
	}
	return b.String()
}

// edit changes a few places of a text.
func (h *historian) edit(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + h.random.IntN(4) {
		at := h.random.IntN(len(lines))
		switch h.random.IntN(6) {
		case 0: // taken out
			to := min(len(lines), at+1+h.random.IntN(3))
			lines = slices.Concat(lines[:at], lines[to:], []string{""})
		case 1: // put in
			lines = slices.Insert(lines, at, pick(h.random, hostileLines)+"\n", pick(h.random, hostileLines)+"\n")
		case 2: // moved
			line := lines[at]
			lines = slices.Insert(slices.Delete(lines, at, at+1), h.random.IntN(len(lines)), line)
		case 3: // another line end
			if body, ok := strings.CutSuffix(lines[at], "\n"); ok {
				lines[at] = strings.TrimSuffix(body, "\r") + pick(h.random, []string{"\n", "\r\n", "", "\r\r\n"})
			}
		case 4: // the end of the file, ended or not
			return strings.TrimSuffix(strings.Join(lines, ""), "\n") + pick(h.random, []string{"", "\n", "\n\n", "\r\n"})
		default: // replaced
			lines[at] = pick(h.random, hostileLines) + "\n"
		}
	}
	return strings.Join(lines, "")
}

// change does one thing to the working tree.
func (h *historian) change() {
	name := pick(h.random, hostileNames)
	if here := h.paths(); len(here) > 0 && h.random.IntN(3) > 0 {
		name = pick(h.random, here)
	}
	text, there := h.files[name]
	switch {
	case !there:
		h.put(name, h.text())
	case h.random.IntN(8) == 0:
		h.remove(name)
	case h.random.IntN(5) == 0: // its mode alone, if nothing else comes
		file := filepath.Join(h.dir, name)
		info, err := os.Stat(file)
		if err == nil {
			err = os.Chmod(file, info.Mode()^0o111)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	case h.random.IntN(4) == 0: // renamed, perhaps edited, perhaps over another
		to := pick(h.random, hostileNames)
		if h.random.IntN(2) == 0 {
			text = h.edit(text)
		}
		h.remove(name)
		h.put(to, text)
	case h.random.IntN(8) == 0:
		h.put(name, h.text())
	default:
		h.put(name, h.edit(text))
	}
}

func (h *historian) put(name, text string) {
	h.write(name, text)
	h.files[name] = text
}

func (h *historian) remove(name string) {
	if err := os.Remove(filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
	delete(h.files, name)
}

// hunk is the numbers of a hunk without context: where it starts on both sides,
// and how many lines it takes and gives. A side without lines starts at the line
// behind the place, as in [unified.Edit].
type hunk struct{ oldStart, oldCount, newStart, newCount int }

// gitChange is what git names of a changed file.
type gitChange struct {
	status           byte
	oldPath, newPath string
	hunks            []hunk
}

// gitChanges asks git what changed since a commit: the files in git's form for
// machines, and for each its hunks, whose headers are the only lines that begin
// with "@@".
func (r *repo) gitChanges(base string) []gitChange {
	r.t.Helper()
	fields := strings.Split(strings.TrimSuffix(r.raw("diff", "--raw", "-z", "-M", base), "\x00"), "\x00")
	var changes []gitChange
	for len(fields) > 1 {
		c := gitChange{status: fields[0][strings.LastIndexByte(fields[0], ' ')+1], oldPath: fields[1], newPath: fields[1]}
		fields = fields[2:]
		if c.status == 'R' {
			c.newPath, fields = fields[0], fields[1:]
		}
		for line := range strings.Lines(r.raw("--literal-pathspecs", "diff", "-M", "--text", "--unified=0", base, "--", c.oldPath, c.newPath)) {
			if strings.HasPrefix(line, "@@ ") {
				c.hunks = append(c.hunks, readHunk(r.t, line))
			}
		}
		changes = append(changes, c)
	}
	return changes
}

// raw is git without trimming what it prints.
func (r *repo) raw(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// readHunk reads "@@ -1,2 +3 @@".
func readHunk(t *testing.T, line string) hunk {
	t.Helper()
	fields := strings.Fields(line)
	var h hunk
	for i, side := range []struct{ start, count *int }{{&h.oldStart, &h.oldCount}, {&h.newStart, &h.newCount}} {
		start, count, both := strings.Cut(fields[1+i][1:], ",")
		if !both {
			count = "1"
		}
		if _, err := fmt.Sscan(start+" "+count, side.start, side.count); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if *side.count == 0 {
			*side.start++
		}
	}
	return h
}

// TestHistories: over random histories, the files and hunks that this package
// reads are those that git names, every added line has one entry among the
// changes, and the base version's text can be had from the head's.
func TestHistories(t *testing.T) {
	const histories, commits = 8, 6
	counts := map[string]int{}
	for seed := range uint64(histories) {
		h := &historian{newRepo(t), rand.New(rand.NewPCG(seed, 0)), map[string]string{}}
		h.put("A.sol", h.text()+"\n")
		base := h.commit()
		for n := range commits {
			for range 2 + h.random.IntN(8) {
				h.change()
			}
			h.git("add", "-A")
			h.check(fmt.Sprintf("history %d, commit %d", seed, n+1), base, counts)
			h.git("commit", "-q", "--allow-empty", "-m", "c")
			base = h.git("rev-parse", "HEAD")
		}
	}
	t.Logf("%v", counts)
	for _, what := range []string{"A", "D", "M", "R", "hunks", "mode only", "text compared"} {
		if counts[what] < histories/2 { // else the histories say little about it
			t.Errorf("%s: only %d", what, counts[what])
		}
	}
}

// check compares what is read of the working tree's changes with what git names.
func (h *historian) check(where, base string, counts map[string]int) {
	h.t.Helper()
	d, err := h.reader().Diff(context.Background(), base)
	if err != nil {
		h.t.Errorf("%s: %v", where, err)
		return
	}
	changes := h.gitChanges(base)
	if len(changes) != len(d.Files) {
		h.t.Errorf("%s: %d files, git names %d:\n%s", where, len(d.Files), len(changes), testdiff.List(d))
		return
	}
	for i := range changes {
		counts[string(changes[i].status)]++
		counts["hunks"] += len(changes[i].hunks)
		if msg := h.checkChange(base, &changes[i], &d.Files[i], counts); msg != "" {
			h.t.Errorf("%s: %q: %s", where, changes[i].newPath, msg)
		}
	}
	h.checkForms(where, base)
}

// checkChange returns what is wrong about one file, or "".
func (h *historian) checkChange(base string, want *gitChange, f *unified.File, counts map[string]int) string {
	status := map[byte]unified.FileStatus{'A': unified.Added, 'D': unified.Deleted, 'M': unified.Modified, 'R': unified.Renamed}[want.status]
	if f.Status != status || status != unified.Added && f.OldPath != want.oldPath || status != unified.Deleted && f.NewPath != want.newPath {
		return fmt.Sprintf("read as %s %q, %q", f.Status, f.OldPath, f.NewPath)
	}
	if f.ModeOnly {
		counts["mode only"]++
	}
	if f.Binary { // no source: those are compared as text
		if unified.IsSource(f.Path()) && len(want.hunks) > 0 {
			return "a source is read as binary"
		}
		return ""
	}
	var got []hunk
	for _, e := range f.Edits {
		got = append(got, hunk{e.OldStart, len(e.Old), e.NewStart, len(e.New)})
	}
	if !slices.Equal(got, want.hunks) {
		return fmt.Sprintf("hunks %v, git's are %v", got, want.hunks)
	}
	if status == unified.Added || status == unified.Deleted {
		return ""
	}
	head := []byte(h.files[f.NewPath])
	old, err := f.OldText(head)
	if err != nil {
		return err.Error()
	}
	if text := h.raw("cat-file", "blob", base+":"+want.oldPath); text != string(old) {
		return fmt.Sprintf("the base version is read as %q, it is %q", old, text)
	}
	changed, err := f.Changes(head)
	if err != nil {
		return err.Error()
	}
	counts["text compared"]++
	return testdiff.CheckChanges(f, head, changed)
}

// checkForms: a diff says the same whether or not git quotes what is not ASCII,
// and with more or no context.
func (h *historian) checkForms(where, base string) {
	h.t.Helper()
	want := ""
	for _, args := range [][]string{
		{"-c", "core.quotePath=false", "diff", "-M", base}, {"-c", "core.quotePath=true", "diff", "-M", base},
		{"diff", "-M", "--unified=0", base}, {"diff", "-M", "--unified=1000", base},
	} {
		d, err := unified.Parse([]byte(h.raw(args...)), unified.Limits{})
		if err != nil {
			h.t.Errorf("%s: git %v: %v", where, args, err)
			return
		}
		// A last line that is not ended on either side is shown as context, or not.
		switch got := strings.ReplaceAll(testdiff.List(d), " old-no-newline new-no-newline", ""); {
		case want == "":
			want = got
		case got != want:
			h.t.Errorf("%s: git %v says\n%s\nnot\n%s", where, args, got, want)
		}
	}
}
