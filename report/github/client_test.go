package github

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
)

// clock is a time that only waiting moves.
type clock struct {
	at    time.Time
	waits []time.Duration
}

func (c *clock) now() time.Time { return c.at }

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && c.at.Add(d).After(deadline) {
		return context.DeadlineExceeded
	}
	c.waits = append(c.waits, d)
	c.at = c.at.Add(d)
	return nil
}

// until is a context with a deadline of the test's clock, which real time does
// not reach.
func (c *clock) until(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithDeadline(context.Background(), c.at.Add(d))
	t.Cleanup(cancel)
	return ctx
}

func newClock() *clock { return &clock{at: time.Now().Add(time.Hour).Truncate(time.Second)} }

func connect(t *testing.T, fake *fakegithub.Server, c *clock) *Client {
	t.Helper()
	run := &Run{APIURL: fake.APIURL, ServerURL: fake.URL}
	run.Repository = Repository{Owner: "octo", Name: "vault"}
	client, err := NewClient(run, fake.Token, c.now, c.sleep)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

const (
	prefix     = "<!-- test:v1 "
	listPath   = "/repos/octo/vault/issues/7/comments"
	list       = "GET " + listPath
	post       = "POST " + listPath
	sarifs     = "POST /repos/{owner}/{repo}/code-scanning/sarifs"
	asksStatus = "GET /repos/octo/vault/code-scanning/sarifs/47177e22-5596-11eb-80a1-c1e54ef945c6"
)

func body(run string) string {
	return prefix + "key=ci.yml/fuzz sha=abc run=" + run + " -->\ntext of " + run
}

func TestComment(t *testing.T) {
	other := prefix + "key=ci.yml/other sha=abc run=9 -->\n"
	bot := func(id int64, body string) fakegithub.Comment {
		return fakegithub.Comment{ID: id, Login: botLogin, Body: body}
	}
	for _, c := range []struct {
		name   string
		login  string
		before []fakegithub.Comment
		update bool
		want   []fakegithub.Comment
		calls  []string
		err    error
	}{
		{name: "first", want: []fakegithub.Comment{bot(1001, body("12"))}, calls: []string{list, "GET /user", post}},
		{name: "replaced", before: []fakegithub.Comment{{ID: 1, Login: "alice", Body: "hi"}, bot(2, body("11"))},
			want:  []fakegithub.Comment{{ID: 1, Login: "alice", Body: "hi"}, bot(2, body("12"))},
			calls: []string{list, "GET /user", "PATCH /repos/octo/vault/issues/comments/2"}},
		{name: "again in the same run", before: []fakegithub.Comment{bot(2, body("12"))}, want: []fakegithub.Comment{bot(2, body("12"))},
			calls: []string{list, "GET /user", "PATCH /repos/octo/vault/issues/comments/2"}},
		{name: "stranger's marker", before: []fakegithub.Comment{{ID: 1, Login: "mallory", Body: body("99")}},
			want:  []fakegithub.Comment{{ID: 1, Login: "mallory", Body: body("99")}, bot(1001, body("12"))},
			calls: []string{list, "GET /user", post}},
		{name: "newer run", before: []fakegithub.Comment{bot(2, body("13"))}, want: []fakegithub.Comment{bot(2, body("13"))},
			calls: []string{list, "GET /user"}, err: ErrNewer},
		{name: "other job", before: []fakegithub.Comment{bot(2, other)}, want: []fakegithub.Comment{bot(2, other), bot(1001, body("12"))},
			calls: []string{list, "GET /user", post}},
		{name: "quoted below", before: []fakegithub.Comment{bot(2, "see\n"+body("11"))},
			want: []fakegithub.Comment{bot(2, "see\n"+body("11")), bot(1001, body("12"))}, calls: []string{list, "GET /user", post}},
		{name: "duplicates", before: []fakegithub.Comment{bot(2, body("10")), bot(3, body("11"))}, want: []fakegithub.Comment{bot(2, body("12"))},
			calls: []string{list, "GET /user", "PATCH /repos/octo/vault/issues/comments/2", "DELETE /repos/octo/vault/issues/comments/3"}},
		{name: "nothing to say", update: true, calls: []string{list, "GET /user"}},
		{name: "nothing more to say", update: true, before: []fakegithub.Comment{bot(2, body("11"))}, want: []fakegithub.Comment{bot(2, body("12"))},
			calls: []string{list, "GET /user", "PATCH /repos/octo/vault/issues/comments/2"}},
		{name: "own app", login: "sight[bot]", before: []fakegithub.Comment{bot(2, body("11")), {ID: 3, Login: "sight[bot]", Body: body("11")}},
			want:  []fakegithub.Comment{bot(2, body("11")), {ID: 3, Login: "sight[bot]", Body: body("12")}},
			calls: []string{list, "GET /user", "PATCH /repos/octo/vault/issues/comments/3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := fakegithub.New(t)
			fake.Comments, fake.Login = slices.Clone(c.before), c.login
			client := connect(t, fake, newClock())
			_, err := client.Comment(context.Background(), 7, Sticky{Prefix: prefix, Body: []byte(body("12")), Update: c.update})
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if !slices.Equal(fake.Comments, c.want) {
				t.Errorf("comments %+v, want %+v", fake.Comments, c.want)
			}
			if got := fake.Calls(); !slices.Equal(got, c.calls) {
				t.Errorf("calls %q, want %q", got, c.calls)
			}
		})
	}
}

// The comment may be on a later page.
func TestCommentOnLaterPage(t *testing.T) {
	fake := fakegithub.New(t)
	for i := range 250 {
		fake.Comments = append(fake.Comments, fakegithub.Comment{ID: int64(i + 1), Login: "alice", Body: "hi"})
	}
	fake.Comments = append(fake.Comments, fakegithub.Comment{ID: 500, Login: botLogin, Body: body("11")})
	if _, err := connect(t, fake, newClock()).Comment(context.Background(), 7, Sticky{Prefix: prefix, Body: []byte(body("12"))}); err != nil {
		t.Fatal(err)
	}
	if want := []string{list, list, list, "GET /user", "PATCH /repos/octo/vault/issues/comments/500"}; !slices.Equal(fake.Calls(), want) {
		t.Errorf("calls %q", fake.Calls())
	}
}

func TestCommentRefused(t *testing.T) {
	const create = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments"
	for _, c := range []struct {
		answer fakegithub.Answer
		want   string
		denied bool
	}{
		{fakegithub.Answer{Status: 403, Body: map[string]string{"message": "Resource not accessible by integration"}}, "`permissions: pull-requests: write`", true},
		{fakegithub.Answer{Status: 422, Body: map[string]string{"message": "Validation Failed"}}, `GitHub answers 422 "Validation Failed"`, false},
		{fakegithub.Answer{Status: 500}, "GitHub answers 500", false},
	} {
		fake := fakegithub.New(t)
		fake.Scripted[create] = []fakegithub.Answer{c.answer}
		_, err := connect(t, fake, newClock()).Comment(context.Background(), 7, Sticky{Prefix: prefix, Body: []byte(body("12"))})
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.want) || refusal.Denied() != c.denied {
			t.Errorf("%d: error %v", c.answer.Status, err)
		}
		if n := len(fake.Calls()); n != 3 { // a POST is not repeated: it may have been done
			t.Errorf("%d: calls %q", c.answer.Status, fake.Calls())
		}
	}
	client := connect(t, fakegithub.New(t), newClock())
	for _, wrong := range []string{body("12") + strings.Repeat("x", MaxComment), "no marker", prefix + "run=1 -->", prefix + "key=a run=x -->"} {
		if _, err := client.Comment(context.Background(), 7, Sticky{Prefix: prefix, Body: []byte(wrong)}); err == nil {
			t.Errorf("%.40q is sent", wrong)
		}
	}
}

