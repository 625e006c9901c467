package gitrepo

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/programfile"
)

// git runs git as a user would, with a fixed identity and no configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// made makes a repository with two commits, and returns their ids.
func made(t *testing.T, options ...string) (dir, base, head string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, append([]string{"init", "-q", "-b", "main"}, options...)...)
	write(t, dir, map[string]string{"a": "1\n", "b/c": "1\n", "b.d": "1\n", "b/e/f": "1\n", "gone": "1\n", "kind": "1\n"})
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "base")
	base = git(t, dir, "rev-parse", "HEAD")
	if err := errors.Join(os.Remove(filepath.Join(dir, "gone")), os.Remove(filepath.Join(dir, "kind")), os.Chmod(filepath.Join(dir, "a"), 0o755)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"b/e/f": "2\n", "b-c": "2\n", "kind/of": "2\n", "x\n\xff": "2\n"})
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "head")
	return dir, base, git(t, dir, "rev-parse", "HEAD")
}

func open(t *testing.T, dir string) *Repository {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// changed lists what differs as git diff --name-status -z does without renames.
func changed(t *testing.T, r *Repository, base, head string) string {
	t.Helper()
	var trees [2]string
	for i, id := range []string{base, head} {
		c, err := r.Commit(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		trees[i] = c.Tree
	}
	changes, err := r.Changes(t.Context(), trees[0], trees[1])
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, c := range changes {
		status := "M"
		if c.Old.Mode == "" {
			status = "A"
		} else if c.New.Mode == "" {
			status = "D"
		}
		list.WriteString(status + "\x00" + c.Path + "\x00")
	}
	return list.String()
}

// TestForms: repositories of all forms are read alike, and what differs is what git says.
func TestForms(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		dir, base, head := made(t, "--object-format="+format)
		want := git(t, dir, "diff", "--no-renames", "--name-status", "-z", base, head)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, dir, "worktree", "add", "-q", "--detach", linked)
		git(t, dir, "pack-refs", "--all")
		shallow := filepath.Join(t.TempDir(), "shallow")
		git(t, dir, "clone", "-q", "--depth=2", "file://"+dir, shallow)
		outer := t.TempDir()
		git(t, outer, "init", "-q", "--object-format="+format)
		git(t, outer, "submodule", "--quiet", "add", dir, "lib/dep")
		for name, place := range map[string]string{"plain": dir, "second working tree": linked, "shallow clone": shallow, "submodule": filepath.Join(outer, "lib", "dep")} {
			r := open(t, place)
			at, err := r.Run(t.Context(), Call{Args: []string{"rev-parse", "--verify", "HEAD^{commit}"}, Limit: 1000})
			if err != nil || strings.TrimSpace(string(at)) != head {
				t.Errorf("%s, %s: HEAD is %q, %v", format, name, at, err)
			}
			if got := changed(t, r, base, head); got != want {
				t.Errorf("%s, %s: %q, want %q", format, name, got, want)
			}
			if above, err := r.IsAncestor(t.Context(), base, head); err != nil || !above {
				t.Errorf("%s, %s: %v, %v", format, name, above, err)
			}
			status, err := r.Run(t.Context(), Call{Args: []string{"diff", "--name-only", "HEAD"}, Tree: true, Limit: 1000})
			if err != nil || len(status) > 0 {
				t.Errorf("%s, %s: the working tree has changes: %q, %v", format, name, status, err)
			}
		}
	}
}

