package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// repo is a real repository in a temporary folder.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

// git runs git as the user would, with a fixed identity and no configuration.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit() string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "c")
	return r.git("rev-parse", "HEAD")
}

func (r *repo) reader() *Repository {
	return &Repository{Root: r.dir, extraEnv: []string{"GIT_CONFIG_NOSYSTEM=1", "HOME=" + r.dir}}
}

func (r *repo) diff(base string) *unified.Diff {
	r.t.Helper()
	d, err := r.reader().Diff(context.Background(), base)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func TestGitDiff(t *testing.T) {
	r := newRepo(t)
	r.write("src/A.sol", "contract A {\n    uint x;\n}\n")
	r.write("src/Gone.sol", "contract G {}\n")
	r.write("src/Old name.sol", strings.Repeat("// line\n", 20))
	r.write("logo.png", "\x00")
	r.write(".gitignore", "out/\n")
	base := r.commit()
	r.write("src/A.sol", "contract A {\n    uint y;\n}\n")
	r.git("rm", "-q", "src/Gone.sol")
	r.git("mv", "src/Old name.sol", "src/Neuer Näme.sol")
	r.write("logo.png", "\x00\x01")
	r.commit()
	r.write("src/New.sol", "contract N {}") // untracked
	r.write("src/notes.txt", "not a source\n")
	r.write("out/Ignored.sol", "contract I {}\n")
	r.write("-dash.yul", "")
	if err := os.Symlink("src/A.sol", filepath.Join(r.dir, "link.sol")); err != nil {
		t.Fatal(err)
	}
	const want = `7 files
modified "logo.png" binary
modified "src/A.sol"
  edit old 2 new 2
    - "    uint x;"
    + "    uint y;"
deleted "src/Gone.sol"
  edit old 1 new 1
    - "contract G {}"
renamed "src/Neuer Näme.sol" from "src/Old name.sol"
added "-dash.yul"
added "link.sol" symlink
added "src/New.sol" new-no-newline
  edit old 1 new 1
    + "contract N {}"
`
	if got := testdiff.List(r.diff(base)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	sub := &Repository{Root: filepath.Join(r.dir, "src")}
	d, err := sub.Diff(context.Background(), base)
	if err != nil || testdiff.List(d) != want {
		t.Errorf("from a folder below: %v\n%s", err, testdiff.List(d))
	}
}

// TestGitDiffHostileConfig: neither configuration nor attributes of the
// repository may run a program or hide a change.
func TestGitDiffHostileConfig(t *testing.T) {
	r := newRepo(t)
	trap := filepath.Join(r.dir, "trap")
	ran := filepath.Join(r.dir, "ran")
	if err := programfile.Write(trap, []byte("#!/bin/sh\necho ran >> '"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("A.sol", "contract A {\n    uint x;\n\n    uint z;\n}\n")
	r.write("B.sol", "contract B {\n    uint x;\n}\n")
	base := r.commit()
	for key, value := range map[string]string{
		"diff.external": trap, "diff.evil.command": trap, "diff.evil.textconv": trap, "core.pager": trap, "core.fsmonitor": trap,
		"diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.relative": "true", "diff.suppressBlankEmpty": "true",
		"color.ui": "always", "diff.autoRefreshIndex": "false", "core.quotePath": "true", "diff.submodule": "diff", "diff.context": "0",
		"diff.ignoreSubmodules": "all", "diff.orderFile": "order", "diff.wordRegex": ".", "diff.colorMoved": "zebra",
	} {
		r.git("config", key, value)
	}
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman"} {
		if err := programfile.Write(filepath.Join(r.dir, ".git", "hooks", hook), []byte("#!/bin/sh\necho ran >> '"+ran+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.write("order", "B*\n")
	r.write(".gitattributes", "A.sol -diff\nB.sol diff=evil\n*.vy binary\n")
	r.write("A.sol", "contract A {\n    uint y;\n\n    uint z;\n}\n")
	r.write("B.sol", "contract B {\n    uint y;\n}\n")
	d := r.diff(base)
	for _, name := range []string{"A.sol", "B.sol"} {
		found := false
		for _, f := range d.Files {
			if f.NewPath == name {
				found = true
				if f.Binary || len(f.Edits) != 1 || f.Edits[0].NewStart != 2 {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
		if !found {
			t.Errorf("%s is missing:\n%s", name, testdiff.List(d))
		}
	}
	if out, err := os.ReadFile(ran); err == nil {
		t.Errorf("a program of the repository was run: %s", out)
	}
}

// TestGitForeignOwner: in a container the checkout belongs to another user.
func TestGitForeignOwner(t *testing.T) {
	r := newRepo(t)
	r.write("A.sol", "a\n")
	base := r.commit()
	g := r.reader()
	g.extraEnv = append(g.extraEnv, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
	if _, err := g.Diff(context.Background(), base); err != nil {
		t.Error(err)
	}
}

// TestGitSubmodule: a bump must show although .gitmodules says to ignore it.
func TestGitSubmodule(t *testing.T) {
	dep := newRepo(t)
	dep.write("D.sol", "d\n")
	dep.commit()
	r := newRepo(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dep.dir, "lib/dep")
	r.git("config", "-f", ".gitmodules", "submodule.lib/dep.ignore", "all")
	base := r.commit()
	inner := &repo{t, filepath.Join(r.dir, "lib/dep")}
	inner.write("D.sol", "e\n")
	if d := r.diff(base); len(d.Files) != 0 {
		t.Errorf("work in progress inside a submodule shows:\n%s", testdiff.List(d))
	}
	inner.commit()
	d := r.diff(base)
	if len(d.Files) != 1 || !d.Files[0].Submodule || d.Files[0].NewPath != "lib/dep" {
		t.Errorf("got:\n%s", testdiff.List(d))
	}
}

// TestInSubmodules: what a bump changes is read from the submodule, and from those
// inside of it; where that cannot be, it is said.
func TestInSubmodules(t *testing.T) {
	add := []string{"-c", "protocol.file.allow=always", "submodule", "--quiet", "add"}
	deep := newRepo(t)
	deep.write("src/Deep.sol", "d\n")
	deep.commit()
	dep := newRepo(t)
	dep.write("src/A.sol", "a\n")
	dep.write("src/Same.sol", "s\n")
	dep.write("src/Gone.sol", "g\n")
	dep.git(append(add, deep.dir, "lib/deep")...)
	dep.commit()
	r := newRepo(t)
	r.git(append(add, dep.dir, "lib/dep")...)
	inner := &repo{t, filepath.Join(r.dir, "lib/dep")}
	inner.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	base := r.commit()

	inner.write("src/A.sol", "b\n")
	inner.git("rm", "-q", "src/Gone.sol")
	innermost := &repo{t, filepath.Join(inner.dir, "lib/deep")}
	innermost.write("src/Deep.sol", "e\n")
	innermost.commit()
	inner.commit()
	d := r.diff(base)
	g := r.reader()
	inside, problems := g.InSubmodules(t.Context(), d)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var got []string
	for i := range inside.Files {
		f := &inside.Files[i]
		head, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(f.NewPath)))
		if f.NewPath == "" {
			head, err = nil, nil
		}
		old, failed := f.OldText(head)
		if err := errors.Join(err, failed); err != nil {
			t.Error(err)
		}
		got = append(got, f.Path()+" "+strings.TrimSpace(string(old)))
	}
	slices.Sort(got)
	if want := []string{"lib/dep/lib/deep/src/Deep.sol d", "lib/dep/src/A.sol a", "lib/dep/src/Gone.sol g"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	for name, c := range map[string]struct {
		pin     unified.Pin
		problem string
	}{
		"unknown commit": {unified.Pin{Path: "lib/dep", Old: strings.Repeat("1", 40), New: ""}, "it is gone"},
		"not fetched":    {unified.Pin{Path: "lib/dep", Old: strings.Repeat("1", 40), New: d.Pins()[0].New}, "lacks the base's commit 111111111111"},
		"elsewhere":      {unified.Pin{Path: "lib/dep", Old: d.Pins()[0].Old, New: strings.Repeat("2", 40)}, "but the change moves it to 222222222222"},
		"not there":      {unified.Pin{Path: "lib/other", Old: d.Pins()[0].Old, New: d.Pins()[0].New}, "not checked out"},
		"new":            {unified.Pin{Path: "lib/other", Old: "", New: d.Pins()[0].New}, ""},
	} {
		file := unified.File{OldPath: c.pin.Path, NewPath: c.pin.Path, Submodule: true, Edits: []unified.Edit{{OldStart: 1, NewStart: 1}}}
		if c.pin.Old != "" {
			file.Edits[0].Old = []string{"Subproject commit " + c.pin.Old}
		}
		if c.pin.New != "" {
			file.Edits[0].New = []string{"Subproject commit " + c.pin.New}
		}
		inside, problems := g.InSubmodules(t.Context(), &unified.Diff{Files: []unified.File{file}})
		if len(inside.Files) > 0 || !strings.Contains(problems[c.pin.Path], c.problem) || (c.problem == "") != (len(problems) == 0) {
			t.Errorf("%s: %q, %d files", name, problems, len(inside.Files))
		}
	}
}

func TestGitErrors(t *testing.T) {
	r := newRepo(t)
	r.write("A.sol", "a\n")
	r.commit()
	r.write("Big.sol", strings.Repeat("x\n", 5000))
	r.write("Other.sol", "")
	ctx := context.Background()
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	tight := r.reader()
	tight.Limits.MaxBytes = 1000
	small := r.reader()
	small.Limits.MaxFiles = 1
	cases := []struct {
		name string
		call func() error
		want string
	}{
		{"option", func() error { _, err := r.reader().Diff(ctx, "--output=x"); return err }, "not a valid revision"},
		{"empty revision", func() error { _, err := r.reader().Diff(ctx, ""); return err }, "not a valid revision"},
		{"path in revision", func() error { _, err := r.reader().Diff(ctx, "HEAD:A.sol"); return err }, "not a valid revision"},
		{"unknown revision", func() error { _, err := r.reader().Diff(ctx, "nowhere"); return err }, "no such commit; check its name, or run `git fetch`"},
		{"no repository", func() error { _, err := (&Repository{Root: t.TempDir()}).Diff(ctx, "HEAD"); return err }, "in no git working tree"},
		{"no folder", func() error { _, err := (&Repository{Root: r.dir + "/none"}).Diff(ctx, "HEAD"); return err }, "no such file"},
		{"too large", func() error { _, err := tight.Diff(ctx, "HEAD"); return err }, "allowed number of bytes"},
		{"too many files", func() error { _, err := small.Diff(ctx, "HEAD"); return err }, "changed files"},
		{"canceled", func() error { _, err := r.reader().Diff(canceled, "HEAD"); return err }, "context canceled"},
	}
	for _, c := range cases {
		err := c.call()
		var gitErr *Error
		if !errors.As(err, &gitErr) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if err := cases[8].call(); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v does not wrap context.Canceled", err)
	}
}

// TestGitDisagrees: files that one of git's two answers has and the other has
// not end in an error, never in a diff without them.
func TestGitDisagrees(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	r := newRepo(t)
	r.write("A.sol", "a\n")
	r.write("B.sol", "a\n")
	base := r.commit()
	r.write("A.sol", "b\n")
	r.write("B.sol", "b\n")
	for _, c := range []struct{ name, raw, patch, want string }{
		{"one more in the raw form", `printf ':100644 100644 1111111 2222222 M\0hidden.sol\0'`, ":",
			`git diff --raw lists "hidden.sol" as modified, it does not`},
		{"one more in the patch", ":", `printf 'diff --git a/C.sol b/C.sol\n--- a/C.sol\n+++ b/C.sol\n@@ -1 +1 @@\n-a\n+b\n'`,
			`it lists "C.sol" as modified, git diff --raw does not`},
	} {
		bin := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\n'%s' \"$@\" || exit\ncase \" $* \" in\n*' --raw '*) %s;;\n*' diff '*) %s;;\nesac\n", real, c.raw, c.patch)
		if err := programfile.Write(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		d, err := r.reader().Diff(context.Background(), base)
		var diffError *unified.Error
		if !errors.As(err, &diffError) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want %q", c.name, d, err, c.want)
		}
	}
}

func TestGitOutputBounded(t *testing.T) {
	r := newRepo(t)
	r.write("A.sol", "a\n")
	base := r.commit()
	r.write("A.sol", strings.Repeat("x\n", 50_000))
	g := r.reader()
	g.Limits.MaxBytes = 10_000
	if _, err := g.Diff(context.Background(), base); err == nil || !strings.Contains(err.Error(), "more than 10000 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestDefaultBase(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t)
	r.write("A.sol", "a\n")
	root := r.commit()
	g := r.reader()

	_, err := g.DefaultBase(ctx)
	if !errors.Is(err, ErrNothingToCompare) || !strings.Contains(err.Error(), "--base REV") {
		t.Errorf("clean default branch: got %v", err)
	}
	r.write("New.sol", "n\n")
	if base, err := g.DefaultBase(ctx); base != root || err != nil {
		t.Errorf("untracked source on the default branch: got %s, %v", base, err)
	}
	os.Remove(filepath.Join(r.dir, "New.sol"))
	r.write("A.sol", "b\n")
	if base, err := g.DefaultBase(ctx); base != root || err != nil {
		t.Errorf("edited default branch: got %s, %v", base, err)
	}
	r.git("checkout", "-q", "-b", "feature")
	r.commit()
	if base, err := g.DefaultBase(ctx); base != root || err != nil {
		t.Errorf("feature branch: got %s, %v", base, err)
	}
	r.git("checkout", "-q", "main")
	r.write("B.sol", "b\n")
	tip := r.commit()
	r.git("checkout", "-q", "feature")
	if base, err := g.DefaultBase(ctx); base != root || err != nil {
		t.Errorf("the default branch moved on: got %s, %v", base, err)
	}
	r.git("update-ref", "refs/remotes/origin/trunk", root)
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	r.git("checkout", "-q", "main")
	if base, err := g.DefaultBase(ctx); base != root || err != nil || tip == root {
		t.Errorf("commits that origin lacks: got %s, %v", base, err)
	}
}

func TestDefaultBaseMissing(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t)
	if _, err := r.reader().DefaultBase(ctx); err == nil || !strings.Contains(err.Error(), "no such commit") {
		t.Errorf("no commit: got %v", err)
	}
	r.write("A.sol", "a\n")
	r.commit()
	r.git("branch", "-q", "-m", "main", "dev")
	if _, err := r.reader().DefaultBase(ctx); err == nil || !strings.Contains(err.Error(), "origin/main") {
		t.Errorf("no default branch: got %v", err)
	}
	r.git("checkout", "-q", "--orphan", "main")
	r.write("B.sol", "b\n")
	r.commit()
	r.git("checkout", "-q", "dev")
	if _, err := r.reader().DefaultBase(ctx); err == nil || !strings.Contains(err.Error(), "no common commit") {
		t.Errorf("unrelated branches: got %v", err)
	}
}

// TestShallowClone: the errors say how to get the missing history.
func TestShallowClone(t *testing.T) {
	ctx := context.Background()
	origin := newRepo(t)
	origin.write("A.sol", "a\n")
	first := origin.commit()
	origin.git("checkout", "-q", "-b", "feature")
	origin.write("A.sol", "b\n")
	origin.commit()
	origin.git("checkout", "-q", "main")
	origin.write("B.sol", "b\n")
	origin.commit()
	clone := newRepo(t)
	clone.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+origin.dir, "c")
	clone.dir = filepath.Join(clone.dir, "c")
	clone.git("checkout", "-q", "-b", "feature", "origin/feature")
	g := clone.reader()
	if _, err := g.DefaultBase(ctx); err == nil || !strings.Contains(err.Error(), "fetch-depth") {
		t.Errorf("no merge base: got %v", err)
	}
	if _, err := g.Diff(ctx, first); err == nil || !strings.Contains(err.Error(), "fetch-depth: 2") {
		t.Errorf("missing base: got %v", err)
	}
}
