package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
	"github.com/sightline-evm/sightline/report"
)

// Calls of a run that comments and uploads.
var (
	firstComment = []string{"GET /issues/7/comments", "GET /user", "POST /issues/7/comments"}
	uploadCalls  = []string{"POST /code-scanning/sarifs", "GET /code-scanning/sarifs/1"}
)

func TestActionFindings(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.env["INPUT_TEST-LIMIT"] = "20000"
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1", "new-findings": "1", "seed": "4", "out": "sightline-out", "sarif": "sightline-out/sightline.sarif"},
		slices.Concat(firstComment, uploadCalls)...)
	r := s.intact()
	if r.Diff.Base == "" || r.Diff.Head == "working tree" || len(r.Findings) != 1 {
		t.Errorf("%+v, %d findings", r.Diff, len(r.Findings))
	}
	if r.Limits.Calls != 20000 || r.Limits.Seconds != 0 {
		t.Errorf("limits %+v, want those that were asked for", r.Limits)
	}
	if slices.ContainsFunc(r.Lines, func(l report.Line) bool { return l.File != "src/Crowdsale.sol" }) {
		t.Errorf("lines that the pull request does not change: %+v", r.Lines)
	}
	s.says("::error ", "file=src/Crowdsale.sol", "title=SL-")
	if !strings.Contains(s.log, "seed 4, 1 worker, limit 20.0k calls\n") {
		t.Error("the log does not say how long it fuzzes")
	}
	body := s.fake.Comments[0].Body
	if !strings.HasPrefix(body, report.MarkerPrefix+"key=ci.yml/fuzz sha="+s.env["GITHUB_SHA"]+" run=812 -->\n") {
		t.Errorf("the comment begins %.200q", body)
	}
	if !strings.Contains(body, s.fake.URL+"/octo/vault/actions/runs/1658821493") || !strings.Contains(body, s.fake.URL+"/octo/vault/blob/"+s.env["GITHUB_SHA"]+"/src/Crowdsale.sol#L") {
		t.Errorf("the comment lacks links:\n%s", body)
	}
	if body != s.read("comment-file") {
		t.Error("another comment was sent than was written")
	}
	u := s.fake.Uploads()[0]
	if u.SHA != s.env["GITHUB_SHA"] || u.Ref != "refs/pull/7/merge" || !bytes.Contains(u.SARIF, []byte(`"sightline/ci.yml/fuzz/812"`)) {
		t.Errorf("uploaded for %s, %s:\n%.600s", u.SHA, u.Ref, u.SARIF)
	}
}

func TestActionClean(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "head", "base", nil)
	s.act()
	s.want(0, map[string]string{"verdict": "pass", "findings": "0", "new-findings": "0"}, slices.Concat(firstComment, uploadCalls)...)
	s.intact()
	s.says("::notice ", "title=Sightline%3A pass")
}

// A run without findings still uploads: that closes the alerts of the last one.
func TestActionOnFindings(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "head", "base", nil)
	s.env["INPUT_COMMENT"] = "on-findings"
	s.act()
	s.want(0, map[string]string{"verdict": "pass"}, slices.Concat([]string{"GET /issues/7/comments", "GET /user"}, uploadCalls)...)
	s.intact()
	if len(s.fake.Comments) > 0 {
		t.Error("it comments without a finding")
	}
}

func TestActionNoToken(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	delete(s.env, "INPUT_TOKEN")
	s.act()
	s.want(1, map[string]string{"verdict": "fail"})
	s.intact()
	s.says("::notice ", "has no token")
}

var integration = fakegithub.Answer{Status: 403, Body: map[string]string{"message": "Resource not accessible by integration"}}

const (
	createComment = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments"
	uploadSARIF   = "POST /repos/{owner}/{repo}/code-scanning/sarifs"
)

