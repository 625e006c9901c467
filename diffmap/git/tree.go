package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's hash: what it names is in the repository, whose commit the caller names
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Tree are the files of a commit: ids of their contents by path. Links and submodules are not
// among them.
type Tree map[string]string

// Tree lists the files of a commit.
func (g *Repository) Tree(ctx context.Context, rev string) (Tree, error) {
	id, err := g.resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	out, err := g.run(ctx, "list the files of a commit", "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return nil, err
	}
	t := Tree{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		mode, file, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(mode); len(fields) == 3 && strings.HasPrefix(fields[0], "100") {
			t[file] = fields[2]
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
