package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// Comparison says what to compare: two commits in the checkout, or, if they are not
// available, GitHub's diff.
type Comparison struct {
	Base, Head string // commits; an empty Base: everything is new
	Patch      []byte // a unified diff, if Base is not in the checkout
	How        string // in words, for the log
}

// BaseResolver determines what changed, in the first of several ways that works:
//
//  1. a pull request's merge commit and its first parent, as they are checked out;
//  2. the same, with the parent fetched;
//  3. the merge base, from the history or GitHub's answer, fetched;
//  4. GitHub's diff of a pull request;
//  5. the list of its files, with a diff of each.
//
// Other events name commits, which are fetched if the checkout lacks them. If no way
// works, the error says what to add to the workflow: a missing diff is never treated as
// an empty one.
type BaseResolver struct {
	Run    *Run
	Client *Client // nil without a token
	Token  string
	Base   string // a revision that the user names; overrides the event
	// Source returns the head version of a file for which GitHub's list has no lines;
	// false if its lines do not count.
	Source func(file string) ([]byte, bool)

	tree   *checkout
	failed []string // why the ways so far did not work
}

// Unavailable is the error when no way works.
type Unavailable struct {
	Reasons []string
}

func (u *Unavailable) Error() string {
	text := "the diff is unavailable, so nothing can be said about the change"
	if len(u.Reasons) > 0 {
		text += " (" + strings.Join(u.Reasons, "; ") + ")"
	}
	return text + "; set `fetch-depth: 2` in the actions/checkout step, or `fetch-depth: 0` for a release or a base that you name"
}

// ErrorFixes are lines of a workflow with which a way works.
func (u *Unavailable) ErrorFixes() []exit.Fix {
	return []exit.Fix{{Lines: "- uses: actions/checkout@v4\n  with:\n    fetch-depth: 2  # 0 if you name a base\n    persist-credentials: false\n"}}
}

// Compare determines what changed.
func (b *BaseResolver) Compare(ctx context.Context) (*Comparison, error) {
	repo, err := gitrepo.Open(ctx, b.Run.Workspace)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		b.fail(err)
		return b.fromGitHub(ctx)
	}
	b.tree = &checkout{repo: repo, server: b.Run.ServerURL, token: b.Token}
	head, err := b.head(ctx)
	if err != nil {
		b.fail(err)
		return b.fromGitHub(ctx)
	}
	c, err := b.compare(ctx, head)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		b.fail(err)
		return b.fromGitHub(ctx)
	}
	c.Head = head
	return c, nil
}

// Close removes what was fetched.
func (b *BaseResolver) Close() { b.tree.close() }

// Repository is the checkout's, with what was fetched; nil where there is none. It is open
// until Close.
func (b *BaseResolver) Repository() *gitrepo.Repository {
	if b.tree == nil {
		return nil
	}
	return b.tree.repo
}

// HeadHas reports whether the head of a comparison has a file or folder at a path.
func (b *BaseResolver) HeadHas(ctx context.Context, c *Comparison, path string) (bool, error) {
	if b.Repository() == nil {
		return false, nil // there is no checkout of ours, and nothing is tracked
	}
	head := c.Head
	if c.Patch != nil { // then the head may not be there, but what is checked out is
		var err error
		if head, err = b.tree.head(ctx); err != nil {
			return false, err
		}
	}
	_, there, err := b.tree.repo.Find(ctx, head, path)
	return there, err
}

// Complete fetches both commits of a comparison with all of their files, for a checkout that
// has only some (actions/checkout's filter and sparse-checkout make such).
func (b *BaseResolver) Complete(ctx context.Context, c *Comparison) error {
	for _, id := range []string{c.Base, c.Head} {
		if id == "" {
			continue
		}
		if _, err := b.tree.fetch(ctx, b.Run.Repository.FullName(), id); err != nil {
			return fmt.Errorf("the checkout lacks files of %.12s, and they cannot be fetched: %w", id, err)
		}
	}
	return nil
}

// head returns the commit that is checked out. Of a pull request, it is the merge commit, its
// head, or made from one of them. An earlier step may have moved it to where there is no
// change: then it is the merge commit, if the checkout has it.
func (b *BaseResolver) head(ctx context.Context) (string, error) {
	head, err := b.tree.head(ctx)
	if err != nil || b.Run.Name != PullRequest {
		return head, err
	}
	for _, id := range []string{b.Run.SHA, b.Run.Event.Head} {
		if from, err := b.tree.repo.IsAncestor(ctx, id, head); err != nil || from {
			return head, err
		}
	}
	if gitrepo.IsID(b.Run.SHA) {
		if _, err := b.tree.repo.Commit(ctx, b.Run.SHA); err == nil {
			return b.Run.SHA, nil
		}
	}
	return "", fmt.Errorf("%.12s is checked out, which does not have the pull request's commits", head)
}

func (b *BaseResolver) fail(err error) { b.failed = append(b.failed, err.Error()) }

