package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
	"github.com/sightline-evm/sightline/report"
)

const (
	openIssue = "POST /repos/{owner}/{repo}/issues"
	listIssue = "GET /repos/{owner}/{repo}/issues"
)

// night is a run of the default branch, in which everything is as in the head of the example, or
// as in its base.
func night(t *testing.T, private bool, example map[string]string, build string) *scene {
	s := newScene(t)
	tip := s.repo.Commit("refs/heads/main", example)
	s.checkout(tip, "1")
	s.build(build)
	s.env["INPUT_ISSUE"], s.env["INPUT_ORACLES"] = "true", "assertion"
	s.env["INPUT_TEST-LIMIT"] = "20000" // with every line a target, the assert takes more of them than in a pull request
	s.night(private, tip)
	return s
}

func (s *scene) night(private bool, tip string) {
	s.event("schedule", "refs/heads/main", tip, map[string]any{"schedule": "0 3 * * *",
		"repository": map[string]any{"full_name": "octo/vault", "private": private, "default_branch": "main"}})
}

// again is the next night: with what the branch has by then.
func (s *scene) again(number string, example map[string]string, build string) {
	s.t.Helper()
	tip := s.repo.Commit("refs/heads/main", example)
	s.checkout(tip, "1")
	s.build(build)
	s.night(true, tip)
	s.fake.Forget()
	s.env["GITHUB_RUN_NUMBER"] = number
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		if err := os.Remove(s.env[name]); err != nil {
			s.t.Fatal(err)
		}
	}
	s.act()
}

// A bug that nights find is one issue from night to night: opened, updated, closed when it is mended, and
// opened again.
func TestActionIssue(t *testing.T) {
	t.Parallel()
	head, base := side(t, "crowdsale", "head", nil), side(t, "crowdsale", "base", nil)
	s := night(t, true, head, "head")
	s.env["INPUT_ISSUE-LABEL"] = "fuzzing\nnightly"
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "POST /issues"})...)
	s.intact()
	issue := s.issue("open")
	if !slices.Equal(issue.Labels, []string{"fuzzing", "nightly"}) || issue.Title != "Sightline: 1 finding (1 high)" {
		t.Errorf("issue %q with the labels %q", issue.Title, issue.Labels)
	}
	for _, part := range []string{"SL-36f8", "crowdsale.invest", "Foundry test", "Commit [`"} {
		if !strings.Contains(issue.Body, part) {
			t.Errorf("the issue lacks %q:\n%s", part, issue.Body)
		}
	}
	if !strings.Contains(s.log, "issue   opened: ") {
		t.Errorf("the log does not name it:\n%s", s.log)
	}

	s.again("813", head, "head")
	s.want(1, nil, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "PATCH /issues/101"})...)
	if issue = s.issue("open"); !strings.Contains(issue.Body, " run=813 ") || len(issue.Comments) > 0 {
		t.Errorf("the issue is\n%s\nwith the comments %q", issue.Body, issue.Comments)
	}

	s.again("814", base, "base")
	s.want(0, nil, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "PATCH /issues/101"})...)
	if issue = s.issue("closed"); issue.Reason != "completed" || strings.Contains(issue.Body, "SL-36f8") {
		t.Errorf("closed as %q:\n%s", issue.Reason, issue.Body)
	}

	s.again("815", head, "head")
	s.want(1, nil, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "PATCH /issues/101", "POST /issues/101/comments"})...)
	if issue = s.issue("open"); len(issue.Comments) != 1 || !strings.Contains(issue.Body, "SL-36f8") {
		t.Errorf("the issue is\n%s\nwith the comments %q", issue.Body, issue.Comments)
	}
}

// issue is the one issue that there is.
func (s *scene) issue(state string) fakegithub.Issue {
	s.t.Helper()
	if len(s.fake.Issues) != 1 {
		s.t.Fatalf("%d issues, want one\n%s", len(s.fake.Issues), s.log)
	}
	if i := s.fake.Issues[0]; i.State != state || i.Login != "github-actions[bot]" || !strings.HasPrefix(i.Body, report.IssuePrefix) {
		s.t.Errorf("the issue of %s is %s, want %s:\n%s", i.Login, i.State, state, i.Body)
	}
	return s.fake.Issues[0]
}

// On a public repository, nothing that a night writes tells more than that there is a bug, and how to
// see it; disclosure: full lifts that.
func TestActionIssueDisclosure(t *testing.T) {
	t.Parallel()
	head := side(t, "crowdsale", "head", nil)
	for _, full := range []bool{false, true} {
		s := night(t, false, head, "head")
		if full {
			s.env["INPUT_DISCLOSURE"] = "full"
		}
		s.act()
		s.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "POST /issues"})...)
		s.intact()
		issue := s.issue("open")
		for _, detail := range []string{"SL-36f8", "ssert fails", "high assertion"} {
			if told := strings.Contains(s.written()+issue.Body, detail); told != full {
				t.Errorf("disclosure full %v: %s is told: %v", full, detail, told)
			}
		}
		if said := strings.Contains(issue.Body, "**1 finding is not shown**") && strings.Contains(issue.Body, "sightline run --audit"); said == full {
			t.Errorf("disclosure full %v:\n%s", full, issue.Body)
		}
	}
}