// GitHub's limits are waited for, if the deadline is later.
func TestPatience(t *testing.T) {
	for name, test := range map[string]struct {
		answers []fakegithub.Answer
		within  time.Duration
		waits   []time.Duration
		fails   string
	}{
		"retry after": {[]fakegithub.Answer{{Status: 429, Header: map[string]string{"Retry-After": "7"}}, {Status: 403, Header: map[string]string{"Retry-After": "2"}}},
			time.Minute, []time.Duration{7 * time.Second, 2 * time.Second}, ""},
		"too long": {[]fakegithub.Answer{{Status: 429, Header: map[string]string{"Retry-After": "3600"}}},
			time.Minute, nil, "the rate limit does not reset within max-minutes"},
		"no header":    {[]fakegithub.Answer{{Status: 429}}, time.Hour, []time.Duration{time.Minute}, ""},
		"server error": {[]fakegithub.Answer{{Status: 502}, {Status: 503}}, time.Hour, []time.Duration{time.Second, 2 * time.Second}, ""},
		"server down":  {slices.Repeat([]fakegithub.Answer{{Status: 502}}, 9), time.Hour, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, "GitHub answers 502"},
		"forbidden":    {[]fakegithub.Answer{{Status: 403}}, time.Hour, nil, "GitHub answers 403"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			fake := fakegithub.New(t)
			fake.Scripted["GET /repos/{owner}/{repo}/issues/{issue_number}/comments"] = test.answers
			_, err := connect(t, fake, c).Comment(c.until(t, test.within), 7, Sticky{Prefix: prefix, Body: []byte(body("12"))})
			if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("error %v, want %q", err, test.fails)
			}
			if !slices.Equal(c.waits, test.waits) {
				t.Errorf("waits %v, want %v", c.waits, test.waits)
			}
		})
	}
}

