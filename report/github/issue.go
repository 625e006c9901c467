package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// maxTitleOfIssue is GitHub's limit, characters. We count bytes, of which there are at
// least as many.
const maxTitleOfIssue = 256

// Bounds on the issues of a repository that are read, the last updated ones first.
const (
	issuesPerPage = 100 // GitHub's maximum
	maxIssuePages = 30  // 3,000 issues and pull requests; arbitrary: ours is updated by every run that finds something
)

// issuesWrite is the permission that issues take.
const issuesWrite = "issues: write"

// Issue is an issue that exists once per key.
type Issue struct {
	// Prefix begins the marker, the body's first line: PREFIX "key=… sha=… run=… found=A/B -->".
	Prefix string
	Title  string
	Body   []byte   // begins with the marker
	Labels []string // of a new issue
	// Found are the ids of what was found, as the marker has them; empty: nothing.
	Found []string
	// News is the text of a comment on an issue that lacks some of Found so far, since
	// GitHub sends no notice of a body that changes. It gets their number.
	News func(found int) []byte
}

// What became of an issue.
const (
	IssueOpened   = "opened"
	IssueUpdated  = "updated"
	IssueReopened = "reopened"
	IssueClosed   = "closed"
)

// Issue opens the issue, or updates the one that is there. An issue is ours if it has our
// marker and we wrote it, as a comment is (see [Client.Comment]), and one of a newer run
// stays, with [ErrNewer].
//
// If nothing was found, an issue that is open is closed, and none is opened. An issue that
// is closed is opened again if something was found that its body does not know: we forget
// what it knew when we close it, so anything opens that one again, and one that people have
// closed stays closed for what they have seen.
//
// done is what became of the issue; empty: nothing was to be done.
func (c *Client) Issue(ctx context.Context, i Issue) (address, done string, err error) {
	want, ok := parseMarker(i.Prefix, string(i.Body))
	switch {
	case !ok:
		return "", "", errors.New("the issue does not begin with its marker")
	case len(i.Body) > MaxComment:
		return "", "", fmt.Errorf("the issue has %d bytes; the limit is %d", len(i.Body), MaxComment)
	case len(i.Title) > maxTitleOfIssue:
		return "", "", fmt.Errorf("the issue's title has %d bytes; the limit is %d", len(i.Title), maxTitleOfIssue)
	}
	marked, err := c.markedIssues(ctx, i.Prefix, want.key)
	if err != nil {
		return "", "", refused(err, issuesWrite)
	}
	own := ownIssues(marked, c.login(ctx))
	for _, o := range own {
		if m, _ := parseMarker(i.Prefix, o.GetBody()); m.run > want.run {
			return "", "", ErrNewer
		}
	}
	if len(own) == 0 {
		if len(i.Found) == 0 {
			return "", "", nil
		}
		opened, _, err := c.api.Issues.Create(ctx, c.owner, c.repo, i.request(""))
		if err != nil {
			return "", "", refused(err, issuesWrite)
		}
		// Only now is our account certain: an app's token does not reveal it before.
		older := ownIssues(marked, opened.GetUser().GetLogin())
		return opened.GetHTMLURL(), IssueOpened, c.closeIssues(ctx, older)
	}
	if address, done, err = c.updateIssue(ctx, &i, own[0]); err == nil {
		err = c.closeIssues(ctx, own[1:])
	}
	return address, done, err
}

// request is the issue as the API takes it, in the state; empty: as it is.
func (i *Issue) request(state string) *gh.IssueRequest {
	r := &gh.IssueRequest{Title: gh.String(i.Title), Body: gh.String(string(i.Body))}
	if state == "" && len(i.Labels) > 0 {
		r.Labels = &i.Labels
	}
	switch state {
	case stateOpen:
		r.State, r.StateReason = gh.String(stateOpen), gh.String("reopened")
	case stateClosed:
		r.State, r.StateReason = gh.String(stateClosed), gh.String("completed")
	}
	return r
}

// States of an issue.
const (
	stateOpen   = "open"
	stateClosed = "closed"
)

// updateIssue brings an issue of ours up to date.
func (c *Client) updateIssue(ctx context.Context, i *Issue, old *gh.Issue) (address, done string, err error) {
	m, _ := parseMarker(i.Prefix, old.GetBody())
	news := 0
	for _, id := range i.Found {
		if !slices.Contains(m.found, id) {
			news++
		}
	}
	request, done := i.request(""), IssueUpdated
	request.Labels = nil // people may have changed them
	switch open := old.GetState() == stateOpen; {
	case !open && len(i.Found) == 0:
		return old.GetHTMLURL(), "", nil
	case open && len(i.Found) == 0:
		request, done = i.request(stateClosed), IssueClosed
	case !open && news > 0:
		request, done = i.request(stateOpen), IssueReopened
	}
	written, _, err := c.api.Issues.Edit(ctx, c.owner, c.repo, old.GetNumber(), request)
	if err != nil {
		return "", "", refused(err, issuesWrite)
	}
	if news > 0 && i.News != nil {
		comment := &gh.IssueComment{Body: gh.String(string(i.News(news)))}
		if _, _, err := c.api.Issues.CreateComment(ctx, c.owner, c.repo, old.GetNumber(), comment); err != nil {
			return written.GetHTMLURL(), done, fmt.Errorf("the issue is up to date, but a comment on it says nothing of that: %w", refused(err, issuesWrite))
		}
	}
	return written.GetHTMLURL(), done, nil
}

// closeIssues closes older duplicates that are open: issues cannot be deleted.
func (c *Client) closeIssues(ctx context.Context, list []*gh.Issue) error {
	for _, o := range list {
		if o.GetState() != stateOpen {
			continue
		}
		request := &gh.IssueRequest{State: gh.String(stateClosed), StateReason: gh.String("not_planned")}
		if _, _, err := c.api.Issues.Edit(ctx, c.owner, c.repo, o.GetNumber(), request); err != nil {
			return fmt.Errorf("an older issue of Sightline's cannot be closed: %w", refused(err, issuesWrite))
		}
	}
	return nil
}

// markedIssues lists the issues with our marker and the key, by any author.
func (c *Client) markedIssues(ctx context.Context, prefix, key string) ([]*gh.Issue, error) {
	var marked []*gh.Issue
	options := &gh.IssueListByRepoOptions{State: "all", Sort: "updated", Direction: "desc", ListOptions: gh.ListOptions{PerPage: issuesPerPage}}
	for range maxIssuePages {
		issues, resp, err := c.api.Issues.ListByRepo(ctx, c.owner, c.repo, options)
		if err != nil {
			return nil, err
		}
		for _, issue := range issues {
			if m, ok := parseMarker(prefix, issue.GetBody()); ok && m.key == key && !issue.IsPullRequest() {
				marked = append(marked, issue)
			}
		}
		if resp.NextPage == 0 {
			break
		}
		options.Page = resp.NextPage
	}
	return marked, nil
}

// ownIssues are those that an account wrote: the open ones first, then the oldest.
func ownIssues(issues []*gh.Issue, login string) []*gh.Issue {
	var own []*gh.Issue
	for _, issue := range issues {
		if login != "" && issue.GetUser().GetLogin() == login {
			own = append(own, issue)
		}
	}
	slices.SortFunc(own, func(a, b *gh.Issue) int {
		return cmp.Or(strings.Compare(b.GetState(), a.GetState()), cmp.Compare(a.GetNumber(), b.GetNumber()))
	})
	return own
}
