package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/report"
)

// This file has the runs that follow each other on one pull request.

// push is the next push to the scene's pull request: another run of the workflow, in
// a checkout of its own, with the folder .sightline as the cache gives it back. It
// returns the commit as people see it.
func (s *scene) push(files map[string]string) string {
	s.t.Helper()
	before := s.workspace
	base := strings.TrimSpace(s.git("rev-parse", "HEAD^1"))
	number, err := strconv.Atoi(s.env["GITHUB_RUN_NUMBER"])
	if err != nil {
		s.t.Fatal(err)
	}
	s.env["GITHUB_RUN_NUMBER"] = strconv.Itoa(number + 1)
	files["pushes.md"] = s.env["GITHUB_RUN_NUMBER"] // every push is a commit of its own
	head := s.repo.Commit("", files, base)
	merge := s.repo.Commit("refs/pull/7/merge", files, base, head)
	s.checkout(merge, "2")
	repo := map[string]any{"full_name": "octo/vault"}
	s.event("pull_request", "refs/pull/7/merge", merge, map[string]any{"pull_request": map[string]any{"number": 7,
		"base": map[string]any{"sha": base, "repo": repo}, "head": map[string]any{"sha": head, "repo": repo}}})
	if err := os.CopyFS(filepath.Join(s.workspace, ".sightline"), os.DirFS(filepath.Join(before, ".sightline"))); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		if err := os.Remove(s.env[name]); err != nil {
			s.t.Fatal(err)
		}
	}
	s.fake.Forget()
	return head[:12]
}

// A push that leaves the bug says so, one that mends it says in which commit; the
// comment is always the same one.
func TestActionFixed(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	first := strings.TrimSpace(s.git("rev-parse", "HEAD^2"))[:12]
	s.env["INPUT_REMEMBER"] = ".sightline/findings.json"
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "new-findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	s.intact()
	next := slices.Concat([]string{"GET /issues/7/comments", "GET /user", "PATCH /issues/comments/1001"}, uploadCalls)

	// Twenty calls would not find it again: the remembered ones are tried first.
	s.push(side(t, "crowdsale", "head", nil))
	s.build("head")
	s.env["INPUT_TEST-LIMIT"] = "20"
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1"}, next...)
	if r := s.intact(); r.Findings[0].Since != first {
		t.Errorf("it fails since %q, want %q", r.Findings[0].Since, first)
	}
	if body := s.fake.Comments[0].Body; !strings.Contains(body, "Still fails, as in "+first) {
		t.Errorf("the comment does not say that it still fails:\n%s", body)
	}
	if alerts := string(s.fake.Uploads()[0].SARIF); !strings.Contains(alerts, `"ruleId": "assertion"`) {
		t.Errorf("no alert:\n%s", alerts)
	}

	files := side(t, "crowdsale", "head", nil)
	const file, broken, mended = "src/Crowdsale.sol", "uint256 amount = address(this).balance;", "uint256 amount = raised;"
	files[file] = strings.Replace(files[file], broken, mended, 1)
	fix := s.push(files)
	delete(s.env, "INPUT_BUILD") // of other sources
	s.env["SIGHTLINE_NODE_MODULES"] = nodeModules(t)
	s.env["INPUT_TEST-LIMIT"] = "2000"
	s.act()
	s.want(0, map[string]string{"verdict": "pass", "findings": "0", "new-findings": "0"}, next...)
	if r := s.intact(); len(r.Fixed) != 1 || r.Fixed[0].In != fix || r.Fixed[0].Since != first {
		t.Errorf("fixed %+v, want one of %s in %s", r.Fixed, first, fix)
	}
	if body := s.fake.Comments[0].Body; len(s.fake.Comments) != 1 || !strings.Contains(body, "fixed in "+fix) {
		t.Errorf("the comment does not say what is fixed:\n%s", body)
	}
	if alerts := string(s.fake.Uploads()[0].SARIF); strings.Contains(alerts, `"ruleId"`) {
		t.Errorf("the alert stays open:\n%s", alerts)
	}
}