func TestRateLimitReset(t *testing.T) {
	c := newClock()
	fake := fakegithub.New(t)
	fake.Scripted["GET /repos/{owner}/{repo}/issues/{issue_number}/comments"] = []fakegithub.Answer{{Status: 403, Header: map[string]string{
		"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(c.at.Add(20*time.Second).Unix(), 10)}}}
	if _, err := connect(t, fake, c).Comment(c.until(t, time.Minute), 7, Sticky{Prefix: prefix, Body: []byte(body("12"))}); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{21 * time.Second}; !slices.Equal(c.waits, want) {
		t.Errorf("waits %v, want %v", c.waits, want)
	}
}

func TestUnreachable(t *testing.T) {
	c := newClock()
	fake := fakegithub.New(t)
	client := connect(t, fake, c)
	closed := httptest.NewServer(http.NotFoundHandler())
	client.api.BaseURL.Host = strings.TrimPrefix(closed.URL, "http://")
	closed.Close()
	_, err := client.Comment(c.until(t, time.Hour), 7, Sticky{Prefix: prefix, Body: []byte(body("12"))})
	if err == nil || !strings.Contains(err.Error(), "GitHub cannot be reached") {
		t.Errorf("error %v", err)
	}
	if len(c.waits) != maxTries-1 {
		t.Errorf("waits %v", c.waits)
	}
}

// A redirect to another server is not followed: it would be shown the token.
func TestRedirect(t *testing.T) {
	asked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer elsewhere.Close()
	fake := fakegithub.New(t)
	fake.Scripted["GET /repos/{owner}/{repo}/issues/{issue_number}/comments"] = []fakegithub.Answer{{Status: 307, Header: map[string]string{"Location": elsewhere.URL}}}
	if _, err := connect(t, fake, newClock()).Comment(context.Background(), 7, Sticky{Prefix: prefix, Body: []byte(body("12"))}); err == nil {
		t.Error("a redirect to another server is not an error")
	}
	if asked {
		t.Error("another server was asked")
	}
}

func TestUpload(t *testing.T) {
	upload := Upload{SHA: someSHA, Ref: "refs/pull/7/merge", SARIF: []byte(`{"version": "2.1.0"}`)}
	for _, c := range []struct {
		name     string
		scripted []fakegithub.Answer
		statuses []string
		within   time.Duration
		waits    int
		want     string
	}{
		{name: "at once", statuses: []string{"complete"}, waits: 1},
		{name: "pending", statuses: []string{"pending", "pending", "complete"}, waits: 3},
		{name: "failed", statuses: []string{"pending", "failed"}, waits: 2, want: "could not process the SARIF file: rule 7 is odd"},
		{name: "slow", statuses: []string{"pending"}, waits: 5, want: "has not processed"},
		{name: "deadline", statuses: []string{"pending"}, within: 20 * time.Second, waits: 2, want: "has not processed"},
		{name: "fork", scripted: []fakegithub.Answer{{Status: 403, Body: map[string]string{"message": "Resource not accessible by integration"}}}, want: "`permissions: security-events: write`"},
		{name: "private", scripted: []fakegithub.Answer{{Status: 403, Body: map[string]string{"message": "Code Security must be enabled for this repository to use code scanning."}}}, want: "code scanning is not enabled"},
		{name: "too large", scripted: []fakegithub.Answer{{Status: 413}}, want: "GitHub answers 413"},
		{name: "unavailable", scripted: []fakegithub.Answer{{Status: 503}}, want: "GitHub answers 503"},
		{name: "busy", scripted: []fakegithub.Answer{{Status: 429, Header: map[string]string{"Retry-After": "3"}}}, statuses: []string{"complete"}, waits: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := fakegithub.New(t)
			fake.Scripted[sarifs] = c.scripted
			fake.Errors = []string{"rule 7 is odd"}
			if c.statuses != nil {
				fake.Statuses = c.statuses
			}
			clock := newClock()
			if c.within == 0 {
				c.within = time.Hour
			}
			err := connect(t, fake, clock).Upload(clock.until(t, c.within), upload)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if len(clock.waits) != c.waits {
				t.Errorf("waits %v, want %d", clock.waits, c.waits)
			}
			if c.statuses == nil {
				return
			}
			if got := fake.Uploads(); len(got) != 1 || got[0].SHA != upload.SHA || got[0].Ref != upload.Ref || string(got[0].SARIF) != string(upload.SARIF) {
				t.Errorf("uploads %+v", got)
			}
			if !slices.Contains(fake.Calls(), asksStatus) {
				t.Errorf("calls %q", fake.Calls())
			}
		})
	}
}
