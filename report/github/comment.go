package github

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// MaxComment bounds a comment, bytes. GitHub refuses more than 65,536 characters.
const MaxComment = 60_000

// Bounds on the comments of a pull request that are read.
const (
	commentsPerPage = 100 // GitHub's maximum
	maxCommentPages = 30  // 3,000 comments; arbitrary, far above what people read
)

// botLogin is the account that the workflow's own token (secrets.GITHUB_TOKEN) comments
// as.
const botLogin = "github-actions[bot]"

// Sticky is a comment that exists once per key.
type Sticky struct {
	// Prefix begins the marker, a comment's first line: PREFIX "key=… sha=… run=… -->".
	Prefix string
	Body   []byte // begins with the marker
	Update bool   // only replace an existing comment
}

// marker is the content of a comment's first line, or of an issue's.
type marker struct {
	key   string
	run   int
	found []string // of an issue, see [Issue]
}

// parseMarker reads the first line of a comment; false if it is not a marker.
func parseMarker(prefix, body string) (marker, bool) {
	line, _, _ := strings.Cut(body, "\n")
	rest, ok := strings.CutPrefix(strings.TrimRight(line, "\r"), prefix)
	if !ok || prefix == "" {
		return marker{}, false
	}
	if rest, ok = strings.CutSuffix(rest, " -->"); !ok {
		return marker{}, false
	}
	var m marker
	for field := range strings.FieldsSeq(rest) {
		switch name, value, _ := strings.Cut(field, "="); name {
		case "key":
			m.key = value
		case "run":
			run, err := strconv.Atoi(value)
			if err != nil {
				return marker{}, false
			}
			m.run = run
		case "found":
			m.found = strings.FieldsFunc(value, func(r rune) bool { return r == '/' })
		}
	}
	return m, m.key != ""
}

// ErrNewer says that a newer run has already commented.
var ErrNewer = errors.New("a newer run of the workflow has already commented: its comment stays")

// Comment creates or replaces the comment on a pull request. A comment is ours if
// it has our marker and we wrote it, since anyone can copy a marker. If there is one
// from a newer run, it stays, and the error is [ErrNewer]. Older duplicates of the
// replaced comment are deleted.
func (c *Client) Comment(ctx context.Context, number int, s Sticky) (address string, err error) {
	if len(s.Body) > MaxComment {
		return "", fmt.Errorf("the comment has %d bytes; the limit is %d", len(s.Body), MaxComment)
	}
	want, ok := parseMarker(s.Prefix, string(s.Body))
	if !ok {
		return "", errors.New("the comment does not begin with its marker")
	}
	marked, err := c.marked(ctx, number, s.Prefix, want.key)
	if err != nil {
		return "", refused(err, "pull-requests: write")
	}
	login := c.login(ctx)
	own := writtenBy(marked, login)
	for _, o := range own {
		if m, _ := parseMarker(s.Prefix, o.GetBody()); m.run > want.run {
			return "", ErrNewer
		}
	}
	if len(own) == 0 && s.Update {
		return "", nil
	}
	comment := &gh.IssueComment{Body: gh.String(string(s.Body))}
	var written *gh.IssueComment
	if len(own) > 0 {
		written, _, err = c.api.Issues.EditComment(ctx, c.owner, c.repo, own[0].GetID(), comment)
		own = own[1:]
	} else if written, _, err = c.api.Issues.CreateComment(ctx, c.owner, c.repo, number, comment); err == nil {
		// Only now is our account certain: an app's token does not reveal it before.
		own = writtenBy(marked, written.GetUser().GetLogin())
	}
	if err != nil {
		return "", refused(err, "pull-requests: write")
	}
	for _, o := range own {
		if _, err := c.api.Issues.DeleteComment(ctx, c.owner, c.repo, o.GetID()); err != nil {
			return written.GetHTMLURL(), fmt.Errorf("an older Sightline comment cannot be deleted: %w", refused(err, "pull-requests: write"))
		}
	}
	return written.GetHTMLURL(), nil
}

// marked lists the comments with our marker and the key, by any author.
func (c *Client) marked(ctx context.Context, number int, prefix, key string) ([]*gh.IssueComment, error) {
	var marked []*gh.IssueComment
	options := &gh.IssueListCommentsOptions{ListOptions: gh.ListOptions{PerPage: commentsPerPage}}
	for range maxCommentPages {
		comments, resp, err := c.api.Issues.ListComments(ctx, c.owner, c.repo, number, options)
		if err != nil {
			return nil, err
		}
		for _, comment := range comments {
			if m, ok := parseMarker(prefix, comment.GetBody()); ok && m.key == key {
				marked = append(marked, comment)
			}
		}
		if resp.NextPage == 0 {
			break
		}
		options.Page = resp.NextPage
	}
	return marked, nil
}

// login returns the account that the token belongs to. The workflow's own token may
// not ask for it.
func (c *Client) login(ctx context.Context) string {
	user, _, err := c.api.Users.Get(ctx, "")
	if err != nil || user.GetLogin() == "" {
		return botLogin
	}
	return user.GetLogin()
}

func writtenBy(comments []*gh.IssueComment, login string) []*gh.IssueComment {
	var own []*gh.IssueComment
	for _, comment := range comments {
		if login != "" && comment.GetUser().GetLogin() == login {
			own = append(own, comment)
		}
	}
	return own
}
