package fakegithub

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// recorder is a test that notes what goes wrong.
type recorder struct {
	testing.TB
	wrong []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}
func (r *recorder) Helper() {}

// A fake that lets everything pass would make every test of a client pass.
func TestRefusesWhatGitHubRefuses(t *testing.T) {
	const sarifs = "/repos/octo/vault/code-scanning/sarifs"
	sha := strings.Repeat("a", 40)
	for _, c := range []struct{ method, path, body, token, want string }{
		{"POST", sarifs, `{"commit_sha": "` + sha + `", "ref": "refs/heads/main", "sarif": "x"}`, "test-token", ""},
		{"POST", sarifs, `{"commit_sha": "abc", "ref": "refs/heads/main", "sarif": "x"}`, "test-token", "GitHub would refuse"},
		{"POST", sarifs, `{"commit_sha": "` + sha + `", "sarif": "x"}`, "test-token", "GitHub would refuse"},
		{"POST", "/repos/octo/vault/issues/7/comments", `{}`, "test-token", "GitHub would refuse"},
		{"GET", "/repos/octo/vault/issues/seven/comments", ``, "test-token", "GitHub would refuse"},
		{"POST", "/repos/octo/vault/issues", `{"title": "x", "body": "y"}`, "test-token", ""},
		{"POST", "/repos/octo/vault/issues", `{"body": "y"}`, "test-token", "GitHub would refuse"},
		{"GET", "/repos/octo/vault/issues?state=every", ``, "test-token", "GitHub would refuse"},
		{"PATCH", "/repos/octo/vault/issues/3", `{"state": "done"}`, "test-token", "GitHub would refuse"},
		{"GET", "/repos/octo/vault/branches", ``, "test-token", "is not described"},
		{"GET", "/repos/octo/vault/contents/.github/sightline.yml?ref=main", ``, "test-token", ""},
		{"GET", "/repos/octo/vault/releases", ``, "other", "carries the authorization"},
	} {
		r := &recorder{TB: t}
		fake := New(r)
		req, err := http.NewRequest(c.method, fake.APIURL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := strings.Join(r.wrong, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s %s: %q, want %q", c.method, c.path, c.body, got, c.want)
		}
	}
}

// What the description does not know, the fake refuses by itself.
func TestRefusesIssues(t *testing.T) {
	for _, c := range []struct {
		body     string
		disabled bool
		want     int
	}{
		{`{"title": "x", "labels": ["a"]}`, false, http.StatusCreated},
		{`{"title": "x"}`, true, http.StatusGone},
		{`{"title": " "}`, false, http.StatusUnprocessableEntity},
		{`{"title": "` + strings.Repeat("é", maxTitle+1) + `"}`, false, http.StatusUnprocessableEntity},
		{`{"title": "x", "body": "` + strings.Repeat("a", maxComment+1) + `"}`, false, http.StatusUnprocessableEntity},
		{`{"title": "x", "labels": ["` + strings.Repeat("a", maxLabel+1) + `"]}`, false, http.StatusUnprocessableEntity},
	} {
		fake := New(t)
		fake.NoIssues = c.disabled
		req, err := http.NewRequest("POST", fake.APIURL+"/repos/octo/vault/issues", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer test-token")
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%.60s: %d, want %d", c.body, resp.StatusCode, c.want)
		}
	}
}