// compare finds the base of a head that is checked out.
func (b *BaseResolver) compare(ctx context.Context, head string) (*Comparison, error) {
	run := b.Run
	if b.Base != "" {
		return b.with(ctx, b.Base, "the named base")
	}
	switch run.Name {
	case PullRequest:
		return b.pullRequest(ctx, head)
	case MergeGroup:
		return b.with(ctx, run.Event.Base, "the merge group's base")
	case Schedule:
		return &Comparison{How: "the whole project, since scheduled runs have no base"}, nil
	}
	if tag := run.Tag(); tag != "" {
		return b.sinceRelease(ctx, tag, head)
	}
	if run.Event.Base != "" {
		c, err := b.with(ctx, run.Event.Base, "the branch before the push")
		if err == nil {
			return c, nil
		}
		b.fail(err) // a forced push may have removed it
	}
	branch := run.Repository.DefaultBranch
	if run.Name == Push && run.Created && run.Ref == "refs/heads/"+branch {
		return &Comparison{How: "the whole project, since the default branch is new"}, nil
	}
	base, err := b.mergeBase(ctx, branch, head)
	if err != nil {
		return nil, err
	}
	if base == head && run.Name == WorkflowDispatch {
		return nil, fmt.Errorf("there is no base to compare with: %s itself is checked out; set the input `base`", branch)
	}
	return b.with(ctx, base, "the merge base with "+branch)
}

// with compares with a revision, and fetches it if necessary. Before a pull request is merged,
// the server says what a name means: an earlier step may have made a branch of that name.
func (b *BaseResolver) with(ctx context.Context, rev, what string) (*Comparison, error) {
	if gitrepo.IsID(rev) || b.Run.Name != PullRequest && b.Run.Name != MergeGroup {
		if id, err := b.tree.commit(ctx, rev); err == nil {
			return &Comparison{Base: id, How: what}, nil
		}
	}
	id, err := b.tree.fetch(ctx, b.Run.Repository.FullName(), rev)
	if err != nil {
		return nil, fmt.Errorf("%s is not in the checkout and cannot be fetched: %w", what, err)
	}
	return &Comparison{Base: id, How: what + ", fetched"}, nil
}

// pullRequest compares a merge commit with its first parent, which is exactly what
// merging changes, and any other head with the merge base.
func (b *BaseResolver) pullRequest(ctx context.Context, head string) (*Comparison, error) {
	if head == b.Run.SHA {
		parents, err := b.tree.parents(ctx, head)
		if err != nil {
			return nil, err
		}
		if len(parents) == 2 {
			return b.with(ctx, parents[0], "the merge commit's first parent")
		}
	}
	base, err := b.mergeBase(ctx, b.Run.Event.Base, head)
	if err != nil {
		return nil, err
	}
	return b.with(ctx, base, "the merge base with the target branch")
}

// mergeBase determines the merge base from the history if the checkout has it, and
// otherwise asks GitHub.
func (b *BaseResolver) mergeBase(ctx context.Context, base, head string) (string, error) {
	for _, rev := range []string{base, "refs/remotes/origin/" + base} {
		if id, err := b.tree.mergeBase(ctx, rev, head); err == nil && commitID.MatchString(id) {
			return id, nil
		}
	}
	if b.Client == nil {
		return "", errors.New("the checkout lacks the history, and asking GitHub needs a token")
	}
	answer, _, err := b.Client.api.Repositories.CompareCommits(ctx, b.Client.owner, b.Client.repo, base, head, &gh.ListOptions{PerPage: 1})
	if err != nil {
		return "", fmt.Errorf("the merge base is unknown: %w", refused(err, "contents: read"))
	}
	if id := answer.GetMergeBaseCommit().GetSHA(); commitID.MatchString(id) {
		return id, nil
	}
	return "", errors.New("GitHub reports no merge base")
}

// fromGitHub gets a pull request's diff from GitHub. Its lines are those of the pull
// request's head; the reader of the diff checks that the checkout has the same.
func (b *BaseResolver) fromGitHub(ctx context.Context) (*Comparison, error) {
	if b.Run.Name != PullRequest || b.Client == nil || b.Base != "" {
		return nil, &Unavailable{b.failed}
	}
	api := b.Client.api.PullRequests
	text, _, err := api.GetRaw(ctx, b.Client.owner, b.Client.repo, b.Run.Event.Number, gh.RawOptions{Type: gh.Diff})
	switch listed := strings.Count("\n"+text, "\ndiff --git "); {
	case err != nil:
		b.fail(fmt.Errorf("GitHub provides no diff: %w", refused(err, "pull-requests: read")))
	case listed < b.Run.Event.Changed:
		b.fail(fmt.Errorf("GitHub's diff has %d files, but the pull request changes %d", listed, b.Run.Event.Changed))
	default:
		return &Comparison{Head: b.Run.SHA, Patch: []byte(text), How: "GitHub's diff"}, nil
	}
	patch, err := b.files(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		b.fail(err)
		return nil, &Unavailable{b.failed}
	}
	return &Comparison{Head: b.Run.SHA, Patch: patch, How: "GitHub's list of the changed files"}, nil
}

// Bounds on the list of a pull request's files.
const (
	filesPerPage = 100   // GitHub's maximum
	maxFiles     = 3_000 // GitHub lists no more, without saying so
	maxPatch     = 64 << 20
)

