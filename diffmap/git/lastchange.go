package git

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// LastChange is the last commit of a history that changes something that matters.
type LastChange struct {
	Commit string // its id
	Base   string // id of its first parent, which a merge was made into; empty: the history begins with it
	Merge  bool   // it has several parents
	Before int    // commits that came after it and change nothing that matters
}

// maxCommits bounds the commits that are looked at for the last change. Arbitrary: a project of which
// more than that change no source is not being worked on.
const maxCommits = 200

// LastChange goes back from a revision along first parents to a commit that changes a file that matters. It
// is nil where none of the first [maxCommits] does. In a shallow clone that ends before, the *[Error] says
// so: whether its last commit changes something is not known.
func (g *Repository) LastChange(ctx context.Context, from string) (*LastChange, error) {
	closing, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closing()
	id, err := g.resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	commit, err := g.opened.Commit(ctx, id)
	if err != nil {
		return nil, describe("read the history", err)
	}
	for before := range maxCommits {
		last := &LastChange{Commit: id, Merge: len(commit.Parents) > 1, Before: before}
		parent := &gitrepo.Commit{}
		if len(commit.Parents) > 0 {
			last.Base = commit.Parents[0]
			if parent, err = g.opened.Commit(ctx, last.Base); Lacks(err) {
				return nil, g.noParent(ctx, id, err)
			} else if err != nil {
				return nil, describe("read the history", err)
			}
		}
		changes, err := g.opened.Changes(ctx, parent.Tree, commit.Tree)
		if err != nil {
			return nil, describe("read the history", err)
		}
		if slices.ContainsFunc(changes, func(c gitrepo.Change) bool { return g.matters(c.Path) }) {
			return last, nil
		}
		if last.Base == "" {
			break
		}
		id, commit = last.Base, parent
	}
	return nil, nil
}

// noParent explains why a commit's parent is not there.
func (g *Repository) noParent(ctx context.Context, id string, err error) error {
	e := &Error{Op: "find what was merged last", Err: err, Msg: fmt.Sprintf("the clone lacks the parent of %.12s", id), Remedy: "pass --base REV"}
	if g.shallow(ctx) {
		e.Msg = fmt.Sprintf("this shallow clone ends with %.12s, and lacks its parent", id)
		e.Remedy = "run `git fetch --deepen 1` (or `git fetch --unshallow`; in a workflow, `fetch-depth: 2`)"
	}
	return e
}

// Shallow reports whether the clone lacks history.
func (g *Repository) Shallow(ctx context.Context) (bool, error) {
	closing, err := g.open(ctx)
	if err != nil {
		return false, err
	}
	defer closing()
	return g.shallow(ctx), nil
}
