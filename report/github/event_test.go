package github

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// examples are the payloads of an event in the npm package that GitHub makes of
// real ones.
func examples(t *testing.T, event string) []json.RawMessage {
	t.Helper()
	path := filepath.Join("..", "..", ".cache", "npm", "node_modules", "@octokit", "webhooks-examples", "api.github.com", "index.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run ./test once, it installs what tests need", err)
	}
	var events []struct {
		Name     string
		Examples []json.RawMessage
	}
	if err := json.Unmarshal(data, &events); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Name == event {
			return e.Examples
		}
	}
	t.Fatalf("no example of the event %s", event)
	return nil
}

const someSHA = "0123456789abcdef0123456789abcdef01234567"

// environment is that of a runner for an event with a payload.
func environment(t *testing.T, event string, payload []byte) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(file, payload, 0o644); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": file, "GITHUB_SHA": someSHA, "GITHUB_REF": "refs/heads/main",
		"GITHUB_REPOSITORY": "Codertocat/Hello-World", "GITHUB_WORKSPACE": t.TempDir(),
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_API_URL": "https://api.github.com",
		"GITHUB_RUN_ID": "1658821493", "GITHUB_RUN_NUMBER": "812", "GITHUB_JOB": "fuzz",
		"GITHUB_WORKFLOW_REF": "Codertocat/Hello-World/.github/workflows/ci.yml@refs/pull/2/merge", "GITHUB_WORKFLOW": "CI",
	}
}