// A push that takes the whole change back leaves nothing to try: what was found is
// kept, and the comment says so.
func TestActionTakenBack(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.env["INPUT_REMEMBER"] = ".sightline/findings.json"
	s.act()
	s.push(side(t, "crowdsale", "base", nil))
	s.build("base")
	s.act()
	s.want(0, map[string]string{"verdict": "skipped"}, slices.Concat([]string{"GET /issues/7/comments", "GET /user", "PATCH /issues/comments/1001"}, uploadCalls)...)
	r := s.intact()
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "SL-36f8 of an earlier run was not tried: ") }) {
		t.Errorf("warnings %q", r.Warnings)
	}
	kept, err := os.ReadFile(filepath.Join(s.workspace, ".sightline", "findings.json"))
	if err != nil || !strings.Contains(string(kept), "SL-36f8") {
		t.Errorf("kept: %s, %v", kept, err)
	}
}

// Code that base lacks is the change's own.
func TestActionIntroduced(t *testing.T) {
	t.Parallel()
	const added = "    function spend(uint256 x) external { n -= x; assert(x != 7); }\n}\n"
	before := fmt.Sprintf(counter, "n += x;")
	s := compiled(t, before, strings.TrimSuffix(before, "}\n")+added)
	s.public()
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1", "new-findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	r := s.intact()
	if f := r.Findings[0]; f.Comparison != report.Introduced || f.Function != "spend" || !strings.HasPrefix(f.ComparisonReason, "it takes ") {
		t.Errorf("%s is %s: %s", f.Function, f.Comparison, f.ComparisonReason)
	}
	s.says("::error ", "title=SL-", "spend") // public, and shown all the same
}

// Saved inputs are cached by the default branch alone, under a name that says what
// they are, and only if they are nothing else.
func TestActionCorpus(t *testing.T) {
	t.Parallel()
	const prefix = "sightline-corpus:.:"
	for name, c := range map[string]struct {
		event, ref, more string
		saved            bool
	}{
		"nightly":          {"schedule", "refs/heads/main", "", true},
		"push":             {"push", "refs/heads/main", "", true},
		"another branch":   {"push", "refs/heads/feature", "", false},
		"tag":              {"push", "refs/tags/v9", "", false},
		"other files, too": {"schedule", "refs/heads/main", "run.sh", false},
	} {
		s := newScene(t)
		before := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "base", nil))
		tip := s.repo.Commit(c.ref, side(t, "crowdsale", "head", nil), before)
		s.checkout(tip, "2")
		s.build("head")
		s.event(c.event, c.ref, tip, map[string]any{"ref": c.ref, "before": before, "after": tip, "schedule": "0 3 * * *"})
		s.env["INPUT_CORPUS-DIR"] = ".sightline/corpus"
		s.env["INPUT_FAIL-ON"] = "none"
		s.env["INPUT_TEST-LIMIT"] = "2000"
		if c.more != "" {
			s.file(".sightline/corpus/"+c.more, "echo hello\n")
		}
		s.act()
		if s.code != 0 || s.values["corpus-restore-key"] != prefix {
			t.Errorf("%s: exit code %d, restored by %q:\n%s", name, s.code, s.values["corpus-restore-key"], s.log)
		}
		key := s.values["corpus-save-key"]
		if !regexp.MustCompile("^("+regexp.QuoteMeta(prefix)+"[0-9a-f]{32})?$").MatchString(key) || (key != "") != c.saved {
			t.Errorf("%s: saved under %q", name, key)
		}
		if c.more != "" {
			s.says("::warning ", "the saved inputs cannot be cached", c.more)
		}
		s.intact()
	}
	s := pullRequest(t, "head", "base", nil)
	s.env["INPUT_CORPUS-DIR"] = ".sightline/corpus"
	s.act()
	s.want(0, map[string]string{"verdict": "pass", "corpus-restore-key": prefix, "corpus-save-key": ""}, slices.Concat(firstComment, uploadCalls)...)
	s.intact()
}

// public makes the scene's repository public.
func (s *scene) public() {
	s.t.Helper()
	path := s.env["GITHUB_EVENT_PATH"]
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(`"private":true`)) {
		s.t.Fatalf("the payload does not say who sees the repository: %s", data)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte(`"private":true`), []byte(`"private":false`), 1), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
