package github

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/gitrepo"
	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
)

// history is a small one: main has moved on after the pull request began.
type history struct {
	fake                          *fakegithub.Server
	repo                          *fakegithub.Repository
	root, main, head, merge, next string
}

func newHistory(t *testing.T) *history {
	fake := fakegithub.New(t)
	repo := fakegithub.NewRepository(t, fake, "octo/vault")
	h := &history{fake: fake, repo: repo}
	h.root = repo.Commit("", map[string]string{"a.sol": "1\n"})
	h.main = repo.Commit("refs/heads/main", map[string]string{"a.sol": "1\n", "b.sol": "1\n"}, h.root)
	h.head = repo.Commit("", map[string]string{"a.sol": "2\n"}, h.root)
	h.merge = repo.Commit("refs/pull/7/merge", map[string]string{"a.sol": "2\n", "b.sol": "1\n"}, h.main, h.head)
	h.next = repo.Commit("", map[string]string{"a.sol": "3\n", "b.sol": "1\n"}, h.main)
	return h
}

// resolver resolves bases from a commit that is checked out.
func (h *history) resolver(t *testing.T, event Event, at, depth string) *BaseResolver {
	t.Helper()
	event.Repository = Repository{Owner: "octo", Name: "vault", DefaultBranch: "main"}
	if event.SHA == "" {
		event.SHA = at
	}
	run := &Run{Event: event, ServerURL: h.fake.URL, APIURL: h.fake.APIURL, Workspace: h.repo.Checkout(at, depth)}
	r := &BaseResolver{Run: run, Client: connect(t, h.fake, newClock()), Token: h.fake.Token,
		Source: func(string) ([]byte, bool) { return []byte("x\ny"), true }}
	t.Cleanup(r.Close)
	return r
}

func TestBaseResolver(t *testing.T) {
	h := newHistory(t)
	pr := Event{Name: PullRequest, Number: 7, Base: h.main, Head: h.head, SHA: h.merge, Ref: "refs/pull/7/merge"}
	dispatch := Event{Name: WorkflowDispatch, Ref: "refs/heads/x", DispatchBy: "main"}
	h.fake.Bases = map[string]string{h.main + "..." + h.head: h.root, "main..." + h.next: h.main, "main..." + h.main: h.main}
	compare := "GET /repos/octo/vault/compare/"
	for _, c := range []struct {
		name, at, depth string
		event           Event
		base            string // named by the user
		want            string
		how             string
		calls           []string
	}{
		{"1: merge commit", h.merge, "2", pr, "", h.main, "the merge commit's first parent", nil},
		{"2: depth 1", h.merge, "1", pr, "", h.main, "the merge commit's first parent, fetched", []string{"git fetch"}},
		{"3: head checked out", h.head, "1", pr, "", h.root, "the merge base with the target branch, fetched", []string{compare + h.main + "..." + h.head, "git fetch"}},
		{"3: with the history", h.head, "0", pr, "", h.root, "the merge base with the target branch", nil},
		{"merge group", h.merge, "2", Event{Name: MergeGroup, Base: h.main, Head: h.merge}, "", h.main, "the merge group's base", nil},
		{"merge group, depth 1", h.merge, "1", Event{Name: MergeGroup, Base: h.main, Head: h.merge}, "", h.main, "the merge group's base, fetched", []string{"git fetch"}},
		{"push", h.next, "1", Event{Name: Push, Base: h.main, Head: h.next, Ref: "refs/heads/x"}, "", h.main, "the branch before the push, fetched", []string{"git fetch"}},
		{"push of a new branch", h.next, "1", Event{Name: Push, Head: h.next, Ref: "refs/heads/x", Created: true}, "", h.main, "the merge base with main, fetched", []string{compare + "main..." + h.next, "git fetch"}},
		{"push of a new branch, with the history", h.next, "0", Event{Name: Push, Head: h.next, Ref: "refs/heads/x", Created: true}, "", h.main, "the merge base with main", nil},
		{"forced push", h.next, "1", Event{Name: Push, Base: someSHA, Head: h.next, Ref: "refs/heads/x"}, "", h.main, "the merge base with main, fetched", []string{"git fetch", compare + "main..." + h.next, "git fetch"}},
		{"first push of all", h.main, "1", Event{Name: Push, Head: h.main, Ref: "refs/heads/main", Created: true}, "", "", "the whole project, since the default branch is new", nil},
		{"named", h.next, "1", dispatch, "main", h.main, "the named base, fetched", []string{"git fetch"}},
		{"schedule", h.next, "1", Event{Name: Schedule}, "", "", "the whole project, since scheduled runs have no base", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(h.fake.Calls())
			r := h.resolver(t, c.event, c.at, c.depth)
			r.Base = c.base
			got, err := r.Compare(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if strings.HasPrefix(want, "refs/") {
				want = got.Base
			}
			if got.Base != want || got.Head != c.at || got.How != c.how || got.Patch != nil {
				t.Errorf("%+v, want base %s, head %s, %q", got, want, c.at, c.how)
			}
			if calls := h.fake.Calls()[before:]; !slices.Equal(calls, c.calls) {
				t.Errorf("calls %q, want %q", calls, c.calls)
			}
		})
	}
}

