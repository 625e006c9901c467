package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
)

func issueBody(run, found string) string {
	return prefix + "key=nightly.yml/fuzz sha=abc run=" + run + " found=" + found + " -->\ntext of " + run
}

const (
	issuesPath = "/repos/octo/vault/issues"
	listIssues = "GET " + issuesPath
)

func TestIssue(t *testing.T) {
	issue := func(number int, state, body string) fakegithub.Issue {
		return fakegithub.Issue{Number: number, Login: botLogin, Title: "old", Body: body, State: state}
	}
	is := func(i fakegithub.Issue, state, reason string, comments ...string) fakegithub.Issue {
		i.State, i.Reason, i.Comments = state, reason, comments
		return i
	}
	by := func(i fakegithub.Issue, login string) fakegithub.Issue {
		i.Login = login
		return i
	}
	pull := issue(2, "open", issueBody("11", "A"))
	pull.PullRequest = true
	labeled := issue(3, "open", issueBody("11", "A"))
	labeled.Labels = []string{"of people"}
	kept := labeled
	kept.Body = ""
	asks := []string{listIssues, "GET /user"}
	for _, c := range []struct {
		name   string
		login  string
		before []fakegithub.Issue
		found  string // "A/B"
		want   []fakegithub.Issue
		calls  []string
		done   string
		err    error
	}{
		{name: "first", found: "A", want: []fakegithub.Issue{{Number: 101, Login: botLogin, State: "open", Labels: []string{"fuzzing"}}},
			calls: append(asks, "POST "+issuesPath), done: IssueOpened},
		{name: "nothing, and none there", calls: asks},
		{name: "updated", before: []fakegithub.Issue{labeled}, found: "A", want: []fakegithub.Issue{kept}, calls: append(asks, "PATCH "+issuesPath+"/3"), done: IssueUpdated},
		{name: "something new", before: []fakegithub.Issue{issue(3, "open", issueBody("11", "A"))}, found: "A/B/C",
			want:  []fakegithub.Issue{is(issue(3, "", ""), "open", "", "2 new")},
			calls: append(asks, "PATCH "+issuesPath+"/3", "POST "+issuesPath+"/3/comments"), done: IssueUpdated},
		{name: "nothing any more", before: []fakegithub.Issue{issue(3, "open", issueBody("11", "A"))},
			want: []fakegithub.Issue{is(issue(3, "", ""), "closed", "completed")}, calls: append(asks, "PATCH "+issuesPath+"/3"), done: IssueClosed},
		{name: "still nothing", before: []fakegithub.Issue{issue(3, "closed", issueBody("11", ""))},
			want: []fakegithub.Issue{issue(3, "closed", issueBody("11", ""))}, calls: asks},
		{name: "found again after we closed it", before: []fakegithub.Issue{issue(3, "closed", issueBody("11", ""))}, found: "A",
			want:  []fakegithub.Issue{is(issue(3, "", ""), "open", "reopened", "1 new")},
			calls: append(asks, "PATCH "+issuesPath+"/3", "POST "+issuesPath+"/3/comments"), done: IssueReopened},
		{name: "closed by people", before: []fakegithub.Issue{issue(3, "closed", issueBody("11", "A/B"))}, found: "B",
			want: []fakegithub.Issue{issue(3, "closed", "")}, calls: append(asks, "PATCH "+issuesPath+"/3"), done: IssueUpdated},
		{name: "closed by people, and more is found", before: []fakegithub.Issue{issue(3, "closed", issueBody("11", "A"))}, found: "A/B",
			want:  []fakegithub.Issue{is(issue(3, "", ""), "open", "reopened", "1 new")},
			calls: append(asks, "PATCH "+issuesPath+"/3", "POST "+issuesPath+"/3/comments"), done: IssueReopened},
		{name: "stranger's marker", before: []fakegithub.Issue{by(issue(3, "open", issueBody("99", "")), "mallory")}, found: "A",
			want:  []fakegithub.Issue{by(issue(3, "open", issueBody("99", "")), "mallory"), {Number: 101, Login: botLogin, State: "open", Labels: []string{"fuzzing"}}},
			calls: append(asks, "POST "+issuesPath), done: IssueOpened},
		{name: "a pull request with the marker", before: []fakegithub.Issue{pull}, found: "A",
			want:  []fakegithub.Issue{pull, {Number: 101, Login: botLogin, State: "open", Labels: []string{"fuzzing"}}},
			calls: append(asks, "POST "+issuesPath), done: IssueOpened},
		{name: "other job", before: []fakegithub.Issue{issue(3, "open", prefix+"key=other.yml/fuzz run=1 -->\n")},
			want: []fakegithub.Issue{issue(3, "open", prefix+"key=other.yml/fuzz run=1 -->\n")}, calls: asks},
		{name: "newer run", before: []fakegithub.Issue{issue(3, "open", issueBody("13", "A"))}, found: "B",
			want: []fakegithub.Issue{issue(3, "open", issueBody("13", "A"))}, calls: asks, err: ErrNewer},
		{name: "duplicates", before: []fakegithub.Issue{issue(3, "closed", issueBody("9", "A")), issue(4, "open", issueBody("10", "A")), issue(5, "open", issueBody("11", "A"))}, found: "A",
			want:  []fakegithub.Issue{issue(3, "closed", issueBody("9", "A")), issue(4, "open", ""), is(issue(5, "open", issueBody("11", "A")), "closed", "not_planned")},
			calls: append(asks, "PATCH "+issuesPath+"/4", "PATCH "+issuesPath+"/5"), done: IssueUpdated},
		{name: "own app", login: "sight[bot]", before: []fakegithub.Issue{by(issue(3, "open", issueBody("11", "A")), "sight[bot]")}, found: "A",
			want: []fakegithub.Issue{by(issue(3, "open", ""), "sight[bot]")}, calls: append(asks, "PATCH "+issuesPath+"/3"), done: IssueUpdated},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := fakegithub.New(t)
			fake.Issues, fake.Login = slices.Clone(c.before), c.login
			text := issueBody("12", c.found)
			address, done, err := connect(t, fake, newClock()).Issue(context.Background(), Issue{Prefix: prefix, Title: "new", Body: []byte(text), Labels: []string{"fuzzing"},
				Found: strings.FieldsFunc(c.found, func(r rune) bool { return r == '/' }), News: func(n int) []byte { return fmt.Appendf(nil, "%d new", n) }})
			if !errors.Is(err, c.err) || done != c.done || (address != "") != (done != "") && err == nil && c.name != "still nothing" {
				t.Errorf("%q %q, error %v; want %q, %v", address, done, err, c.done, c.err)
			}
			for i := range c.want { // "": that of this run
				if c.want[i].Body == "" {
					c.want[i].Title, c.want[i].Body = "new", text
				}
			}
			slices.SortFunc(fake.Issues, func(a, b fakegithub.Issue) int { return a.Number - b.Number })
			if diff := cmp.Diff(c.want, fake.Issues); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
			if got := fake.Calls(); !slices.Equal(got, c.calls) {
				t.Errorf("calls %q, want %q", got, c.calls)
			}
		})
	}
}

