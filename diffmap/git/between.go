package git

import (
	"context"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// Between compares two commits, whatever the working tree holds: what a merge
// commit adds to its parent, say. An empty base stands for a tree without files:
// everything is added. It is checked and completed as [Repository.Diff] is.
func (g *Repository) Between(ctx context.Context, base, head string) (*unified.Diff, error) {
	const op = "compare two commits"
	to, err := g.resolve(ctx, head)
	if err != nil {
		return nil, err
	}
	from, err := g.treeOf(ctx, base)
	if err != nil {
		return nil, err
	}
	return g.checked(ctx, op, from+".."+to)
}

// treeOf is the commit that a revision names, or the empty tree for none. Its id
// depends on the hash that the repository uses.
func (g *Repository) treeOf(ctx context.Context, rev string) (string, error) {
	if rev != "" {
		return g.resolve(ctx, rev)
	}
	out, err := g.run(ctx, "name the empty tree", "hash-object", "-t", "tree", "--stdin")
	return strings.TrimSpace(string(out)), err
}