// A fork's token may only read: the same verdict, and one notice.
func TestActionFork(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	data, err := os.ReadFile(s.env["GITHUB_EVENT_PATH"])
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"ref":"feature","repo":{"full_name":"octo/vault"}`), []byte(`"ref":"feature","repo":{"full_name":"mallory/vault"}`), 1)
	if err := os.WriteFile(s.env["GITHUB_EVENT_PATH"], data, 0o644); err != nil {
		t.Fatal(err)
	}
	s.fake.Scripted = map[string][]fakegithub.Answer{createComment: {integration}, uploadSARIF: {integration}}
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat(firstComment, uploadCalls[:1])...)
	s.intact()
	notices := 0
	for _, c := range s.commands() {
		if strings.HasPrefix(c, "::notice title=Sightline::") {
			notices++
		}
		if strings.HasPrefix(c, "::warning title=Sightline::The ") {
			t.Errorf("a refusal is a warning: %s", c)
		}
	}
	if notices != 1 {
		t.Errorf("%d notices, want one", notices)
	}
	s.says("comes from a fork")
}

func TestActionNoCodeScanning(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.fake.Scripted[uploadSARIF] = []fakegithub.Answer{{Status: 403, Body: map[string]string{"message": "Code Security must be enabled for this repository to use code scanning."}}}
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(firstComment, uploadCalls[:1])...)
	s.intact()
	s.says("::notice ", "code scanning is not enabled for this repository")
}

func TestActionMergeGroup(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	base := strings.TrimSpace(s.git("rev-parse", "HEAD^1"))
	s.event("merge_group", "refs/heads/gh-readonly-queue/main/pr-7-"+base, s.env["GITHUB_SHA"], map[string]any{
		"action": "checks_requested", "merge_group": map[string]any{"head_sha": s.env["GITHUB_SHA"], "base_sha": base}})
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}) // neither comment nor alerts: the queue's branch goes away
	s.intact()
}

// git asks git about the workspace.
func (s *scene) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.workspace}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func TestActionPush(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	before := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "base", nil))
	after := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "head", nil), before)
	s.checkout(after, "1")
	s.build("head")
	s.event("push", "refs/heads/main", after, map[string]any{"ref": "refs/heads/main", "before": before, "after": after})
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat([]string{"git fetch"}, uploadCalls)...)
	s.intact()
	if u := s.fake.Uploads()[0]; u.Ref != "refs/heads/main" || u.SHA != after {
		t.Errorf("uploaded for %s, %s", u.Ref, u.SHA)
	}
}

func TestActionRelease(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	old := s.repo.Commit("refs/tags/v1", side(t, "crowdsale", "base", nil))
	tip := s.repo.Commit("refs/tags/v2", side(t, "crowdsale", "head", nil), old)
	s.checkout(tip, "1")
	s.build("head")
	s.event("release", "refs/tags/v2", tip, map[string]any{"action": "published", "release": map[string]any{"tag_name": "v2"}})
	s.env["INPUT_BUNDLE"] = "kept/sightline.tar"
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "bundle": "kept/sightline.tar"}, slices.Concat([]string{"GET /tags", "GET /compare/" + old + "..." + tip, "git fetch"}, uploadCalls)...)
	s.intact()
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(s.read("bundle")))); sum != s.values["bundle-sha256"] {
		t.Errorf("the bundle's SHA-256 is %s, the output says %s", sum, s.values["bundle-sha256"])
	}
	cmd := exec.Command("sightline", "replay", "--bundle", filepath.Join(s.workspace, "kept", "sightline.tar"))
	cmd.Dir = t.TempDir() // nothing but the file
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "findings  2 of 2 happen on go-ethereum\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A bundle of a run that could not fuzz has the verdict error: a workflow that gates a release
// by it is not let through.
func TestActionBundleOfError(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.build("base") // of other sources
	s.env["INPUT_BUNDLE"] = "sightline.tar"
	s.act()
	s.want(2, map[string]string{"verdict": "error", "bundle": "sightline.tar"}, firstComment...)
	s.intact()
	out, err := exec.Command("sightline", "replay", "--bundle", filepath.Join(s.workspace, "sightline.tar")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "report    error: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Nothing is compared on a schedule: every line of the project counts, and its
// alerts are a series of their own.
func TestActionSchedule(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	tip := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "head", nil))
	s.checkout(tip, "1")
	s.build("head")
	s.env["INPUT_FAIL-ON"] = "none" // what it finds in so short a time is not the question
	s.event("schedule", "refs/heads/main", tip, map[string]any{"schedule": "0 3 * * *"})
	s.act()
	s.want(0, map[string]string{"verdict": "pass"}, uploadCalls...)
	r := s.intact()
	if len(r.Lines) < 90 {
		t.Errorf("%d lines, want those of the project", len(r.Lines))
	}
	if u := s.fake.Uploads()[0]; !bytes.Contains(u.SARIF, []byte(`"sightline-schedule/ci.yml/fuzz/812"`)) {
		t.Errorf("its category is not its own:\n%.600s", u.SARIF)
	}
}

// A check that is required must end well where there is nothing to do.
func TestActionNoSolidity(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "base", map[string]string{"docs.md": "# Docs\n"})
	s.act()
	s.want(0, map[string]string{"verdict": "skipped", "lines": "0"}, slices.Concat([]string{"GET /issues/7/comments", "GET /user"}, uploadCalls)...)
	s.intact()
	if len(s.fake.Comments) > 0 {
		t.Error("it comments on what it did not look at")
	}
}

func TestActionCommentsOnly(t *testing.T) {
	t.Parallel()
	text := side(t, "crowdsale", "base", nil)["src/Crowdsale.sol"]
	s := pullRequest(t, "base", "base", map[string]string{"src/Crowdsale.sol": strings.Replace(text, "/// @notice", "/// @notice Note:", 1)})
	delete(s.env, "INPUT_BUILD") // which is stale now: a compiler would be needed
	s.env["SIGHTLINE_NODE_MODULES"] = nodeModules(t)
	s.act()
	s.want(0, map[string]string{"verdict": "skipped"}, slices.Concat([]string{"GET /issues/7/comments", "GET /user"}, uploadCalls)...)
	s.intact()
}

// A build of other sources is refused, and the pull request is told.
func TestActionStaleBuild(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.build("base")
	s.act()
	s.want(2, map[string]string{"verdict": "error", "findings": "0"}, firstComment...)
	s.intact()
	s.says("::error ", "title=Sightline%3A error", "Crowdsale.sol")
	if !strings.Contains(s.fake.Comments[0].Body, "Crowdsale.sol") {
		t.Errorf("the comment does not say why:\n%s", s.fake.Comments[0].Body)
	}
}

// GitHub being down changes no verdict.
func TestActionUnreachable(t *testing.T) {
	t.Parallel()
	for name, sides := range map[string][2]string{"pass": {"head", "base"}, "fail": {"base", "head"}} {
		s := pullRequest(t, sides[0], sides[1], nil)
		s.env["GITHUB_API_URL"] = "http://127.0.0.1:1/api/v3" // nothing listens there
		s.act()
		s.want(map[string]int{"pass": 0, "fail": 1}[name], map[string]string{"verdict": name})
		s.intact()
		s.says("::warning ", "The comment on the pull request was not written: GitHub cannot be reached")
		s.says("::warning ", "The alerts were not uploaded: GitHub cannot be reached")
	}
}

func TestActionRateLimit(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "head", "base", nil)
	limited := fakegithub.Answer{Status: 429, Header: map[string]string{"Retry-After": "1"}}
	s.fake.Scripted = map[string][]fakegithub.Answer{createComment: {limited}, uploadSARIF: {limited, limited}}
	s.fake.Statuses = []string{"pending", "failed"}
	s.fake.Errors = []string{"::set-output name=verdict::pass"}
	s.act()
	s.want(0, map[string]string{"verdict": "pass"}, "GET /issues/7/comments", "GET /user", "POST /issues/7/comments", "POST /issues/7/comments",
		"POST /code-scanning/sarifs", "POST /code-scanning/sarifs", "POST /code-scanning/sarifs", "GET /code-scanning/sarifs/1", "GET /code-scanning/sarifs/1")
	s.intact()
	if len(s.fake.Comments) != 1 {
		t.Errorf("%d comments", len(s.fake.Comments))
	}
	s.says("::warning ", "could not process the SARIF file")
}

func TestActionComments(t *testing.T) {
	t.Parallel()
	mark := func(run string) string {
		return report.MarkerPrefix + "key=ci.yml/fuzz sha=abc run=" + run + " -->\nold"
	}
	for name, c := range map[string]struct {
		comment  fakegithub.Comment
		replaced bool
		calls    []string
	}{
		"ours":       {fakegithub.Comment{ID: 5, Login: "github-actions[bot]", Body: mark("811")}, true, []string{"GET /issues/7/comments", "GET /user", "PATCH /issues/comments/5"}},
		"stranger's": {fakegithub.Comment{ID: 5, Login: "mallory", Body: mark("811")}, false, firstComment},
		"a bot's":    {fakegithub.Comment{ID: 5, Login: "welcome[bot]", Body: mark("999999")}, false, firstComment},
		"newer":      {fakegithub.Comment{ID: 5, Login: "github-actions[bot]", Body: mark("813")}, false, []string{"GET /issues/7/comments", "GET /user"}},
	} {
		s := pullRequest(t, "head", "base", nil)
		s.env["INPUT_TEST-LIMIT"] = "300"
		s.fake.Comments = []fakegithub.Comment{c.comment}
		s.act()
		s.want(0, map[string]string{"verdict": "pass"}, slices.Concat(c.calls, uploadCalls)...)
		s.intact()
		if replaced := s.fake.Comments[0].Body != c.comment.Body; replaced != c.replaced {
			t.Errorf("%s: the comment was replaced: %v", name, replaced)
		}
	}
}

// The gate is read from the base: who has to pass it does not set it.
func TestActionHostileConfiguration(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", map[string]string{"sightline.yml": "fail-on: none\nignore: ['*']\n"})
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	s.says("::warning ", "the pull request changes sightline.yml: the base's version applies")
	if r := s.intact(); !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "changes sightline.yml") }) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// Another fuzzer's configuration is read from the base, too, where the pull request changes it.
func TestActionForeignConfiguration(t *testing.T) {
	t.Parallel()
	hostile := "seqLen: 1\nfilterBlacklist: false\nfilterFunctions: [\"Nothing.at_all()\"]\n"
	s := pullRequest(t, "base", "head", map[string]string{"echidna.yaml": hostile})
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	s.says("::warning ", "the pull request changes echidna.yaml: the base's version applies")
}

func TestActionBaseConfiguration(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	base := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "base", map[string]string{".github/sightline.yml": "fail-on: none\n"}))
	head := s.repo.Commit("", side(t, "crowdsale", "head", nil), base) // deletes it
	merge := s.repo.Commit("", side(t, "crowdsale", "head", nil), base, head)
	s.checkout(merge, "2")
	s.build("head")
	repo := map[string]any{"full_name": "octo/vault"}
	s.event("pull_request", "refs/pull/7/merge", merge, map[string]any{"pull_request": map[string]any{"number": 7,
		"base": map[string]any{"sha": base, "repo": repo}, "head": map[string]any{"sha": head, "repo": repo}}})
	s.act()
	s.want(0, map[string]string{"verdict": "pass", "findings": "2"}, slices.Concat(firstComment, uploadCalls)...)
	s.intact()
}

// Every way to find the base leads to the same lines.
func TestActionBase(t *testing.T) {
	t.Parallel()
	var lines []report.Line
	for rung, prepare := range []func(s *scene) []string{
		func(*scene) []string { return nil },
		func(s *scene) []string { s.shallow("1"); return []string{"git fetch"} },
		func(s *scene) []string { return s.headCheckedOut() },
		func(s *scene) []string {
			s.fake.Diff = s.git("diff", "HEAD^1", "HEAD")
			s.noGit()
			return []string{"GET /pulls/7", "GET /contents/sightline.yml", "GET /contents/.github/sightline.yml"}
		},
		func(s *scene) []string {
			_, patch, _ := strings.Cut(s.git("diff", "HEAD^1", "HEAD"), "+++ b/src/Crowdsale.sol\n")
			changes := len(regexp.MustCompile(`(?m)^[-+]`).FindAllString(patch, -1))
			s.fake.Files = []map[string]any{{"filename": "src/Crowdsale.sol", "status": "modified", "changes": changes, "patch": patch}}
			s.noGit()
			return []string{"GET /pulls/7", "GET /pulls/7/files", "GET /contents/sightline.yml", "GET /contents/.github/sightline.yml"}
		},
	} {
		s := pullRequest(t, "base", "head", nil)
		calls := prepare(s)
		s.act()
		s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(calls, firstComment, uploadCalls)...)
		r := s.intact()
		// Alerts are at the lines of what was checked out.
		sha, ref := s.env["GITHUB_SHA"], "refs/pull/7/merge"
		if rung == 2 {
			sha, ref = strings.TrimSpace(s.git("rev-parse", "HEAD")), "refs/pull/7/head"
		}
		if u := s.fake.Uploads()[0]; u.SHA != sha || u.Ref != ref {
			t.Errorf("rung %d: uploaded for %s, %s; want %s, %s", rung+1, u.SHA, u.Ref, sha, ref)
		}
		if body := s.fake.Comments[0].Body; !strings.Contains(body, "/blob/"+sha+"/src/Crowdsale.sol#L") {
			t.Errorf("rung %d: links do not lead to %s:\n%s", rung+1, sha, body)
		}
		for i := range r.Lines { // what of it a campaign reaches is no matter of the diff
			l := &r.Lines[i]
			l.Status, l.Reason, l.Partly, l.Barrier = "", "", nil, nil
		}
		if lines == nil {
			lines = r.Lines
		}
		if fmt.Sprint(r.Lines) != fmt.Sprint(lines) || len(lines) == 0 {
			t.Errorf("rung %d: lines\n%+v\nwant\n%+v", rung+1, r.Lines, lines)
		}
	}
	s := pullRequest(t, "base", "head", nil)
	s.noGit()
	s.fake.Scripted["GET /repos/{owner}/{repo}/pulls/{pull_number}/files"] = []fakegithub.Answer{{Status: 404}}
	s.act()
	s.want(3, map[string]string{"verdict": "error"}, slices.Concat([]string{"GET /pulls/7", "GET /pulls/7/files"}, firstComment)...)
	s.says("the diff is unavailable", "`fetch-depth: 2`")
	if body := s.fake.Comments[0].Body; !strings.Contains(body, "What would help, in the workflow:\n\n```yaml\n- uses: actions/checkout@v4\n  with:\n    fetch-depth: 2") {
		t.Errorf("the comment does not say what would help:\n%s", body)
	}
}