// Other issues and pull requests come first where they were updated later.
func TestIssueOnALaterPage(t *testing.T) {
	fake := fakegithub.New(t)
	fake.Issues = []fakegithub.Issue{{Number: 3, Login: botLogin, Title: "old", Body: issueBody("11", "A"), State: "open"}}
	for n := range 250 {
		fake.Issues = append(fake.Issues, fakegithub.Issue{Number: 1000 + n, Login: "alice", Title: "x", Body: "y", State: "closed", PullRequest: n%2 == 0})
	}
	_, done, err := connect(t, fake, newClock()).Issue(context.Background(), Issue{Prefix: prefix, Title: "new", Body: []byte(issueBody("12", "A")), Found: []string{"A"}})
	if err != nil || done != IssueUpdated || len(fake.Calls()) != 5 {
		t.Errorf("%s, %v, calls %q", done, err, fake.Calls())
	}
}

// What GitHub refuses says what to do.
func TestIssueRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		script map[string][]fakegithub.Answer
		none   bool
		found  string // before
		want   string
	}{
		{name: "reading", script: map[string][]fakegithub.Answer{"GET /repos/{owner}/{repo}/issues": {denied()}}, want: "`permissions: issues: write`"},
		{name: "opening", script: map[string][]fakegithub.Answer{"POST /repos/{owner}/{repo}/issues": {denied()}}, want: "`permissions: issues: write`"},
		{name: "changing", script: map[string][]fakegithub.Answer{"PATCH /repos/{owner}/{repo}/issues/{issue_number}": {denied()}}, found: "A", want: "`permissions: issues: write`"},
		{name: "disabled", none: true, want: "issues are disabled for this repository"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := fakegithub.New(t)
			fake.Scripted, fake.NoIssues = c.script, c.none
			if c.found != "" {
				fake.Issues = []fakegithub.Issue{{Number: 3, Login: botLogin, Title: "old", Body: issueBody("11", c.found), State: "open"}}
			}
			_, _, err := connect(t, fake, newClock()).Issue(context.Background(), Issue{Prefix: prefix, Title: "new", Body: []byte(issueBody("12", "A")), Found: []string{"A"}})
			var refusal *Refusal
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	client := connect(t, fakegithub.New(t), newClock())
	for name, i := range map[string]Issue{
		"no marker":  {Prefix: prefix, Title: "new", Body: []byte("text")},
		"too long":   {Prefix: prefix, Title: "new", Body: append([]byte(issueBody("12", "")), bytes.Repeat([]byte("a"), MaxComment)...)},
		"long title": {Prefix: prefix, Title: strings.Repeat("a", 257), Body: []byte(issueBody("12", ""))},
	} {
		if _, _, err := client.Issue(context.Background(), i); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func denied() fakegithub.Answer {
	return fakegithub.Answer{Status: 403, Body: map[string]string{"message": "Resource not accessible by integration"}}
}

// FuzzMarker: the first line of any comment or issue is a marker or not, and what it says is within the line.
func FuzzMarker(f *testing.F) {
	for _, text := range []string{issueBody("12", "A/B"), body("1"), prefix + "key= -->", prefix + "key=a run=x -->", prefix, "", "text"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, ok := parseMarker(prefix, text)
		line, _, _ := strings.Cut(text, "\n")
		if ok && (m.key == "" || !strings.HasPrefix(line, prefix)) || !ok && m.key != "" {
			t.Errorf("%q: %+v, %v", text, m, ok)
		}
		for _, id := range m.found {
			if id == "" || strings.ContainsAny(id, "/ ") || !strings.Contains(line, id) {
				t.Errorf("%q: id %q", text, id)
			}
		}
	})
}