// TestFalseObject: contents are checked against ids.
func TestFalseObject(t *testing.T) {
	dir, _, head := made(t)
	id := git(t, dir, "rev-parse", head+":b/e/f")
	r := open(t, dir)
	if data, err := r.Read(t.Context(), "blob", id, 100); err != nil || string(data) != "2\n" {
		t.Fatalf("%q, %v", data, err)
	}
	if _, err := r.Read(t.Context(), "blob", id, 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large object: %v", err)
	}
	if _, err := r.Read(t.Context(), "blob", strings.Repeat("1", 40), 100); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing object: %v", err)
	}
	if _, err := r.Read(t.Context(), "commit", id, 100); err == nil {
		t.Error("a file is read as a commit")
	}
	if _, err := r.Read(t.Context(), "blob", "HEAD:a", 100); err == nil {
		t.Error("a name is read as an id")
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	fmt.Fprint(w, "blob 2\x001\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
	if err := errors.Join(os.Remove(place), os.WriteFile(place, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	r = open(t, dir)
	if _, err := r.Read(t.Context(), "blob", id, 100); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("other contents: %v", err)
	}
}

// TestConfigurationIsOurs: of a checkout's settings, only its forms count.
func TestConfigurationIsOurs(t *testing.T) {
	dir, _, _ := made(t)
	for _, setting := range [][2]string{
		{"core.fsmonitor", "false"}, {"core.sshCommand", "x"}, {"url.x.insteadOf", "y"}, {"remote.origin.url", "ext::x"}, {"remote.origin.promisor", "true"},
		{"filter.lfs.clean", "x"}, {"include.path", "x"}, {"alias.diff", "!x"}, {"core.worktree", "/"}, {"core.bare", "true"},
		{"core.autocrlf", "input"}, {"branch.main.merge", "refs/heads/\"odd\\"}, {"remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
	} {
		git(t, dir, "config", setting[0], setting[1])
	}
	r := open(t, dir)
	text, err := os.ReadFile(filepath.Join(r.view(), "config"))
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Split(git(t, t.TempDir(), "config", "--file", filepath.Join(r.view(), "config"), "--list"), "\n")
	for _, entry := range listed {
		key, _, _ := strings.Cut(entry, "=")
		if !slices.Contains([]string{"core.repositoryformatversion", "core.bare", "core.logallrefupdates", "core.filemode", "core.autocrlf",
			"branch.main.merge", "remote.origin.fetch"}, key) || entry == "core.bare=true" {
			t.Errorf("%s is in effect:\n%s", entry, text)
		}
	}
	for _, want := range []string{"core.autocrlf=input", `branch.main.merge=refs/heads/"odd\`} {
		if !slices.Contains(listed, want) {
			t.Errorf("%s is not in effect:\n%s", want, text)
		}
	}
	if !r.Partial() {
		t.Error("it is a partial clone")
	}
}

// fakeGit makes a git that says what it was called with, and does as git does.
func fakeGit(t *testing.T, folder, log string) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n{ id -u; env; echo \"$@\"; } >> '" + log + "'\nexec " + program + " \"$@\"\n"
	if err := programfile.Write(filepath.Join(folder, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestEnvironment: secrets and variables of git's stay out of git's environment, and a
// credential is in that of a fetch alone.
func TestEnvironment(t *testing.T) {
	dir, base, _ := made(t)
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	for _, name := range []string{"GITHUB_TOKEN", "INPUT_TOKEN", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "GIT_OBJECT_DIRECTORY", "LD_PRELOAD_X", "EDITOR"} {
		t.Setenv(name, "canary")
	}
	fakeGit(t, folder, log)
	r := open(t, dir)
	calls := func() string {
		text, err := os.ReadFile(log)
		if err := errors.Join(err, os.Remove(log)); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, err := r.Commit(t.Context(), base)
	for _, tree := range []bool{false, true} {
		_, runErr := r.Run(t.Context(), Call{Args: []string{"rev-parse", "HEAD"}, Tree: tree, Limit: 100})
		err = errors.Join(err, runErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := calls()
	for _, want := range []string{"GIT_ALLOW_PROTOCOL=:\n", "GIT_NO_LAZY_FETCH=1\n", "GIT_NO_REPLACE_OBJECTS=1\n", "GIT_TERMINAL_PROMPT=0\n"} {
		if n := strings.Count(text, want); n < 4 {
			t.Errorf("%q in %d calls", want, n)
		}
	}
	if strings.Contains(text, "canary") {
		t.Errorf("git sees more than it needs:\n%s", text)
	}
	if _, err := r.Fetch(t.Context(), "https://localhost:1", "o/r", "main", "AUTHORIZATION: basic canary"); err == nil {
		t.Error("a server that is not there is fetched from")
	}
	if text := calls(); !strings.Contains(text, "GIT_ALLOW_PROTOCOL=https\n") || strings.Count(text, "canary") != 1 || strings.Contains(text, "GIT_DIR="+r.view()) {
		t.Errorf("the fetch sees\n%s", text)
	}
	for _, server := range []string{"file:///x", "ext::x", "ssh://x", "--upload-pack=x"} {
		if _, err := r.Fetch(t.Context(), server, "o/r", "main", ""); err == nil || !strings.Contains(err.Error(), "is not an https or http URL") {
			t.Errorf("%s: %v", server, err)
		}
	}
}
