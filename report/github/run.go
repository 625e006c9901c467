package github

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Run is the run of a workflow's step: the event, and where everything is.
type Run struct {
	Event
	Workspace string // the checkout's folder
	ServerURL string // of the web pages and of git, without a slash at its end
	APIURL    string
	// Key names the job within the repository: "ci.yml/fuzz".
	Key      string
	Workflow string // path of the workflow's file in the repository; empty: not known, or another repository's
	ID       string // of the workflow's run, part of its URL
	Number   int    // increases with every run of the workflow
}

// ReadRun reads the runner's environment.
func ReadRun(getenv func(string) string) (*Run, error) {
	event, err := ReadEvent(getenv)
	if err != nil {
		return nil, err
	}
	r := &Run{Event: *event, Workspace: getenv("GITHUB_WORKSPACE"), ID: getenv("GITHUB_RUN_ID")}
	if !filepath.IsAbs(r.Workspace) {
		return nil, fmt.Errorf("GITHUB_WORKSPACE is %q; want the folder of the checkout", cut(r.Workspace, maxShown))
	}
	if r.ServerURL, err = hostURL("GITHUB_SERVER_URL", getenv); err != nil {
		return nil, err
	}
	if r.APIURL, err = hostURL("GITHUB_API_URL", getenv); err != nil {
		return nil, err
	}
	if r.Number, err = strconv.Atoi(getenv("GITHUB_RUN_NUMBER")); err != nil || r.Number < 1 {
		return nil, fmt.Errorf("GITHUB_RUN_NUMBER is %q; want a number", cut(getenv("GITHUB_RUN_NUMBER"), maxShown))
	}
	if _, err := strconv.ParseUint(r.ID, 10, 64); err != nil {
		return nil, fmt.Errorf("GITHUB_RUN_ID is %q; want a number", cut(r.ID, maxShown))
	}
	r.Key = workflowFile(getenv("GITHUB_WORKFLOW_REF"), getenv("GITHUB_WORKFLOW")) + "/" + getenv("GITHUB_JOB")
	r.Workflow = workflowPath(getenv("GITHUB_WORKFLOW_REF"), r.Repository.FullName())
	return r, nil
}

// hostURL returns the value of a variable that names a server.
func hostURL(name string, getenv func(string) string) (string, error) {
	value := strings.TrimRight(getenv(name), "/")
	u, err := url.Parse(value)
	if err == nil && (u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "") {
		err = errors.New("not a server's URL")
	}
	if err != nil {
		return "", fmt.Errorf("%s is %q; want a server's URL", name, cut(value, maxShown))
	}
	return value, nil
}

// workflowFile returns the file name of a workflow, "ci.yml" for
// "o/r/.github/workflows/ci.yml@refs/heads/main", or the workflow's name on servers
// that do not give the file.
func workflowFile(ref, name string) string {
	file, _, _ := strings.Cut(ref, "@")
	if file = path.Base(file); file != "." && file != "/" {
		return file
	}
	return name
}

// workflowPath returns the path of a workflow's file, ".github/workflows/ci.yml" for
// "o/r/.github/workflows/ci.yml@refs/heads/main" of the repository o/r.
func workflowPath(ref, repository string) string {
	file, _, _ := strings.Cut(ref, "@")
	if n := len(repository); len(file) > n && file[n] == '/' && strings.EqualFold(file[:n], repository) {
		return file[n+1:]
	}
	return ""
}

// RunURL is the web page of the run, with the job's summary.
func (r *Run) RunURL() string { return r.repositoryURL() + "/actions/runs/" + r.ID }

// FileURL is the prefix of the URL of a file at a commit, to which its path is appended.
// Commits of a fork are in the repository of the pull request, too.
func (r *Run) FileURL(commit string) string { return r.repositoryURL() + "/blob/" + commit + "/" }

// CommitURL is the prefix of the URL of a commit's page.
func (r *Run) CommitURL() string { return r.repositoryURL() + "/commit/" }

func (r *Run) repositoryURL() string { return r.ServerURL + "/" + r.Repository.FullName() }
