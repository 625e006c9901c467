package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Sleep waits, or returns the context's error.
type Sleep func(ctx context.Context, d time.Duration) error

// Client calls GitHub's API for one repository. Calls end with their context's
// deadline, waits included.
type Client struct {
	api         *gh.Client
	owner, repo string
	sleep       Sleep
}

// answerTimeout bounds the time until a response begins. GitHub itself ends requests
// after 10 seconds; proxies of enterprise servers are slower.
const answerTimeout = 30 * time.Second

// NewClient returns a client for the run's repository.
func NewClient(run *Run, token string, now func() time.Time, sleep Sleep) (*Client, error) {
	base, err := url.Parse(run.APIURL + "/")
	if err != nil {
		return nil, fmt.Errorf("GITHUB_API_URL: %w", err)
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("the program's HTTP transport is not the standard one")
	}
	transport = transport.Clone()
	transport.ResponseHeaderTimeout = answerTimeout
	api := gh.NewClient(&http.Client{
		Transport:     &patientTransport{next: transport, host: base.Host, token: token, now: now, sleep: sleep},
		CheckRedirect: sameHost,
	})
	// Not WithEnterpriseURLs, which rewrites hosts that it does not recognize.
	api.BaseURL = base
	api.UserAgent = "sightline"
	return &Client{api: api, owner: run.Repository.Owner, repo: run.Repository.Name, sleep: sleep}, nil
}

// sameHost follows a few redirects, such as that of a renamed repository, but never to
// another server.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// patientTransport authorizes requests, and retries those that GitHub asks to retry,
// as long as the deadline allows.
type patientTransport struct {
	next  http.RoundTripper
	host  string // the only host that gets the token
	token string
	now   func() time.Time
	sleep Sleep
}

// maxTries of one request: the first and three retries, which with waits of 1, 2 and
// 4 seconds bridge a short outage. Waits that GitHub specifies replace these.
const maxTries = 4

// noHeaderWait is how long to wait if a rate limit is exceeded and no header gives a
// time: GitHub's documentation asks for at least a minute.
const noHeaderWait = time.Minute

// RoundTrip implements [http.RoundTripper].
func (t *patientTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		attempt, err := t.authorized(req)
		if err != nil {
			return nil, err
		}
		resp, err := t.next.RoundTrip(attempt)
		wait, again := t.wait(req, resp, err, try)
		if !again || try == maxTries || !t.inTime(req.Context(), wait) {
			return resp, err
		}
		if resp != nil {
			_, _ = io.CopyN(io.Discard, resp.Body, maxDiscarded) // so that the connection can be reused
			_ = resp.Body.Close()
		}
		if err := t.sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// maxDiscarded bounds what is read of a response that is not used, bytes; arbitrary.
const maxDiscarded = 64 << 10

// authorized returns a copy of the request with the token and a fresh body.
func (t *patientTransport) authorized(req *http.Request) (*http.Request, error) {
	c := req.Clone(req.Context())
	if t.token != "" && c.URL.Host == t.host {
		c.Header.Set("Authorization", "Bearer "+t.token)
	}
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		c.Body = body
	}
	return c, nil
}

// wait returns how long to wait before a retry, and whether to retry. A request that
// may already have had its effect (a POST without a response, or with a server error)
// is not retried.
func (t *patientTransport) wait(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	backoff := time.Second << (try - 1)
	repeatable := req.Method != http.MethodPost
	switch {
	case err != nil:
		return backoff, repeatable && req.Context().Err() == nil
	case resp.StatusCode >= 500:
		return backoff, repeatable
	case resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusForbidden:
		return 0, false
	}
	if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && after >= 0 {
		return time.Duration(after) * time.Second, true
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		if reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(0, time.Unix(reset, 0).Sub(t.now())) + time.Second, true // clocks differ
		}
	}
	return noHeaderWait, resp.StatusCode == http.StatusTooManyRequests
}

// inTime reports whether a wait ends before the deadline.
func (t *patientTransport) inTime(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || t.now().Add(wait).Before(deadline)
}

// Refusal is a response in which GitHub refuses a request.
type Refusal struct {
	Status  int
	Message string // GitHub's
	Remedy  string // what to do about it; may be empty
}

func (r *Refusal) Error() string {
	s := fmt.Sprintf("GitHub answers %d", r.Status)
	if r.Message != "" {
		s += fmt.Sprintf(" %q", cut(r.Message, maxShown))
	}
	if r.Remedy != "" {
		s += "; " + r.Remedy
	}
	return s
}

// Denied reports whether permissions are the reason, so that a retry cannot help.
func (r *Refusal) Denied() bool {
	return r.Status == http.StatusForbidden || r.Status == http.StatusNotFound || r.Status == http.StatusUnauthorized
}

// refused turns the error of an API call into one that says what to do. permission is
// the one that the call needs.
func refused(err error, permission string) error {
	status, message := 0, ""
	var answer *gh.ErrorResponse
	var limit *gh.RateLimitError
	var abuse *gh.AbuseRateLimitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		status, message = answer.Response.StatusCode, answer.Message
	case errors.As(err, &limit):
		return &Refusal{Status: limit.Response.StatusCode, Message: limit.Message, Remedy: remedyLimit}
	case errors.As(err, &abuse):
		return &Refusal{Status: abuse.Response.StatusCode, Message: abuse.Message, Remedy: remedyLimit}
	default:
		return plain(err)
	}
	r := &Refusal{Status: status, Message: message}
	switch {
	case status == http.StatusTooManyRequests:
		r.Remedy = remedyLimit
	case status == http.StatusForbidden && strings.Contains(message, "must be enabled"):
		r.Remedy = "code scanning is not enabled for this repository; the SARIF file is among the outputs"
	case status == http.StatusGone && permission == issuesWrite:
		r.Remedy = "issues are disabled for this repository"
	case status == http.StatusForbidden || status == http.StatusNotFound || status == http.StatusUnauthorized:
		r.Remedy = fmt.Sprintf("the workflow's token may lack `permissions: %s`", permission)
	}
	return r
}

const remedyLimit = "the rate limit does not reset within max-minutes"

// plain strips the requested URL from an error, since it may be long and contain
// untrusted names.
func plain(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("GitHub cannot be reached: %w", failed.Err)
	}
	return err
}
