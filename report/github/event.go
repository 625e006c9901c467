package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
)

// Names of the events on which an action can run.
const (
	PullRequest      = "pull_request"
	MergeGroup       = "merge_group"
	Push             = "push"
	Release          = "release"
	WorkflowDispatch = "workflow_dispatch"
	Schedule         = "schedule"
)

// maxEvent bounds the payload. GitHub caps those of webhooks at 25 MB.
const maxEvent = 32 << 20

// Event says why a workflow runs.
type Event struct {
	Name       string
	Repository Repository
	SHA        string // the commit that the workflow runs on; for a pull request, the merge commit
	Ref        string // "refs/pull/7/merge", "refs/heads/main", "refs/tags/v1"

	// Base and Head are the commits that the event names; empty if it names none.
	Base, Head string
	Number     int    // of the pull request
	Changed    int    // files that the pull request changes, as GitHub counts them; 0: unknown
	Fork       bool   // its head is in another repository
	Created    bool   // a push created the branch
	DispatchBy string // the input "base" of workflow_dispatch
}

// Repository is where the workflow runs.
type Repository struct {
	Owner, Name   string
	Private       bool
	DefaultBranch string
}

// FullName is OWNER/NAME.
func (r Repository) FullName() string { return r.Owner + "/" + r.Name }

// Tag returns the tag that was pushed or released; empty if there is none.
func (e *Event) Tag() string {
	tag, ok := strings.CutPrefix(e.Ref, "refs/tags/")
	if !ok {
		return ""
	}
	return tag
}

// payload is the part of an event's JSON that is read.
type payload struct {
	Number      int          `json:"number"`
	PullRequest *pullRequest `json:"pull_request"`
	MergeGroup  *struct {
		BaseSHA string `json:"base_sha"`
		HeadSHA string `json:"head_sha"`
	} `json:"merge_group"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Created bool   `json:"created"`
	Deleted bool   `json:"deleted"`
	Release *struct {
		TagName string `json:"tag_name"`
	} `json:"release"`
	Inputs     map[string]any `json:"inputs"`
	Repository *struct {
		Private       bool   `json:"private"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
}

type pullRequest struct {
	Number int        `json:"number"`
	Files  int        `json:"changed_files"`
	Base   branchSide `json:"base"`
	Head   branchSide `json:"head"`
}

type branchSide struct {
	SHA  string `json:"sha"`
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"` // null when the fork was deleted
}

var (
	commitID     = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	repositoryID = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	zeroID       = regexp.MustCompile(`^0+$`)
)

// maxRepository bounds OWNER/NAME, bytes: GitHub's owners have up to 39, names up to 100.
const maxRepository = 140

// privileged are the events that run a workflow with the repository's secrets and a token
// that may write, although anyone can cause them, such as with a pull request or a comment.
// A workflow that checks out a pull request on one of them runs a stranger's code with both.
var privileged = []string{
	"pull_request_target", "workflow_run", "repository_dispatch", "issue_comment", "issues", "discussion", "discussion_comment",
	"check_run", "check_suite", "status",
}

// ReadEvent reads the event from the runner's environment.
func ReadEvent(getenv func(string) string) (*Event, error) {
	e := &Event{Name: getenv("GITHUB_EVENT_NAME"), SHA: getenv("GITHUB_SHA"), Ref: getenv("GITHUB_REF")}
	switch e.Name {
	case "":
		return nil, errors.New("GITHUB_EVENT_NAME is not set: this command runs as a step of a GitHub workflow; elsewhere use `sightline run`")
	case PullRequest, MergeGroup, Push, Release, WorkflowDispatch, Schedule:
	default:
		if slices.Contains(privileged, e.Name) {
			return nil, exit.FixedBy(fmt.Errorf("%s gives code that anyone may propose access to the repository's secrets and a write token: "+
				"Sightline refuses to run on it; use `on: pull_request`", e.Name), exit.Fix{Lines: "on:\n  pull_request:\n  merge_group:\n"})
		}
		return nil, fmt.Errorf("the event %q does not say what changed; run on pull_request, merge_group, push, release, workflow_dispatch or schedule", cut(e.Name, maxShown))
	}
	full := getenv("GITHUB_REPOSITORY")
	if len(full) > maxRepository || !repositoryID.MatchString(full) {
		return nil, fmt.Errorf("GITHUB_REPOSITORY is %q; want OWNER/NAME", cut(full, maxShown))
	}
	e.Repository.Owner, e.Repository.Name, _ = strings.Cut(full, "/")
	if !commitID.MatchString(e.SHA) {
		return nil, fmt.Errorf("GITHUB_SHA is %q; want a full commit id", cut(e.SHA, maxShown))
	}
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return nil, errors.New("GITHUB_EVENT_PATH is not set; it names the event's payload")
	}
	p, err := readPayload(path)
	if err != nil {
		return nil, fmt.Errorf("the payload of the event %s cannot be read: %w", e.Name, err)
	}
	if err := e.fill(p); err != nil {
		return nil, fmt.Errorf("the payload of the event %s: %w", e.Name, err)
	}
	return e, nil
}

// maxShown bounds an untrusted value in a message, bytes; arbitrary.
const maxShown = 100

func readPayload(path string) (*payload, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxEvent {
		return nil, fmt.Errorf("it has more than %d bytes", maxEvent)
	}
	p := new(payload)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, err
	}
	return p, nil
}

// fill sets the event's fields from its payload.
func (e *Event) fill(p *payload) error {
	if p.Repository != nil {
		e.Repository.Private, e.Repository.DefaultBranch = p.Repository.Private, p.Repository.DefaultBranch
	}
	switch e.Name {
	case PullRequest:
		return e.fillPullRequest(p)
	case MergeGroup:
		if p.MergeGroup == nil {
			return errors.New("it has no merge_group")
		}
		e.Base, e.Head = p.MergeGroup.BaseSHA, p.MergeGroup.HeadSHA
		return checkIDs(e.Base, e.Head)
	case Push:
		return e.fillPush(p)
	case Release:
		if p.Release == nil || p.Release.TagName == "" {
			return errors.New("it has no release with a tag_name")
		}
		e.Ref = "refs/tags/" + p.Release.TagName
	case WorkflowDispatch:
		if base, ok := p.Inputs["base"].(string); ok {
			e.DispatchBy = strings.TrimSpace(base)
		}
	}
	return nil
}

func (e *Event) fillPullRequest(p *payload) error {
	pr := p.PullRequest
	if pr == nil {
		return errors.New("it has no pull_request")
	}
	if e.Number = pr.Number; e.Number < 1 {
		return errors.New("its pull_request has no number")
	}
	e.Base, e.Head, e.Changed = pr.Base.SHA, pr.Head.SHA, pr.Files
	e.Fork = pr.Head.Repo == nil || !strings.EqualFold(pr.Head.Repo.FullName, e.Repository.FullName())
	return checkIDs(e.Base, e.Head)
}

func (e *Event) fillPush(p *payload) error {
	if err := checkIDs(p.Before, p.After); err != nil {
		return err
	}
	if p.Deleted || zeroID.MatchString(p.After) {
		return errors.New("the push deleted the branch or tag: there is nothing to fuzz")
	}
	e.Head, e.Created = p.After, p.Created
	if !zeroID.MatchString(p.Before) {
		e.Base = p.Before
	}
	return nil
}

func checkIDs(ids ...string) error {
	for _, id := range ids {
		if !commitID.MatchString(id) {
			return fmt.Errorf("%q is not a full commit id", cut(id, maxShown))
		}
	}
	return nil
}

// cut shortens s to at most n bytes, at a character boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
