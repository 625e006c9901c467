package change

import (
	"context"

	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/exit"
)

// LastMerge finds what the history of a project's folder changed last, going back from a revision: the
// commit in which a source of contracts under test is another than in its first parent. It is nil where the folder is in no
// repository, or no recent commit changes a contract.
func LastMerge(ctx context.Context, root, from string) (*git.LastChange, error) {
	root, err := AbsRoot(root)
	if err != nil {
		return nil, err
	}
	repository := &git.Repository{Root: root}
	top, err := repository.Top()
	if err != nil {
		return nil, nil //nolint:nilerr // a folder outside of any repository has no history, which is not an error
	}
	c := &Change{Root: root}
	c.placeInRepository(top)
	repository.Matters = func(path string) bool {
		_, below := belowRoot(path, c.Paths.Root)
		return below && IsSource(path) && roleOfFile(path) == world.UnderTest
	}
	last, err := repository.LastChange(ctx, from)
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	return last, nil
}
