package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Limits that GitHub's description does not mention, characters.
const (
	maxTitle = 256
	maxLabel = 50
)

// Issue is one of the repository's, or a pull request, which GitHub lists among them.
type Issue struct {
	Number      int
	Login       string // of its author
	Title, Body string
	State       string // "open" or "closed"
	Reason      string // of the state
	Labels      []string
	PullRequest bool
	Comments    []string
}

// issue finds one by its number.
func (s *Server) issue(number string) *Issue {
	n, _ := strconv.Atoi(number)
	if i := slices.IndexFunc(s.Issues, func(i Issue) bool { return i.Number == n }); i >= 0 {
		return &s.Issues[i]
	}
	return nil
}

func (s *Server) shownIssue(i *Issue, op *openapi3.Operation, status string) map[string]any {
	shape, _ := example(op, status).(map[string]any)
	if shape == nil {
		shape = map[string]any{}
	}
	labels := []map[string]string{}
	for _, name := range i.Labels {
		labels = append(labels, map[string]string{"name": name})
	}
	kind := "issues"
	delete(shape, "pull_request")
	if i.PullRequest {
		kind = "pull"
		shape["pull_request"] = map[string]string{"html_url": fmt.Sprintf("%s/octo/vault/pull/%d", s.URL, i.Number)}
	}
	shape["number"], shape["title"], shape["body"], shape["state"], shape["labels"] = i.Number, i.Title, i.Body, i.State, labels
	shape["user"] = map[string]any{"login": i.Login}
	shape["html_url"] = fmt.Sprintf("%s/octo/vault/%s/%d", s.URL, kind, i.Number)
	return shape
}

func (s *Server) listIssues(r *http.Request) Answer {
	query := r.URL.Query()
	state := query.Get("state")
	if state == "" {
		state = "open" // GitHub's default
	}
	if sort := query.Get("sort"); sort != "updated" || query.Get("direction") != "desc" {
		s.t.Errorf("issues sorted by %q: the fake knows the last updated first alone", sort)
	}
	var all []map[string]any
	for i := range slices.Backward(s.Issues) {
		if state == "all" || s.Issues[i].State == state {
			all = append(all, s.shownIssue(&s.Issues[i], &openapi3.Operation{Responses: &openapi3.Responses{}}, "200"))
		}
	}
	return s.paged(r, all)
}

// issueRequest is what opens or changes an issue. What is absent stays.
type issueRequest struct {
	Title, Body *string
	State       string
	Reason      string `json:"state_reason"`
	Labels      []string
}

// refuse says what GitHub would refuse of a request that its description allows.
func (r *issueRequest) refuse() string {
	switch {
	case r.Title != nil && strings.TrimSpace(*r.Title) == "":
		return "title can't be blank"
	case r.Title != nil && len([]rune(*r.Title)) > maxTitle:
		return fmt.Sprintf("title is too long (maximum is %d characters)", maxTitle)
	case r.Body != nil && len([]rune(*r.Body)) > maxComment:
		return fmt.Sprintf("body is too long (maximum is %d characters)", maxComment)
	case slices.ContainsFunc(r.Labels, func(l string) bool { return l == "" || len([]rune(l)) > maxLabel }):
		return "a label is blank or too long"
	}
	return ""
}

// readIssue reads a request; the answer is that to one that is refused.
func (s *Server) readIssue(body []byte) (*issueRequest, *Answer) {
	if s.NoIssues {
		return nil, &Answer{Status: http.StatusGone, Body: map[string]string{"message": "Issues has been disabled in this repository."}}
	}
	r := &issueRequest{}
	if err := json.Unmarshal(body, r); err != nil {
		s.t.Errorf("an issue: %v", err)
	}
	if why := r.refuse(); why != "" {
		return nil, &Answer{Status: http.StatusUnprocessableEntity, Body: map[string]string{"message": "Validation Failed: " + why}}
	}
	return r, nil
}

func (s *Server) openIssue(body []byte, op *openapi3.Operation) Answer {
	r, refused := s.readIssue(body)
	if refused != nil {
		return *refused
	}
	number := 101 // above the numbers of pull requests in tests
	for i := range s.Issues {
		number = max(number, s.Issues[i].Number+1)
	}
	i := Issue{Number: number, Login: s.me(), State: "open", Labels: r.Labels}
	i.write(r)
	s.Issues = append(s.Issues, i)
	return Answer{Status: http.StatusCreated, Body: s.shownIssue(&i, op, "201")}
}

func (i *Issue) write(r *issueRequest) {
	if r.Title != nil {
		i.Title = *r.Title
	}
	if r.Body != nil {
		i.Body = *r.Body
	}
}

// editIssue changes an issue, whoever wrote it: that is what the permission allows.
func (s *Server) editIssue(number string, body []byte, op *openapi3.Operation) Answer {
	r, refused := s.readIssue(body)
	if refused != nil {
		return *refused
	}
	found := s.issue(number)
	if found == nil {
		return Answer{Status: http.StatusNotFound}
	}
	i := *found
	i.write(r)
	if r.State != "" && r.State != i.State {
		i.State, i.Reason = r.State, r.Reason
	}
	if r.Labels != nil {
		i.Labels = r.Labels
	}
	s.touch(i)
	return Answer{Status: http.StatusOK, Body: s.shownIssue(&i, op, "200")}
}

// touch makes an issue the last updated one.
func (s *Server) touch(i Issue) {
	s.Issues = append(slices.DeleteFunc(s.Issues, func(o Issue) bool { return o.Number == i.Number }), i)
}

func (s *Server) commentOn(found *Issue, body []byte, op *openapi3.Operation) Answer {
	var request struct{ Body string }
	if err := json.Unmarshal(body, &request); err != nil {
		s.t.Errorf("a comment: %v", err)
	}
	if n := len([]rune(request.Body)); n > maxComment {
		return Answer{Status: http.StatusUnprocessableEntity, Body: map[string]string{"message": fmt.Sprintf("Body is too long (maximum is %d characters)", maxComment)}}
	}
	i := *found
	i.Comments = append(slices.Clone(i.Comments), request.Body)
	s.touch(i)
	s.nextID++
	return Answer{Status: http.StatusCreated, Body: s.shown(Comment{s.nextID, s.me(), request.Body}, op, "201")}
}