// The published workflows leave no credential in the checkout (persist-credentials: false):
// the base is fetched with the input's token alone.
func TestBaseIsFetchedWithoutTheCheckoutsCredential(t *testing.T) {
	h := newHistory(t)
	for _, event := range []Event{
		{Name: PullRequest, Number: 7, Base: h.main, Head: h.head, SHA: h.merge, Ref: "refs/pull/7/merge"},
		{Name: MergeGroup, Base: h.main, Head: h.merge},
	} {
		r := h.resolver(t, event, h.merge, "1")
		forget := exec.Command("git", "config", "--unset", "http."+h.fake.URL+"/.extraheader")
		forget.Dir = r.Run.Workspace
		if out, err := forget.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if c, err := r.Compare(context.Background()); err != nil || c.Base != h.main {
			t.Errorf("%s: %+v, %v", event.Name, c, err)
		}
		config, err := os.ReadFile(filepath.Join(r.Run.Workspace, ".git", "config"))
		if err != nil || strings.Contains(string(config), "extraheader") {
			t.Errorf("%s: a credential is left, %v:\n%s", event.Name, err, config)
		}
	}
}

// Without the checkout's git, GitHub says what a pull request changes.
func TestBaseResolverFromGitHub(t *testing.T) {
	h := newHistory(t)
	pr := Event{Name: PullRequest, Number: 7, Base: someSHA, Head: h.head, SHA: h.merge}
	h.fake.Diff = "diff --git a/a.sol b/a.sol\n--- a/a.sol\n+++ b/a.sol\n@@ -1 +1 @@\n-1\n+2\n"
	got, err := h.resolver(t, pr, h.next, "1").Compare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Patch) != h.fake.Diff || got.Base != "" {
		t.Errorf("%+v", got)
	}

	// A diff of fewer files than the pull request changes is not one, and neither is a list.
	incomplete := pr
	incomplete.Changed = 2
	if got, err := h.resolver(t, incomplete, h.next, "1").Compare(context.Background()); err == nil || !strings.Contains(err.Error(), "GitHub's diff has 1 files, but the pull request changes 2") ||
		!strings.Contains(err.Error(), "GitHub lists 0 files, but the pull request changes 2") {
		t.Errorf("an incomplete diff: %+v, %v", got, err)
	}

	h.fake.Diff = "" // 406: too large
	h.fake.Files = []map[string]any{
		{"filename": "src/a.sol", "status": "modified", "changes": 2, "patch": "@@ -1 +1 @@\n-1\n+2"},
		{"filename": "src/b.sol", "status": "renamed", "previous_filename": "src/old.sol", "changes": 0},
		{"filename": "c.sol", "status": "modified", "changes": 9000},
		{"filename": "cut.sol", "status": "modified", "changes": 7, "patch": "@@ -1 +1 @@\n-1\n+2"},
		{"filename": "odd\"\n.sol", "status": "removed", "changes": 1, "patch": "@@ -1 +0,0 @@\n-x\n\\ No newline at end of file"},
	}
	if got, err = h.resolver(t, pr, h.next, "1").Compare(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := `diff --git a/src/a.sol b/src/a.sol
--- a/src/a.sol
+++ b/src/a.sol
@@ -1 +1 @@
-1
+2
diff --git a/src/old.sol b/src/b.sol
similarity index 50%
rename from src/old.sol
rename to src/b.sol
diff --git a/c.sol b/c.sol
new file mode 100644
--- /dev/null
+++ b/c.sol
@@ -0,0 +1,2 @@
+x
+y
\ No newline at end of file
diff --git a/cut.sol b/cut.sol
new file mode 100644
--- /dev/null
+++ b/cut.sol
@@ -0,0 +1,2 @@
+x
+y
\ No newline at end of file
diff --git "a/odd\"\012.sol" "b/odd\"\012.sol"
deleted file mode 100644
--- "a/odd\"\012.sol"
+++ /dev/null
@@ -1 +0,0 @@
-x
\ No newline at end of file
`
	if string(got.Patch) != want {
		t.Errorf("patch\n%s\nwant\n%s", got.Patch, want)
	}

	for range 120 { // a second page
		h.fake.Files = append(h.fake.Files, map[string]any{"filename": "README.md", "status": "changed", "changes": 0})
	}
	if got, err = h.resolver(t, pr, h.next, "1").Compare(context.Background()); err != nil || strings.Count(string(got.Patch), "diff --git") != 125 {
		t.Errorf("%d files, %v", strings.Count(string(got.Patch), "diff --git"), err)
	}
}

