package fakegithub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repository is a git repository as GitHub has it, that can be fetched from the
// fake.
type Repository struct {
	t      testing.TB
	dir    string // bare
	server *Server
	tree   string // to make commits in
}

// NewRepository makes the repository OWNER/NAME of a fake.
func NewRepository(t testing.TB, s *Server, name string) *Repository {
	t.Helper()
	if s.Projects == "" {
		s.Projects = t.TempDir()
	}
	r := &Repository{t: t, dir: filepath.Join(s.Projects, filepath.FromSlash(name)), server: s, tree: t.TempDir()}
	r.git("", "init", "-q", "--bare", r.dir)
	r.git(r.tree, "init", "-q")
	return r
}

// git runs git without the machine's configuration, always at the same time.
func (r *Repository) git(dir string, args ...string) string {
	r.t.Helper()
	return r.gitWith("", dir, args...)
}

// gitWith runs git as [Repository.git] does, with an input.
func (r *Repository) gitWith(input, dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.tree, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Tester", "GIT_AUTHOR_EMAIL=tester@example.com", "GIT_COMMITTER_NAME=Tester", "GIT_COMMITTER_EMAIL=tester@example.com",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Commit makes a commit of exactly the files, on top of the parents, and returns
// its id. A ref that is not empty is set to it.
func (r *Repository) Commit(ref string, files map[string]string, parents ...string) string {
	r.t.Helper()
	r.git(r.tree, "read-tree", "--empty")
	for name, text := range files {
		path := filepath.Join(r.tree, "file")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
		id := r.git(r.tree, "hash-object", "-w", "--no-filters", path)
		r.git(r.tree, "update-index", "--add", "--cacheinfo", "100644,"+id+","+name)
	}
	return r.commitIndex(ref, parents)
}

// CommitFolder makes a commit of exactly the files and links below a folder, with
// their names, bytes and execute bits as they are, whatever attributes and ignore
// files say.
func (r *Repository) CommitFolder(ref, dir string, parents ...string) string {
	r.t.Helper()
	var index strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		mode, file := "100644", path
		switch info, err := d.Info(); {
		case err != nil:
			return err
		case d.Type() == fs.ModeSymlink:
			to, err := os.Readlink(path)
			file, mode = filepath.Join(r.tree, "link"), "120000"
			if err := errors.Join(err, os.WriteFile(file, []byte(to), 0o600)); err != nil {
				return err
			}
		case !d.Type().IsRegular():
			return nil
		case info.Mode()&0o100 != 0:
			mode = "100755"
		}
		name, err := filepath.Rel(dir, path)
		fmt.Fprintf(&index, "%s %s\t%s\x00", mode, r.git(r.tree, "hash-object", "-w", "--no-filters", file), filepath.ToSlash(name))
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.git(r.tree, "read-tree", "--empty")
	r.gitWith(index.String(), r.tree, "update-index", "-z", "--add", "--index-info")
	return r.commitIndex(ref, parents)
}

// commitIndex commits what the index holds.
func (r *Repository) commitIndex(ref string, parents []string) string {
	r.t.Helper()
	args := []string{"commit-tree", "-m", "commit", r.git(r.tree, "write-tree")}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	id := r.git(r.tree, args...)
	if ref == "" {
		ref = "refs/commits/" + id
	}
	r.git(r.tree, "push", "-q", "--force", "file://"+r.dir, id+":"+ref)
	return id
}

// Checkout makes a working tree of a commit as actions/checkout does: with so
// many commits of its history (0: all of them) and a credential left in the
// configuration.
func (r *Repository) Checkout(id string, depth string) string {
	r.t.Helper()
	dir := r.t.TempDir()
	r.git(dir, "init", "-q")
	r.git(dir, "remote", "add", "origin", r.server.URL+"/octo/vault")
	args := []string{"fetch", "-q", "--no-tags", "file://" + r.dir, "+" + id + ":refs/remotes/checkout/head"}
	if depth != "0" {
		args = append(args, "--depth="+depth)
	} else {
		args = append(args, "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
	}
	r.git(dir, args...)
	r.git(dir, "checkout", "-q", "--detach", "refs/remotes/checkout/head")
	r.git(dir, "config", "http."+r.server.URL+"/.extraheader", "AUTHORIZATION: basic bGVmdCBiZWhpbmQ=")
	return dir
}

// Parent is the first parent of a commit.
func (r *Repository) Parent(id string) string {
	r.t.Helper()
	return r.git(r.dir, "rev-parse", id+"^")
}

// SetRef sets a ref, such as a tag, to a commit, or removes it.
func (r *Repository) SetRef(ref, id string) {
	r.t.Helper()
	if id == "" {
		r.git(r.dir, "update-ref", "-d", ref)
		return
	}
	r.git(r.dir, "update-ref", ref, id)
}
