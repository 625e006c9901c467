package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// checkout is the working tree that the workflow checked out: it looks up and fetches
// commits.
type checkout struct {
	repo   *gitrepo.Repository
	server string // of the base repository, which gets the token
	token  string
}

// maxGitOutput bounds git's output, bytes: ids.
const maxGitOutput = 64 << 10

func (c *checkout) close() {
	if c != nil && c.repo != nil {
		c.repo.Close()
	}
}

// git calls git on the checkout's refs and objects.
func (c *checkout) git(ctx context.Context, args ...string) (string, error) {
	out, err := c.repo.Run(ctx, gitrepo.Call{Args: args, Limit: maxGitOutput})
	return strings.TrimSpace(string(out)), err
}

// hide removes the token from a message. git does not print headers, but a server
// may.
func (c *checkout) hide(message string) string {
	if c.token == "" {
		return message
	}
	return strings.NewReplacer(c.token, "***", c.basic(), "***").Replace(message)
}

// basic returns the credential in the form of git's header.
func (c *checkout) basic() string {
	return base64.StdEncoding.EncodeToString([]byte("x-access-token:" + c.token))
}

// head returns the commit that is checked out.
func (c *checkout) head(ctx context.Context) (string, error) { return c.commit(ctx, "HEAD") }

// commit returns the id of a commit in the repository.
func (c *checkout) commit(ctx context.Context, rev string) (string, error) {
	if !isRevision(rev) {
		return "", fmt.Errorf("%q is not a valid revision", cut(rev, maxShown))
	}
	id, err := c.git(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err == nil {
		_, err = c.repo.Commit(ctx, id)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var failed *gitrepo.Error
	if errors.As(err, &failed) && failed.Code != 1 && !failed.NotInstalled() {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("the checkout has no commit %s", cut(rev, maxShown))
	}
	return id, nil
}

// isRevision reports whether a text can name a branch, a tag or a commit, and cannot
// mean anything else on git's command line.
func isRevision(rev string) bool {
	return rev != "" && rev[0] != '-' && rev[0] != '+' && rev[0] != '^' && !strings.ContainsAny(rev, " :\\?*[\x7f") &&
		!strings.Contains(rev, "..") && strings.IndexFunc(rev, func(r rune) bool { return r < ' ' }) < 0
}

// parents returns the parents named in a commit's object: in a shallow clone, git
// itself reports none.
func (c *checkout) parents(ctx context.Context, id string) ([]string, error) {
	commit, err := c.repo.Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	return commit.Parents, nil
}

// mergeBase returns the last common commit, if the checkout has the full history. Both names
// are resolved once. That the answer is an ancestor of a is checked, by what the commits
// say: a clone whose records were changed can at most make a pull request look larger.
func (c *checkout) mergeBase(ctx context.Context, a, b string) (string, error) {
	if shallow, err := c.git(ctx, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return "", errors.New("the checkout does not have the full history")
	}
	var ids [2]string
	for i, rev := range []string{a, b} {
		id, err := c.commit(ctx, rev)
		if err != nil {
			return "", err
		}
		ids[i] = id
	}
	base, err := c.git(ctx, "merge-base", ids[0], ids[1])
	if err != nil {
		return "", err
	}
	if above, err := c.repo.IsAncestor(ctx, base, ids[0]); err != nil || !above {
		return "", errors.Join(errors.New("the checkout's history is damaged"), err)
	}
	return base, nil
}

// maxTagList bounds the list of tags, bytes: 100,000 of them.
const maxTagList = 10 << 20

// tags lists the tags of a checkout that has the full history.
func (c *checkout) tags(ctx context.Context) ([]tag, error) {
	if shallow, err := c.git(ctx, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return nil, errors.New("the checkout does not have the full history")
	}
	out, err := c.repo.Run(ctx, gitrepo.Call{Limit: maxTagList, Args: []string{"for-each-ref", "--format=%(refname:strip=2)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)", "refs/tags/"}})
	if err != nil {
		return nil, fmt.Errorf("its tags cannot be listed: %w", err)
	}
	var tags []tag
	for line := range strings.Lines(strings.TrimSpace(string(out))) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		switch {
		case len(fields) != 5:
		case fields[1] == "commit":
			tags = append(tags, tag{fields[0], fields[2]})
		case fields[3] == "commit": // of an annotated tag
			tags = append(tags, tag{fields[0], fields[4]})
		}
	}
	return tags, nil
}

// descends reports whether a head descends from a commit, in a checkout that has the full
// history.
func (c *checkout) descends(ctx context.Context, commit, head string) (bool, error) {
	missing, err := c.git(ctx, "rev-list", "--count", head+".."+commit)
	return missing == "0", err
}

// nearestTag is the nearest tag from which a commit's first parent descends; empty if there is
// none.
func (c *checkout) nearestTag(ctx context.Context, id string) (string, error) {
	parents, err := c.parents(ctx, id)
	if err != nil || len(parents) == 0 {
		return "", err
	}
	list, err := c.git(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "--merged="+parents[0], "refs/tags/")
	if err != nil || list == "" {
		return "", err
	}
	return c.git(ctx, "describe", "--tags", "--abbrev=0", parents[0])
}

// fetch gets one commit, without its history, from the base repository. The credential is in
// the environment of this call alone.
func (c *checkout) fetch(ctx context.Context, repository, rev string) (string, error) {
	if !isRevision(rev) {
		return "", fmt.Errorf("%q is not a valid revision", cut(rev, maxShown))
	}
	header := ""
	if c.token != "" {
		header = "AUTHORIZATION: basic " + c.basic()
	}
	id, err := c.repo.Fetch(ctx, c.server, repository, rev, header)
	if err != nil && ctx.Err() == nil {
		err = errors.New(c.hide(err.Error()))
	}
	return id, err
}

// file reads a file of a commit; false if there is none. A symbolic link is an error,
// since its target may be of another version.
func (c *checkout) file(ctx context.Context, commit, name string, limit int) (data []byte, there bool, err error) {
	entry, there, err := c.repo.Find(ctx, commit, name)
	if err != nil || !there {
		return nil, false, err
	}
	if !entry.IsFile() {
		return nil, false, errors.New("it is not a regular file")
	}
	data, err = c.repo.Read(ctx, "blob", entry.ID, int64(limit))
	if errors.Is(err, gitrepo.ErrTooLarge) {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return data, true, err
}