func (s *scene) shallow(depth string) {
	s.checkout(s.env["GITHUB_SHA"], depth)
	s.build("head")
}

// headCheckedOut has the branch checked out instead of the merge commit.
func (s *scene) headCheckedOut() []string {
	base, head := strings.TrimSpace(s.git("rev-parse", "HEAD^1")), strings.TrimSpace(s.git("rev-parse", "HEAD^2"))
	s.shallow("2")
	s.workspace = s.repo.Checkout(head, "1")
	s.env["GITHUB_WORKSPACE"] = s.workspace
	s.build("head")
	s.fake.Bases = map[string]string{base + "..." + head: s.repo.Parent(head)}
	return []string{"GET /compare/" + base + "..." + head, "git fetch"}
}

// noGit leaves the sources without a repository.
func (s *scene) noGit() {
	if err := os.RemoveAll(filepath.Join(s.workspace, ".git")); err != nil {
		s.t.Fatal(err)
	}
}

// Names, paths and messages of a pull request are shown, and do nothing.
func TestActionHostileNames(t *testing.T) {
	t.Parallel()
	evil := "src/`@octo-team` <img src=x> ![a](evil.test) \u202e ::set-output name=verdict::pass #1.sol"
	s := pullRequest(t, "base", "head", map[string]string{evil: "pragma solidity ^0.8.0;\n// ::error::forged\n"})
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(firstComment, uploadCalls)...)
	s.intact()
	for _, c := range s.commands() {
		if strings.Contains(c, "::set-output") && !strings.HasPrefix(c, "::notice ") && !strings.HasPrefix(c, "::warning ") && !strings.HasPrefix(c, "::error ") {
			t.Errorf("a command of the pull request: %s", c)
		}
	}
	for _, markup := range []string{"<img", "@octo-team` ", "\u202e", "![a]("} {
		if body := s.fake.Comments[0].Body; strings.Contains(body, markup) {
			t.Errorf("the comment holds %q:\n%s", markup, body)
		}
	}
}

func TestActionRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		variable, value string
		code            int
		want            string
	}{
		"pull_request_target": {"GITHUB_EVENT_NAME", "pull_request_target", 2, "Sightline refuses to run on it; use `on: pull_request`"},
		"other event":         {"GITHUB_EVENT_NAME", "label", 2, "does not say what changed"},
		"no payload":          {"GITHUB_EVENT_PATH", "/nowhere", 2, "cannot be read"},
		"fail-on":             {"INPUT_FAIL-ON", "hihg", 2, "--fail-on \"hihg\""},
		"timeout":             {"INPUT_TIMEOUT", "soon", 2, "the input timeout is \"soon\""},
		"comment":             {"INPUT_COMMENT", "sometimes", 2, "want always, on-findings or never"},
		"upload-sarif":        {"INPUT_UPLOAD-SARIF", "perhaps", 2, "want true or false"},
		"max-minutes":         {"INPUT_MAX-MINUTES", "0", 2, "want minutes, more than 0"},
		"max-minutes NaN":     {"INPUT_MAX-MINUTES", "NaN", 2, "want minutes, more than 0"},
		"max-minutes used up": {"INPUT_MAX-MINUTES", "0.00001", 3, "max-minutes ran out"},
		"config":              {"INPUT_CONFIG", "gate.yml", 2, "which the base does not have"},
	} {
		s := pullRequest(t, "base", "head", nil)
		delete(s.env, "INPUT_TOKEN")
		s.env[c.variable] = c.value
		s.act()
		s.want(c.code, map[string]string{"verdict": "error"})
		if c.variable != "GITHUB_EVENT_NAME" && c.variable != "GITHUB_EVENT_PATH" {
			s.intact()
		}
		if !strings.Contains(strings.Join(s.commands(), "\n"), strings.ReplaceAll(c.want, "\"", "\"")) {
			t.Errorf("%s: no annotation says %q:\n%s", name, c.want, s.log)
		}
	}
}

// A canceled run keeps what it has, and does not call GitHub.
func TestActionCanceled(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(*scene) *exec.Cmd{"container": (*scene).command, "native": (*scene).native} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pullRequest(t, "base", "head", nil)
			delete(s.env, "INPUT_TEST-LIMIT")
			s.env["INPUT_TIMEOUT"] = "60"
			s.cancel(command(s), "FOUND")
			s.want(130, map[string]string{"findings": "1"})
			s.intact()
		})
	}
}