// A missing diff is an error that says what to do, never an empty diff.
func TestBaseResolverUnavailable(t *testing.T) {
	h := newHistory(t)
	pr := Event{Name: PullRequest, Number: 7, Base: someSHA, Head: h.head, SHA: h.merge}
	many := slices.Repeat([]map[string]any{{"filename": "a.sol", "status": "modified", "changes": 2, "patch": "@@ -1 +1 @@\n-1\n+2"}}, maxFiles)
	for name, c := range map[string]struct {
		event  Event
		files  []map[string]any
		change func(*BaseResolver)
		want   string
	}{
		"too many files":   {pr, many, nil, "more than GitHub lists"},
		"escaping name":    {pr, []map[string]any{{"filename": "../../etc/passwd", "status": "added", "changes": 1}}, nil, "GitHub lists a file called"},
		"unknown status":   {pr, []map[string]any{{"filename": "a.sol", "status": "moved", "changes": 2, "patch": "@@ -1 +1 @@\n-1\n+2"}}, nil, "undocumented"},
		"no token":         {Event{Name: PullRequest, Number: 7, Base: someSHA, Head: h.next}, nil, func(r *BaseResolver) { r.Client = nil }, "needs a token"},
		"no repository":    {Event{Name: Push}, nil, func(r *BaseResolver) { r.Run.Workspace = t.TempDir() }, "is in no git working tree"},
		"another head":     {pr, nil, func(r *BaseResolver) { r.Client = nil }, "does not have the pull request's commits"},
		"merge group":      {Event{Name: MergeGroup, Base: someSHA}, nil, nil, "cannot be fetched"},
		"unknown base":     {Event{Name: Push}, nil, func(r *BaseResolver) { r.Base = "nothing" }, "the named base"},
		"option as a base": {Event{Name: Push}, nil, func(r *BaseResolver) { r.Base = "--upload-pack=touch x" }, "is not a valid revision"},
		"refspec as base":  {Event{Name: Push}, nil, func(r *BaseResolver) { r.Base = "main:refs/heads/evil" }, "is not a valid revision"},
	} {
		t.Run(name, func(t *testing.T) {
			h.fake.Files = c.files
			r := h.resolver(t, c.event, h.next, "1")
			if c.change != nil {
				c.change(r)
			}
			_, err := r.Compare(context.Background())
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range []string{"the diff is unavailable", c.want, "`fetch-depth: 2`"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), h.fake.Token) {
				t.Errorf("the error holds the token: %v", err)
			}
		})
	}
}

func TestBaseFile(t *testing.T) {
	h := newHistory(t)
	base := h.repo.Commit("", map[string]string{"sightline.yml": "fail-on: low\n", ".github/big.yml": strings.Repeat("x", 2000)}, h.root)
	r := h.resolver(t, Event{Name: PullRequest, Number: 7, Base: base}, base, "1")
	repo, err := gitrepo.Open(t.Context(), r.Run.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	r.tree = &checkout{repo: repo}
	h.fake.Contents = map[string]string{"sightline.yml@" + base: "fail-on: low\n"}
	for _, c := range []*Comparison{{Base: base}, {Patch: []byte{}}} {
		data, there, err := r.BaseFile(context.Background(), c, "sightline.yml", 1000)
		if err != nil || !there || strings.TrimSpace(string(data)) != "fail-on: low" {
			t.Errorf("%q, %v, %v", data, there, err)
		}
		if _, there, err := r.BaseFile(context.Background(), c, ".github/sightline.yml", 1000); err != nil || there {
			t.Errorf("a file that is not there: %v, %v", there, err)
		}
		if _, _, err := r.BaseFile(context.Background(), c, "../sightline.yml", 1000); err == nil {
			t.Error("a path leads out of the repository")
		}
	}
	if _, _, err := r.BaseFile(context.Background(), &Comparison{Base: base}, ".github/big.yml", 1000); err == nil {
		t.Error("a large file is read")
	}
	if _, _, err := r.BaseFile(context.Background(), &Comparison{Base: base}, ".github", 1000); err == nil {
		t.Error("a folder is read")
	}
}
