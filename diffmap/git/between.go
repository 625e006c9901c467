package git

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// maxFile bounds a file whose lines are compared, bytes. Arbitrary: larger than any source
// that compilers take in practice.
const maxFile = 16 << 20

// Between compares two commits, by their ids, whatever the working tree and the clone's
// configuration hold: what a merge commit adds to its parent, say. An empty base stands for
// a tree without files: everything is added.
//
// Trees and files are read as objects that are checked against their ids, and git compares
// copies of them in a repository that has nothing else: no attributes, in particular. Files
// whose lines do not matter are not read. A submodule's new commit has lines of its own.
func (g *Repository) Between(ctx context.Context, base, head string) (*unified.Diff, error) {
	closing, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closing()
	return g.between(ctx, base, head)
}

// BetweenIn is Between in a repository that is open.
func (g *Repository) BetweenIn(ctx context.Context, opened *gitrepo.Repository, base, head string) (*unified.Diff, error) {
	in := *g
	in.opened = opened
	return in.between(ctx, base, head)
}

func (g *Repository) between(ctx context.Context, base, head string) (*unified.Diff, error) {
	const op = "compare two commits"
	var trees [2]string
	for i, id := range []string{base, head} {
		if id == "" && i == 0 {
			continue
		}
		commit, err := g.opened.Commit(ctx, id)
		if err != nil {
			return nil, describe(op, err)
		}
		trees[i] = commit.Tree
	}
	changes, err := g.opened.Changes(ctx, trees[0], trees[1])
	if err != nil {
		return nil, describe(op, err)
	}
	var mattering []gitrepo.Change
	var left []unified.File
	for i := range changes {
		c := &changes[i]
		if g.matters(c.Path) || c.Old.Mode == gitrepo.ModeSubmodule || c.New.Mode == gitrepo.ModeSubmodule {
			mattering = append(mattering, *c)
		} else {
			left = append(left, leftOut(rawOf(c))...)
		}
	}
	if n := g.Limits.WithDefaults().MaxFiles; len(mattering) > n {
		return nil, &Error{Op: op, Msg: fmt.Sprintf("there are more than %d changed sources", n), Remedy: "compare with a nearer base"}
	}
	sealed, err := g.opened.Seal(ctx, mattering, maxFile)
	if err != nil {
		return nil, describe(op, err)
	}
	for i := range sealed.Left {
		c := &sealed.Left[i]
		if unified.IsSource(c.Path) {
			return nil, &Error{Op: op, Msg: fmt.Sprintf("%s has more than %d bytes", unified.Printable(c.Path), maxFile),
				Remedy: "split it, or give it another extension if nothing is compiled from it"}
		}
		left = append(left, leftOut(rawOf(c))...)
	}
	d, err := g.sealedDiff(ctx, op, sealed)
	if err != nil {
		return nil, err
	}
	addLeft(d, left)
	return d, nil
}

// sealedDiff reads what git says of two sealed trees: the patch, checked against the raw form.
func (g *Repository) sealedDiff(ctx context.Context, op string, sealed *gitrepo.Sealed) (*unified.Diff, error) {
	if sealed.Old == sealed.New {
		return &unified.Diff{}, nil
	}
	limit := g.Limits.WithDefaults().MaxBytes
	rawText, err := sealed.Diff(ctx, limit, append([]string{"--raw", "-z"}, diffOptions...)...)
	if err != nil {
		return nil, describe(op, err)
	}
	raw, err := unified.ParseRaw(rawText)
	if err != nil {
		return nil, err
	}
	text, err := sealed.Diff(ctx, limit, append([]string{"--text"}, diffOptions...)...)
	if err != nil {
		return nil, describe(op, err)
	}
	d, err := unified.Parse(text, g.Limits)
	if err != nil {
		return nil, err
	}
	return d, d.CrossCheck(raw)
}

// rawOf is a change in the form of git's raw output.
func rawOf(c *gitrepo.Change) *unified.RawEntry {
	e := &unified.RawEntry{OldMode: c.Old.Mode, NewMode: c.New.Mode, OldID: c.Old.ID, NewID: c.New.ID, Status: 'M', OldPath: c.Path, NewPath: c.Path}
	switch {
	case c.Old.Mode == "":
		e.Status, e.OldPath, e.OldMode = 'A', "", noMode
	case c.New.Mode == "":
		e.Status, e.NewPath, e.NewMode = 'D', "", noMode
	case c.Old.IsFile() != c.New.IsFile():
		e.Status = 'T'
	}
	return e
}

// Lacks reports whether an error says that the clone lacks an object, as a partial one does.
func Lacks(err error) bool { return errors.Is(err, gitrepo.ErrMissing) }
