package git

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// maxNesting bounds submodules of submodules. Arbitrary: Foundry's libraries are
// three deep at most.
const maxNesting = 16

// InSubmodules is what changed inside the submodules that a diff moves to other
// commits: a diff between the old commit and the files that are checked out, or the commit
// that is, see Commits. All paths are relative to Root. problems says, by the submodule's path, of
// which it is not known and why.
func (g *Repository) InSubmodules(ctx context.Context, d *unified.Diff) (inside *unified.Diff, problems map[string]string) {
	inside, problems = &unified.Diff{}, map[string]string{}
	g.intoSubmodules(ctx, d, "", inside, problems, maxNesting)
	return inside, problems
}

func (g *Repository) intoSubmodules(ctx context.Context, d *unified.Diff, prefix string, inside *unified.Diff, problems map[string]string, depth int) {
	for _, pin := range d.Pins() {
		place := path.Join(prefix, pin.Path)
		changed, err := g.inSubmodule(ctx, place, pin)
		if err == nil && depth == 0 {
			err = &Error{Op: "compare " + place, Msg: fmt.Sprintf("submodules nest deeper than %d", maxNesting)}
		}
		if err != nil {
			problems[place] = err.Error()
			continue
		}
		for _, f := range changed.Files {
			if f.Submodule {
				continue
			}
			for _, p := range []*string{&f.OldPath, &f.NewPath} {
				if *p != "" {
					*p = path.Join(place, *p)
				}
			}
			inside.Files = append(inside.Files, f)
		}
		g.intoSubmodules(ctx, changed, place, inside, problems, depth-1)
	}
}

// inSubmodule compares a submodule's old commit with its files.
func (g *Repository) inSubmodule(ctx context.Context, place string, pin unified.Pin) (*unified.Diff, error) {
	op := "compare the submodule " + unified.Printable(place)
	folder := filepath.Join(g.Root, filepath.FromSlash(place))
	switch _, err := os.Lstat(filepath.Join(folder, ".git")); {
	case pin.New == "" && pin.Old != "":
		return nil, &Error{Op: op, Msg: "it is gone, and so are the sources that the base had from it"}
	case pin.Old == "":
		return &unified.Diff{}, nil // the base had none of it
	case err != nil:
		return nil, &Error{Op: op, Msg: "it is not checked out", Remedy: "run `git submodule update --init --recursive` (in a workflow `submodules: recursive`)"}
	}
	sub := &Repository{Root: folder, Limits: g.Limits, Matters: g.Matters, extraEnv: g.extraEnv}
	closing, err := sub.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closing()
	head, err := sub.resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	if pin.New != "" && !sameCommit(head, pin.New) {
		return nil, &Error{Op: op, Msg: fmt.Sprintf("it is at %.12s, but the change moves it to %.12s", head, pin.New),
			Remedy: "run `git submodule update --recursive`"}
	}
	old, err := sub.resolve(ctx, pin.Old)
	if err != nil {
		return nil, &Error{Op: op, Msg: fmt.Sprintf("its clone lacks the base's commit %.12s", pin.Old), Err: err,
			Remedy: fmt.Sprintf("run `git -C %s fetch origin %s`", unified.Printable(place), unified.Printable(pin.Old))}
	}
	if g.Commits {
		return sub.Between(ctx, old, head)
	}
	return sub.Diff(ctx, old)
}

// sameCommit compares ids, of which one may be abbreviated.
func sameCommit(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}
