// Package fakegithub is a GitHub for tests: an HTTP server that checks every
// request against GitHub's own description of its API (the npm package
// @octokit/openapi) and answers from a small state, in the shape of the
// description's own examples. What the description does not know, such as the
// length of a comment, rate limits and refusals, is scripted.
package fakegithub

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi" //nolint:gosec // git's own server, for tests
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// apiPath is where the API is below the server's address, as on GitHub Enterprise.
const apiPath = "/api/v3"

// maxComment is the limit that GitHub's description does not mention, characters.
const maxComment = 65_536

// Comment is one on a pull request.
type Comment struct {
	ID    int64
	Login string
	Body  string
}

// Answer is a scripted one.
type Answer struct {
	Status int
	Header map[string]string
	Body   any // JSON; nil: a message with the status
}

// Upload is a SARIF file that was handed in.
type Upload struct {
	SHA, Ref string
	SARIF    []byte
}

// Server is the fake. Set its fields before the first request, read them after
// the last.
type Server struct {
	URL    string // as GITHUB_SERVER_URL
	APIURL string // as GITHUB_API_URL

	Token    string    // what every request has to carry
	Login    string    // whom it belongs to; empty: the workflow's own, which may not ask
	Comments []Comment // on the pull request
	Issues   []Issue   // the last updated one last
	NoIssues bool      // they are disabled
	// Scripted answers come before all others, in order, each once, by method and
	// path of the description: "POST /repos/{owner}/{repo}/code-scanning/sarifs".
	Scripted map[string][]Answer
	Statuses []string          // of an upload's processing, the last one for ever
	Errors   []string          // of an upload that failed
	Bases    map[string]string // merge bases by "base...head"
	Diff     string            // of a pull request; empty: 406, too large
	Files    []map[string]any  // of a pull request
	Contents map[string]string // by "path@ref"
	Projects string            // folder of OWNER/NAME repositories that git can fetch
	Called   func(call string) // is told of every call when it begins, if it is set

	mu      sync.Mutex
	calls   []string
	uploads []Upload
	nextID  int64
	polls   int
	t       testing.TB
	api     *description
}

// New starts a fake.
func New(t testing.TB) *Server {
	t.Helper()
	api, err := load()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, api: api, nextID: 1000, Token: "test-token", Scripted: map[string][]Answer{}, Statuses: []string{"complete"}}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(web.Close)
	s.URL, s.APIURL = web.URL, web.URL+apiPath
	return s
}

// Calls are the requests so far, "POST /repos/octo/vault/issues/7/comments", and
// "git fetch" for all requests of one fetch.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

// Uploads are the SARIF files handed in.
func (s *Server) Uploads() []Upload {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Upload(nil), s.uploads...)
}

// Forget forgets the calls and uploads so far: what follows belongs to another
// run. Comments stay.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.uploads = nil, nil
}

