package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// defaultBranches are the refs that may be the default branch, best first.
var defaultBranches = []string{
	"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
	"refs/heads/main", "refs/heads/master",
}

const remedyShallow = "fetch its history (`git fetch --unshallow`; in a workflow `fetch-depth: 0`, or `fetch-depth: 2` and --base HEAD^1), or pass --diff FILE"

// DefaultBase returns the id of the commit that the working tree is compared with
// when the user names none: the merge base of HEAD and the default branch.
//
// If that is HEAD itself, because HEAD is on the default branch, the base is HEAD
// as long as the working tree has changes; without any, the *[Error] wraps
// [ErrNothingToCompare].
func (g *Repository) DefaultBase(ctx context.Context) (string, error) {
	const op = "find the base revision"
	closing, err := g.open(ctx)
	if err != nil {
		return "", err
	}
	defer closing()
	head, err := g.resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	branch, tip, err := g.defaultBranch(ctx)
	if err != nil {
		return "", err
	}
	out, err := g.run(ctx, op, "merge-base", head, tip)
	base := strings.TrimSpace(string(out))
	if exitCode(err) == 1 { // git's way to say that there is none
		return "", g.noMergeBase(ctx, op, branch)
	}
	if err != nil {
		return "", err
	}
	if base != head {
		return base, nil
	}
	dirty, err := g.dirty(ctx, head)
	if err != nil {
		return "", err
	}
	if !dirty {
		return "", &Error{Op: op, Err: ErrNothingToCompare,
			Msg:    fmt.Sprintf("there is nothing to compare: HEAD has no commit that %s lacks, and the working tree is clean", branch),
			Remedy: "pass --base REV (such as HEAD^) or --diff FILE"}
	}
	return head, nil
}

// defaultBranch returns the short name and the commit of the default branch.
func (g *Repository) defaultBranch(ctx context.Context) (name, tip string, err error) {
	for _, ref := range defaultBranches {
		out, err := g.run(ctx, "find the default branch", "rev-parse", "--verify", "--quiet", ref+"^{commit}")
		if err == nil {
			name = strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/")
			return name, strings.TrimSpace(string(out)), nil
		}
		if exitCode(err) != 1 {
			return "", "", err
		}
	}
	return "", "", &Error{Op: "find the default branch", Msg: "the repository has none of origin/HEAD, origin/main, origin/master, main and master",
		Remedy: "pass --base REV or --diff FILE, or fetch the branch (`git fetch origin`; in a workflow `fetch-depth: 0`)"}
}

// noMergeBase explains why HEAD and the default branch have no common commit.
func (g *Repository) noMergeBase(ctx context.Context, op, branch string) error {
	e := &Error{Op: op, Msg: fmt.Sprintf("HEAD and %s have no common commit", branch), Remedy: "pass --base REV or --diff FILE"}
	if g.shallow(ctx) {
		e.Msg += " in this shallow clone"
		e.Remedy = remedyShallow
	}
	return e
}

// shallow reports whether the clone lacks history; false if git cannot say.
func (g *Repository) shallow(ctx context.Context) bool {
	out, err := g.run(ctx, "look at the clone", "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// dirty reports whether the working tree differs from a commit in tracked files
// or untracked sources.
func (g *Repository) dirty(ctx context.Context, id string) (bool, error) {
	out, err := g.run(ctx, "look for changes", append([]string{"diff", "--name-only"}, append(diffOptions, id, "--")...)...)
	if err != nil || len(out) > 0 {
		return err == nil, err
	}
	names, err := g.untracked(ctx)
	return len(names) > 0, err
}

// resolve returns the id of the commit that rev names.
func (g *Repository) resolve(ctx context.Context, rev string) (string, error) {
	op := fmt.Sprintf("find the revision %q", rev)
	// A leading dash would be an option; the others occur in no commit name.
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n\r:") {
		return "", &Error{Op: op, Msg: "it is not a valid revision", Remedy: "pass a branch, tag or commit id"}
	}
	out, err := g.run(ctx, op, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if exitCode(err) == 1 { // --quiet: the revision does not exist
		e := &Error{Op: op, Msg: "the repository has no such commit", Remedy: "check its name, or run `git fetch`", Err: err}
		if g.shallow(ctx) {
			e.Msg = "this shallow clone has no such commit"
			e.Remedy = "set `fetch-depth: 2` (or 0) in the workflow's checkout step, or run `git fetch --unshallow`"
		}
		return "", e
	}
	return strings.TrimSpace(string(out)), err
}

// exitCode returns the code with which a git child ended: 0 without an error,
// -1 when it was not git that failed.
func exitCode(err error) int {
	var failed *gitrepo.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &failed):
		return failed.Code
	}
	return -1
}
