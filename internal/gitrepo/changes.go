package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change is a path at which two trees differ.
type Change struct {
	Path     string
	Old, New Entry // a zero value: there is none
}

// Bounds on what is compared, arbitrary: far beyond any pull request that people make, and a
// few hundred MB.
const (
	maxChanges = 500_000
	maxTrees   = 200_000
	maxDepth   = 500 // of folders
)

// Changes lists where two trees differ, in order of the paths. An empty id stands for a tree
// without files. What is equal on both sides is not read.
func (r *Repository) Changes(ctx context.Context, from, to string) ([]Change, error) {
	w := &walk{r: r}
	if err := w.compare(ctx, "", from, to, 0); err != nil {
		return nil, err
	}
	slices.SortFunc(w.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return w.changes, nil
}

type walk struct {
	r       *Repository
	changes []Change
	trees   int
}

// pair is what both sides have of a name.
type pair struct{ old, head Entry }

// pairs reads two trees, of which one may be none, by name.
func (w *walk) pairs(ctx context.Context, folder, from, to string) (map[string]pair, error) {
	pairs := map[string]pair{}
	for i, id := range []string{from, to} {
		if id == "" {
			continue
		}
		if w.trees++; w.trees > maxTrees {
			return nil, fmt.Errorf("more than %d folders differ: compare with a nearer base", maxTrees)
		}
		entries, err := w.r.Tree(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("the folder %q: %w", cmp.Or(folder, "/"), err)
		}
		for _, e := range entries {
			p := pairs[e.Name]
			side := &p.old
			if i == 1 {
				side = &p.head
			}
			if side.Mode != "" {
				return nil, fmt.Errorf("the folder %q has two entries called %q", cmp.Or(folder, "/"), e.Name)
			}
			*side = e
			pairs[e.Name] = p
		}
	}
	return pairs, nil
}

// compare compares two trees, of which one may be none.
func (w *walk) compare(ctx context.Context, folder, from, to string, depth int) error {
	if from == to {
		return nil
	}
	if depth > maxDepth {
		return fmt.Errorf("folders nest deeper than %d", maxDepth)
	}
	pairs, err := w.pairs(ctx, folder, from, to)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		p := pairs[name]
		if p.old == p.head {
			continue
		}
		var oldTree, headTree string
		if p.old.Mode == ModeTree {
			oldTree, p.old = p.old.ID, Entry{}
		}
		if p.head.Mode == ModeTree {
			headTree, p.head = p.head.ID, Entry{}
		}
		if err := w.compare(ctx, folder+name+"/", oldTree, headTree, depth+1); err != nil {
			return err
		}
		if p.old == p.head {
			continue
		}
		if len(w.changes) == maxChanges {
			return fmt.Errorf("more than %d files differ: compare with a nearer base", maxChanges)
		}
		w.changes = append(w.changes, Change{Path: folder + name, Old: p.old, New: p.head})
	}
	return nil
}

// IsAncestor reports whether a commit is an ancestor of another, or the same, as far as the history
// is there: by the commits' contents, whatever the clone's own records say.
func (r *Repository) IsAncestor(ctx context.Context, ancestor, of string) (bool, error) {
	seen := map[string]bool{of: true}
	for queue := []string{of}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == ancestor {
			return true, nil
		}
		c, err := r.Commit(ctx, queue[0])
		if errors.Is(err, ErrMissing) {
			continue // the end of a shallow clone
		}
		if err != nil {
			return false, err
		}
		for _, parent := range c.Parents {
			if !seen[parent] && len(seen) < maxHistory {
				seen[parent] = true
				queue = append(queue, parent)
			}
		}
	}
	return false, nil
}

// maxHistory bounds the commits that are looked at, arbitrary: the longest histories of
// contract projects have a few ten thousand.
const maxHistory = 1 << 20
