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
