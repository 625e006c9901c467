package fakegithub

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Repository is a git repository as GitHub has it, that can be fetched from the
// fake.
type Repository struct {
	t       testing.TB
	dir     string // bare
	server  *Server
	home    string // git's
	commits int    // that were made
}

// NewRepository makes the repository OWNER/NAME of a fake.
func NewRepository(t testing.TB, s *Server, name string) *Repository {
	t.Helper()
	if s.Projects == "" {
		s.Projects = t.TempDir()
	}
	r := &Repository{t: t, dir: filepath.Join(s.Projects, filepath.FromSlash(name)), server: s, home: t.TempDir()}
	r.git("", "init", "-q", "--bare", r.dir)
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
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
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
	var tree stream
	for _, name := range slices.Sorted(maps.Keys(files)) {
		tree.add("100644", name, []byte(files[name]))
	}
	return r.commit(ref, &tree, parents)
}

// CommitFolder makes a commit of exactly the files and links below a folder, with
// their names, bytes and execute bits as they are, whatever attributes and ignore
// files say.
func (r *Repository) CommitFolder(ref, dir string, parents ...string) string {
	r.t.Helper()
	var tree stream
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		mode, text := "100644", []byte(nil)
		switch {
		case d.Type() == fs.ModeSymlink:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			mode, text = "120000", []byte(to)
		case !d.Type().IsRegular():
			return nil
		default:
			if info.Mode()&0o100 != 0 {
				mode = "100755"
			}
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		tree.add(mode, filepath.ToSlash(name), text)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.commit(ref, &tree, parents)
}

// stream is the tree of a commit as git fast-import reads it.
type stream struct{ strings.Builder }

func (s *stream) add(mode, name string, text []byte) {
	var quoted strings.Builder
	for _, b := range []byte(name) {
		if b < ' ' || b > '~' || b == '"' || b == '\\' {
			fmt.Fprintf(&quoted, "\\%03o", b)
		} else {
			quoted.WriteByte(b)
		}
	}
	fmt.Fprintf(s, "M %s inline \"%s\"\ndata %d\n%s\n", mode, quoted.String(), len(text), text)
}

// commit commits a tree, in one call of git: tests make hundreds.
func (r *Repository) commit(ref string, tree *stream, parents []string) string {
	r.t.Helper()
	r.commits++
	var all strings.Builder
	who := "Tester <tester@example.com> 1767225600 +0000" // 2026-01-01, as git has it
	fmt.Fprintf(&all, "commit %s\nmark :1\nauthor %s\ncommitter %s\ndata 7\ncommit\n\n", cmp.Or(ref, fmt.Sprintf("refs/commits/%d", r.commits)), who, who)
	for i, parent := range parents {
		fmt.Fprintf(&all, "%s %s\n", []string{"from", "merge"}[min(i, 1)], parent)
	}
	fmt.Fprintf(&all, "deleteall\n%s\nget-mark :1\n", tree)
	return r.gitWith(all.String(), r.dir, "fast-import", "--quiet", "--force")
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
