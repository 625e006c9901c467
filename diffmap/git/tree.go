package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's hash: what it names is in the repository, whose commit the caller names
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// Tree are the files of a commit: ids of their contents by path. Links and submodules are not
// among them.
type Tree map[string]string

// TreeIn lists the files of a commit, by its id, in a repository that is open. It is read as
// [Repository.Between] reads it.
func (g *Repository) TreeIn(ctx context.Context, opened *gitrepo.Repository, id string) (Tree, error) {
	const op = "list the files of a commit"
	commit, err := opened.Commit(ctx, id)
	if err != nil {
		return nil, describe(op, err)
	}
	entries, err := opened.Changes(ctx, "", commit.Tree)
	if err != nil {
		return nil, describe(op, err)
	}
	t := Tree{}
	for i := range entries {
		if entries[i].New.IsFile() {
			t[entries[i].Path] = entries[i].New.ID
		}
	}
	return t, nil
}

// Holds reports whether a file of the commit has a content, in lines that end as git or as the
// working tree ends them. A file that the commit lacks holds nothing.
func (t Tree) Holds(file string, content []byte) bool {
	id, ok := t[file]
	return ok && (blobID(content, len(id)) == id ||
		blobID([]byte(strings.ReplaceAll(string(content), "\r\n", "\n")), len(id)) == id)
}

// blobID is the id of a content, of so many digits: 40 for SHA-1, 64 for SHA-256.
func blobID(content []byte, digits int) string {
	h := sha1.New() //nolint:gosec // see above
	if digits == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