func getenv(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

func TestReadEventOfRealPayloads(t *testing.T) {
	for _, event := range []string{PullRequest, MergeGroup, Push, Release, WorkflowDispatch} {
		for i, payload := range examples(t, event) {
			t.Run(fmt.Sprintf("%s/%d", event, i), func(t *testing.T) {
				var raw struct {
					PullRequest struct {
						Number int
						Base   struct{ SHA string }
						Head   struct{ SHA string }
					} `json:"pull_request"`
					MergeGroup struct {
						Base string `json:"base_sha"`
						Head string `json:"head_sha"`
					} `json:"merge_group"`
					Before, After string
					Deleted       bool
					Release       struct {
						Tag string `json:"tag_name"`
					}
					Repository struct {
						Private bool
						Branch  string `json:"default_branch"`
					}
				}
				if err := json.Unmarshal(payload, &raw); err != nil {
					t.Fatal(err)
				}
				e, err := ReadEvent(getenv(environment(t, event, payload)))
				if raw.Deleted {
					if err == nil {
						t.Fatal("a deleted branch is not an error")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want := Event{Name: event, SHA: someSHA, Ref: "refs/heads/main", Repository: Repository{"Codertocat", "Hello-World", raw.Repository.Private, raw.Repository.Branch}}
				switch event {
				case PullRequest:
					want.Number, want.Base, want.Head = raw.PullRequest.Number, raw.PullRequest.Base.SHA, raw.PullRequest.Head.SHA
					want.Fork, want.Changed = e.Fork, e.Changed // below
				case MergeGroup:
					want.Base, want.Head = raw.MergeGroup.Base, raw.MergeGroup.Head
				case Push:
					want.Head, want.Created = raw.After, e.Created
					if strings.Trim(raw.Before, "0") != "" {
						want.Base = raw.Before
					}
				case Release:
					want.Ref = "refs/tags/" + raw.Release.Tag
				}
				if diff := cmp.Diff(want, *e); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

func TestFork(t *testing.T) {
	const payload = `{"pull_request": {"number": 7, "base": {"sha": "` + someSHA + `"}, "head": {"sha": "` + someSHA + `", "repo": %s}}}`
	for repo, want := range map[string]bool{
		`{"full_name": "Codertocat/Hello-World"}`: false,
		`{"full_name": "codertocat/hello-world"}`: false,
		`{"full_name": "mallory/Hello-World"}`:    true,
		`null`:                                    true,
	} {
		e, err := ReadEvent(getenv(environment(t, PullRequest, fmt.Appendf(nil, payload, repo))))
		if err != nil {
			t.Fatal(err)
		}
		if e.Fork != want {
			t.Errorf("head repository %s: fork is %v", repo, e.Fork)
		}
	}
}

func TestScheduleAndDispatch(t *testing.T) {
	e, err := ReadEvent(getenv(environment(t, Schedule, []byte(`{"schedule": "0 3 * * *", "repository": {"private": true, "default_branch": "trunk"}}`))))
	if err != nil || !e.Repository.Private || e.Repository.DefaultBranch != "trunk" {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = ReadEvent(getenv(environment(t, WorkflowDispatch, []byte(`{"inputs": {"base": " v1.2 "}}`))))
	if err != nil || e.DispatchBy != "v1.2" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestReadRun(t *testing.T) {
	env := environment(t, PullRequest, examples(t, PullRequest)[0])
	r, err := ReadRun(getenv(env))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{r.Key, r.RunURL(), r.FileURL(r.SHA)}
	want := []string{"ci.yml/fuzz", "https://github.com/Codertocat/Hello-World/actions/runs/1658821493", "https://github.com/Codertocat/Hello-World/blob/" + someSHA + "/"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Workflow != ".github/workflows/ci.yml" {
		t.Errorf("workflow %q", r.Workflow)
	}
	env["GITHUB_WORKFLOW_REF"] = "other/shared/.github/workflows/ci.yml@v1"
	if r, err = ReadRun(getenv(env)); err != nil || r.Workflow != "" {
		t.Errorf("another repository's workflow is %q, %v", r.Workflow, err)
	}
	delete(env, "GITHUB_WORKFLOW_REF")
	if r, err = ReadRun(getenv(env)); err != nil || r.Key != "CI/fuzz" {
		t.Errorf("key %q, %v", r.Key, err)
	}
}

// Problems in the environment or a payload are errors that describe them.
func TestReadRunErrors(t *testing.T) {
	good := `{"pull_request": {"number": 7, "base": {"sha": "` + someSHA + `"}, "head": {"sha": "` + someSHA + `", "repo": null}}}`
	for _, c := range []struct{ name, variable, value, payload, want string }{
		{"target", "GITHUB_EVENT_NAME", "pull_request_target", good, "refuses to run on it; use `on: pull_request`"},
		{"no event", "GITHUB_EVENT_NAME", "", good, "elsewhere use `sightline run`"},
		{"after a workflow", "GITHUB_EVENT_NAME", "workflow_run", good, "refuses to run on it; use `on: pull_request`"},
		{"comment", "GITHUB_EVENT_NAME", "issue_comment", good, "issue_comment gives code that anyone may propose access"},
		{"dispatch", "GITHUB_EVENT_NAME", "repository_dispatch", good, "refuses to run on it"},
		{"other event", "GITHUB_EVENT_NAME", "pull_request_review", good, `the event "pull_request_review" does not say what changed`},
		{"case", "GITHUB_EVENT_NAME", "Pull_Request", good, `the event "Pull_Request" does not say what changed`},
		{"no payload", "GITHUB_EVENT_PATH", "", good, "GITHUB_EVENT_PATH is not set"},
		{"payload missing", "GITHUB_EVENT_PATH", "/nowhere/event.json", good, "no such file"},
		{"not JSON", "", "", "<html>", "invalid character"},
		{"other JSON", "", "", "[]", "cannot unmarshal"},
		{"empty", "", "", "{}", "it has no pull_request"},
		{"number", "", "", strings.Replace(good, "7", "0", 1), "has no number"},
		{"short id", "", "", strings.Replace(good, someSHA, "abc", 1), `"abc" is not a full commit id`},
		{"option as id", "", "", strings.Replace(good, someSHA, "--upload-pack=x", 1), "is not a full commit id"},
		{"repository", "GITHUB_REPOSITORY", "o/r/../x", good, "want OWNER/NAME"},
		{"sha", "GITHUB_SHA", "HEAD", good, "want a full commit id"},
		{"workspace", "GITHUB_WORKSPACE", "", good, "want the folder of the checkout"},
		{"api", "GITHUB_API_URL", "file:///etc", good, "want a server's URL"},
		{"credentials", "GITHUB_SERVER_URL", "https://u:p@github.com", good, "want a server's URL"},
		{"run", "GITHUB_RUN_ID", "../1", good, "GITHUB_RUN_ID"},
		{"run number", "GITHUB_RUN_NUMBER", "x", good, "GITHUB_RUN_NUMBER"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := environment(t, PullRequest, []byte(c.payload))
			if c.variable != "" {
				env[c.variable] = c.value
			}
			if _, err := ReadRun(getenv(env)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func FuzzPayload(f *testing.F) {
	f.Add(PullRequest, `{"pull_request": {"number": 7}}`)
	f.Add(Push, `{"before": "`+someSHA+`", "after": "`+someSHA+`"}`)
	f.Fuzz(func(t *testing.T, event, text string) {
		p := new(payload)
		if json.Unmarshal([]byte(text), p) != nil {
			return
		}
		e := Event{Name: event}
		if e.fill(p) != nil {
			return
		}
		for _, id := range []string{e.Base, e.Head} {
			if id != "" && !commitID.MatchString(id) {
				t.Errorf("%q passes for a commit", id)
			}
		}
	})
}