// record notes a call; the caller has locked the state.
func (s *Server) record(call string) {
	s.calls = append(s.calls, call)
	if s.Called != nil {
		s.Called(call)
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, apiPath) {
		s.git(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("a request's body: %v", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(r.Method + " " + strings.TrimPrefix(r.URL.Path, apiPath))
	if got := r.Header.Get("Authorization"); got != "Bearer "+s.Token {
		s.t.Errorf("%s %s carries the authorization %q", r.Method, r.URL.Path, got)
	}
	route, parameters, err := s.api.router.FindRoute(r)
	if err != nil {
		s.t.Errorf("%s %s is not described: %v", r.Method, r.URL, err)
		http.NotFound(w, r)
		return
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
		s.t.Errorf("GitHub would refuse %s %s: %v", r.Method, r.URL, err)
		http.Error(w, `{"message":"Validation Failed"}`, http.StatusUnprocessableEntity)
		return
	}
	path := strings.Replace(route.Path, "{path:.+}", "{path}", 1)
	key := r.Method + " " + path
	if script := s.Scripted[key]; len(script) > 0 {
		s.Scripted[key] = script[1:]
		script[0].write(w)
		return
	}
	s.answer(key, r, parameters, body, route.Operation).write(w)
}

func (a Answer) write(w http.ResponseWriter) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	body := a.Body
	if text, ok := body.(string); ok && a.Header["Content-Type"] != "" {
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, text)
		return
	}
	if body == nil {
		body = map[string]string{"message": http.StatusText(a.Status)}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	if a.Status != http.StatusNoContent {
		_ = json.NewEncoder(w).Encode(body) // the client may be gone
	}
}

// answer acts on a request as GitHub does.
func (s *Server) answer(key string, r *http.Request, parameters map[string]string, body []byte, op *openapi3.Operation) Answer {
	switch key {
	case "GET /user":
		if s.Login == "" {
			return Answer{Status: http.StatusForbidden, Body: map[string]string{"message": "Resource not accessible by integration"}}
		}
		user, _ := example(op, "200").(map[string]any)
		user["login"] = s.Login
		return Answer{Status: http.StatusOK, Body: user}
	case "GET /repos/{owner}/{repo}/issues/{issue_number}/comments":
		return s.listComments(r)
	case "POST /repos/{owner}/{repo}/issues/{issue_number}/comments":
		if i := s.issue(parameters["issue_number"]); i != nil {
			return s.commentOn(i, body, op)
		}
		return s.write(0, body, op, "201")
	case "GET /repos/{owner}/{repo}/issues":
		return s.listIssues(r)
	case "POST /repos/{owner}/{repo}/issues":
		return s.openIssue(body, op)
	case "PATCH /repos/{owner}/{repo}/issues/{issue_number}":
		return s.editIssue(parameters["issue_number"], body, op)
	case "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}":
		return s.edit(r.Method, parameters["comment_id"], body, op)
	case "POST /repos/{owner}/{repo}/code-scanning/sarifs":
		return s.upload(body)
	case "GET /repos/{owner}/{repo}/code-scanning/sarifs/{sarif_id}":
		status := s.Statuses[min(s.polls, len(s.Statuses)-1)]
		s.polls++
		answer := map[string]any{"processing_status": status}
		if status == "failed" {
			answer["errors"] = s.Errors
		}
		return Answer{Status: http.StatusOK, Body: answer}
	case "GET /repos/{owner}/{repo}/compare/{basehead}":
		return s.compare(parameters["basehead"], op)
	case "GET /repos/{owner}/{repo}/pulls/{pull_number}":
		if s.Diff == "" || !strings.Contains(r.Header.Get("Accept"), "diff") {
			return Answer{Status: http.StatusNotAcceptable, Body: map[string]any{
				"message": "Sorry, the diff exceeded the maximum number of files (300).",
				"errors":  []any{map[string]string{"resource": "PullRequest", "field": "diff", "code": "too_large"}}}}
		}
		return Answer{Status: http.StatusOK, Header: map[string]string{"Content-Type": "text/plain"}, Body: s.Diff}
	case "GET /repos/{owner}/{repo}/pulls/{pull_number}/files":
		return s.paged(r, s.Files)
	case "GET /repos/{owner}/{repo}/tags":
		return s.paged(r, s.tags())
	case "GET /repos/{owner}/{repo}/contents/{path}":
		return s.content(parameters["path"], r.URL.Query().Get("ref"))
	}
	s.t.Errorf("%s is not expected", key)
	return Answer{Status: http.StatusNotFound}
}

// example is the description's own answer of a status, for a caller to change.
func example(op *openapi3.Operation, status string) any {
	response := op.Responses.Value(status)
	if response == nil || response.Value == nil {
		return map[string]any{}
	}
	for _, e := range response.Value.Content.Get("application/json").Examples {
		data, err := json.Marshal(e.Value.Value)
		if err != nil {
			panic(fmt.Sprintf("an example of the description: %v", err))
		}
		var copied any
		if err := json.Unmarshal(data, &copied); err != nil {
			panic(fmt.Sprintf("an example of the description: %v", err))
		}
		return copied
	}
	return map[string]any{}
}

func (s *Server) shown(c Comment, op *openapi3.Operation, status string) map[string]any {
	shape, _ := example(op, status).(map[string]any)
	if shape == nil {
		shape = map[string]any{}
	}
	user, _ := shape["user"].(map[string]any)
	if user == nil {
		user = map[string]any{}
	}
	user["login"] = c.Login
	shape["id"], shape["body"], shape["user"] = c.ID, c.Body, user
	shape["html_url"] = fmt.Sprintf("%s/octo/vault/pull/7#issuecomment-%d", s.URL, c.ID)
	return shape
}

// me is whom comments are written as.
func (s *Server) me() string {
	if s.Login == "" {
		return "github-actions[bot]"
	}
	return s.Login
}

func (s *Server) listComments(r *http.Request) Answer {
	var all []map[string]any
	for _, c := range s.Comments {
		all = append(all, s.shown(c, &openapi3.Operation{Responses: &openapi3.Responses{}}, "200"))
	}
	return s.paged(r, all)
}

// paged answers with one page of a list, with the header that leads to the next.
func (s *Server) paged(r *http.Request, all []map[string]any) Answer {
	query := r.URL.Query()
	size, page := 30, 1 // GitHub's defaults
	if n, err := strconv.Atoi(query.Get("per_page")); err == nil {
		size = n
	}
	if n, err := strconv.Atoi(query.Get("page")); err == nil {
		page = n
	}
	from, to := min(len(all), (page-1)*size), min(len(all), page*size)
	answer := Answer{Status: http.StatusOK, Body: append([]map[string]any{}, all[from:to]...), Header: map[string]string{}}
	if to < len(all) {
		query.Set("page", strconv.Itoa(page+1))
		answer.Header["Link"] = fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.URL, r.URL.Path, query.Encode())
	}
	return answer
}

// write adds a comment, or replaces the one with the id.
func (s *Server) write(id int64, body []byte, op *openapi3.Operation, status string) Answer {
	var request struct{ Body string }
	if err := json.Unmarshal(body, &request); err != nil {
		s.t.Errorf("a comment: %v", err)
	}
	if n := len([]rune(request.Body)); n > maxComment {
		return Answer{Status: http.StatusUnprocessableEntity, Body: map[string]string{"message": fmt.Sprintf("Body is too long (maximum is %d characters)", maxComment)}}
	}
	code, _ := strconv.Atoi(status)
	for i := range s.Comments {
		if s.Comments[i].ID == id {
			s.Comments[i].Body = request.Body
			return Answer{Status: code, Body: s.shown(s.Comments[i], op, status)}
		}
	}
	s.nextID++
	c := Comment{s.nextID, s.me(), request.Body}
	s.Comments = append(s.Comments, c)
	return Answer{Status: code, Body: s.shown(c, op, status)}
}

func (s *Server) edit(method, number string, body []byte, op *openapi3.Operation) Answer {
	id, _ := strconv.ParseInt(number, 10, 64)
	for i, c := range s.Comments {
		switch {
		case c.ID != id:
		case c.Login != s.me():
			return Answer{Status: http.StatusForbidden, Body: map[string]string{"message": "Resource not accessible by integration"}}
		case method == http.MethodDelete:
			s.Comments = append(s.Comments[:i:i], s.Comments[i+1:]...)
			return Answer{Status: http.StatusNoContent}
		default:
			return s.write(id, body, op, "200")
		}
	}
	return Answer{Status: http.StatusNotFound}
}

func (s *Server) compare(basehead string, op *openapi3.Operation) Answer {
	base, ok := s.Bases[basehead]
	shape, _ := example(op, "200").(map[string]any)
	if from, to, _ := strings.Cut(basehead, "..."); !ok && len(from) == 40 {
		if base, ok = s.query("merge-base", from, to); ok {
			ahead, _ := s.query("rev-list", "--count", base+".."+to)
			status := "diverged"
			switch {
			case from == to:
				status = "identical"
			case base == from:
				status = "ahead"
			case base == to:
				status = "behind"
			}
			shape["status"], shape["ahead_by"] = status, json.Number(ahead)
		}
	}
	if !ok {
		return Answer{Status: http.StatusNotFound}
	}
	if commit, ok := shape["merge_base_commit"].(map[string]any); ok {
		commit["sha"] = base
	}
	return Answer{Status: http.StatusOK, Body: shape}
}

// query asks git about the repository; false if it has no answer.
func (s *Server) query(args ...string) (string, bool) {
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(s.Projects, "octo", "vault")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err == nil
}

// tags are those of the repository, in the reverse order of their names.
func (s *Server) tags() []map[string]any {
	list, _ := s.query("for-each-ref", "--sort=-refname", "--format=%(refname:strip=2) %(objectname) %(*objectname)", "refs/tags/")
	var tags []map[string]any
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		tags = append(tags, map[string]any{"name": fields[0], "commit": map[string]string{"sha": fields[len(fields)-1]}})
	}
	return tags
}

// git serves the projects to git's own protocol.
func (s *Server) git(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if strings.HasSuffix(r.URL.Path, "/info/refs") {
		s.record("git fetch")
	}
	// One authorization, ours: GitHub refuses two, and another was left behind.
	want := "basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+s.Token))
	if headers := r.Header.Values("Authorization"); len(headers) != 1 || headers[0] != want {
		s.t.Errorf("git's request carries the authorizations %q, want %q", headers, want)
	}
	s.mu.Unlock()
	if s.Projects == "" {
		http.NotFound(w, r)
		return
	}
	folder, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		s.t.Errorf("git: %v", err)
	}
	(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(folder)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + s.Projects, "GIT_HTTP_EXPORT_ALL=1"},
	}).ServeHTTP(w, r)
}