// Whatever GitHub says, the verdict stays: a token that may not write issues, issues that are disabled,
// and marks that others have made.
func TestActionIssueRefused(t *testing.T) {
	t.Parallel()
	head := side(t, "crowdsale", "head", nil)
	denied := fakegithub.Answer{Status: 403, Body: map[string]string{"message": "Resource not accessible by integration"}}
	forged := fakegithub.Issue{Number: 7, Login: "mallory", Title: "x", State: "open", Body: report.IssuePrefix + "key=ci.yml/fuzz sha=abc run=999999 found= -->\nold"}
	for name, c := range map[string]struct {
		before func(s *scene)
		calls  []string
		says   []string
	}{
		"denied at once": {func(s *scene) { s.fake.Scripted = map[string][]fakegithub.Answer{listIssue: {denied}} }, []string{"GET /issues"},
			[]string{"::warning ", "The issue was not written: GitHub answers 403", "the workflow's token may lack `permissions: issues: write`"}},
		"may read": {func(s *scene) { s.fake.Scripted = map[string][]fakegithub.Answer{openIssue: {denied}} }, []string{"GET /issues", "GET /user", "POST /issues"},
			[]string{"::warning ", "The issue was not written: GitHub answers 403", "the workflow's token may lack `permissions: issues: write`"}},
		"disabled": {func(s *scene) { s.fake.NoIssues = true }, []string{"GET /issues", "GET /user", "POST /issues"},
			[]string{"::warning ", "issues are disabled for this repository"}},
		"forged": {func(s *scene) { s.fake.Issues = []fakegithub.Issue{forged} }, []string{"GET /issues", "GET /user", "POST /issues"}, []string{"::error "}},
		"of another branch": {func(s *scene) { s.env["GITHUB_REF"] = "refs/heads/feature" }, nil,
			[]string{"::notice ", "The issue was not written: it is about the default branch"}},
	} {
		s := night(t, true, maps.Clone(head), "head")
		c.before(s)
		s.act()
		s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(uploadCalls, c.calls)...)
		s.says(c.says...)
		if name == "forged" && (len(s.fake.Issues) != 2 || s.fake.Issues[0].Body != forged.Body) {
			t.Errorf("the issues are %+v", s.fake.Issues)
		}
	}
}

// A run that could not fuzz says nothing about the branch.
func TestActionIssueOfError(t *testing.T) {
	t.Parallel()
	s := night(t, true, side(t, "crowdsale", "head", nil), "base") // a build of other sources
	s.fake.Issues = []fakegithub.Issue{{Number: 7, Login: "github-actions[bot]", Title: "x", State: "open", Body: report.IssuePrefix + "key=ci.yml/fuzz sha=abc run=1 found=SL-1 -->\nold"}}
	s.act()
	s.want(2, map[string]string{"verdict": "error"})
	if s.fake.Issues[0].State != "open" {
		t.Error("the issue was closed")
	}
}

// A pull request never writes an issue, whatever its workflow asks for.
func TestActionIssueOfPullRequest(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.env["INPUT_ISSUE"] = "true"
	s.act()
	s.want(1, nil, slices.Concat(firstComment, uploadCalls)...)
	s.says("::notice ", "The issue was not written: it is about the default branch")
}

// Texts of the project in findings are text in an issue: no markup, no mention, no command.
func TestActionIssueHostile(t *testing.T) {
	t.Parallel()
	const source = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;
contract Vault {
    uint256 public total;
    function add(uint8 amount) external {
        total += amount;
        require(amount != 3, "\n::error::PWNED\n</details><img src=x onerror=alert(1)> @octocat #1");
        assert(amount != 7); // TICKS </code></pre> @octocat <img src=x> <!-- sightline-issue:v1 key=ci.yml/fuzz -->
    }
}
`
	s := newScene(t)
	tip := s.repo.Commit("refs/heads/main", map[string]string{"src/@octocat <img src=x>.sol": strings.ReplaceAll(source, "TICKS", "```")})
	s.checkout(tip, "1")
	s.env["INPUT_ISSUE"], s.env["INPUT_ORACLES"], s.env["SIGHTLINE_NODE_MODULES"] = "true", "assertion", nodeModules(t)
	s.night(true, tip)
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "POST /issues"})...)
	s.intact()
	body := s.issue("open").Body
	if !strings.Contains(body, "Assert fails") {
		t.Errorf("the issue lacks the finding:\n%s", body)
	}
	fence := ""
	for i, line := range strings.Split(body, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence == "" && i > 0:
			for _, markup := range []string{"<img", " @octocat", "<!--", "::error"} {
				if spans := regexp.MustCompile("`[^`]*`").ReplaceAllString(line, ""); strings.Contains(spans, markup) {
					t.Errorf("line %d holds %q: %s", i+1, markup, line)
				}
			}
		case strings.Contains(line, "<!--") && i > 0:
			t.Errorf("line %d could be taken for the marker: %s", i+1, line)
		}
	}
	for _, c := range s.commands() {
		if strings.HasPrefix(c, "::error::PWNED") {
			t.Error("a text of the project is a command")
		}
	}
}