// files makes a diff of the list of files.
func (b *BaseResolver) files(ctx context.Context) ([]byte, error) {
	var patch strings.Builder
	count := 0
	options := &gh.ListOptions{PerPage: filesPerPage}
	for {
		files, resp, err := b.Client.api.PullRequests.ListFiles(ctx, b.Client.owner, b.Client.repo, b.Run.Event.Number, options)
		if err != nil {
			return nil, fmt.Errorf("GitHub does not list the files: %w", refused(err, "pull-requests: read"))
		}
		for _, f := range files {
			if err := b.file(&patch, f); err != nil {
				return nil, err
			}
		}
		if count += len(files); count >= maxFiles || patch.Len() > maxPatch {
			return nil, fmt.Errorf("the pull request changes at least %d files, more than GitHub lists", maxFiles)
		}
		if resp.NextPage == 0 || len(files) == 0 {
			if count < b.Run.Event.Changed {
				return nil, fmt.Errorf("GitHub lists %d files, but the pull request changes %d", count, b.Run.Event.Changed)
			}
			return []byte(patch.String()), nil
		}
		options.Page = resp.NextPage
	}
}

// file writes the part of a diff for a file of the list. If the file has no lines there,
// because it is large or GitHub takes it for binary, or not all that it counts, all of its
// lines count.
func (b *BaseResolver) file(out *strings.Builder, f *gh.CommitFile) error {
	name := f.GetFilename()
	from := name
	if f.GetPreviousFilename() != "" {
		from = f.GetPreviousFilename()
	}
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) || !filepath.IsLocal(filepath.FromSlash(from)) {
		return fmt.Errorf("GitHub lists a file called %q", cut(name, maxShown))
	}
	status, patch := f.GetStatus(), f.GetPatch()
	if patch != "" && changesIn(patch) != f.GetChanges() {
		patch = "" // cut short
	}
	if patch == "" && f.GetChanges() > 0 && status != "removed" {
		if text, ok := b.Source(name); ok {
			status, patch = "added", wholeFile(text)
		}
	}
	fmt.Fprintf(out, "diff --git %s %s\n", quoted("a/"+from), quoted("b/"+name))
	before, after := quoted("a/"+from), quoted("b/"+name)
	switch status {
	case "added":
		before = "/dev/null"
		fmt.Fprintf(out, "new file mode 100644\n")
	case "removed":
		after = "/dev/null"
		fmt.Fprintf(out, "deleted file mode 100644\n")
	case "renamed":
		fmt.Fprintf(out, "similarity index 50%%\nrename from %s\nrename to %s\n", quoted(from), quoted(name))
	case "copied":
		fmt.Fprintf(out, "similarity index 50%%\ncopy from %s\ncopy to %s\n", quoted(from), quoted(name))
	case "modified", "changed":
	default:
		return fmt.Errorf("GitHub lists %q with the undocumented status %q", cut(name, maxShown), cut(status, maxShown))
	}
	switch {
	case patch != "":
		fmt.Fprintf(out, "--- %s\n+++ %s\n%s\n", before, after, strings.TrimSuffix(patch, "\n"))
	case f.GetChanges() > 0 || status == "modified":
		fmt.Fprintf(out, "Binary files %s and %s differ\n", before, after)
	}
	return nil
}

// changesIn counts the lines that a file's hunks add and remove.
func changesIn(patch string) int {
	n := 0
	for line := range strings.Lines(patch) {
		if line[0] == '+' || line[0] == '-' {
			n++
		}
	}
	return n
}

// wholeFile returns the hunk that adds all lines of a text.
func wholeFile(text []byte) string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	var hunk strings.Builder
	fmt.Fprintf(&hunk, "@@ -0,0 +1,%d @@\n", len(lines))
	for _, line := range lines {
		hunk.WriteString("+" + line)
	}
	if !strings.HasSuffix(lines[len(lines)-1], "\n") {
		hunk.WriteString("\n\\ No newline at end of file")
	}
	return hunk.String()
}

// quoted returns a path as git's diffs write it: as it is, or quoted as in C.
func quoted(path string) string {
	if strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) < 0 {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// BaseFile reads a file of the base version, from the checkout, or from GitHub if the
// checkout lacks the base; false if there is none.
func (b *BaseResolver) BaseFile(ctx context.Context, c *Comparison, file string, limit int) (data []byte, there bool, err error) {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return nil, false, errors.New("the path leads out of the repository")
	}
	if c.Base != "" {
		return b.tree.file(ctx, c.Base, file, limit)
	}
	if b.Client == nil {
		return nil, false, errors.New("the base is not in the checkout, and asking GitHub needs a token")
	}
	content, _, resp, err := b.Client.api.Repositories.GetContents(ctx, b.Client.owner, b.Client.repo, file, &gh.RepositoryContentGetOptions{Ref: b.Run.Event.Base})
	if resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, refused(err, "contents: read")
	}
	if content == nil || content.GetType() != "file" {
		return nil, false, errors.New("it is not a file")
	}
	text, err := content.GetContent()
	if err == nil && len(text) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return []byte(text), true, err
}
