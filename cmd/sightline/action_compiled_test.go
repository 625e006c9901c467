package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// This file has the runs of the action that compile, and those in odd
// surroundings.

// compiled is the scene of a pull request that changes one source, with solc at
// hand.
func compiled(t *testing.T, before, after string) *scene {
	t.Helper()
	return compiledFile(t, "src/C.sol", before, after)
}

func compiledFile(t *testing.T, name, before, after string) *scene {
	t.Helper()
	s := newScene(t)
	base := s.repo.Commit("refs/heads/main", map[string]string{name: before})
	head := s.repo.Commit("", map[string]string{name: after}, base)
	merge := s.repo.Commit("refs/pull/7/merge", map[string]string{name: after}, base, head)
	s.checkout(merge, "2")
	s.env["SIGHTLINE_NODE_MODULES"] = nodeModules(t)
	repo := map[string]any{"full_name": "octo/vault"}
	s.event("pull_request", "refs/pull/7/merge", merge, map[string]any{"pull_request": map[string]any{"number": 7,
		"base": map[string]any{"sha": base, "repo": repo}, "head": map[string]any{"sha": head, "repo": repo}}})
	return s
}

const counter = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract C {
    uint256 public n;
    function add(uint256 x) external { %s }
}
`

// Sources that do not compile do not pass, and the pull request says why.
func TestActionCompileError(t *testing.T) {
	t.Parallel()
	s := compiled(t, fmt.Sprintf(counter, "n += x;"), fmt.Sprintf(counter, "n += y; /*\n::error::forged\n*/"))
	s.act()
	s.want(3, map[string]string{"verdict": "error", "findings": "0"}, firstComment...)
	s.intact()
	s.says("::error ", "title=Sightline%3A error", "Undeclared identifier")
	s.says("::error ", "file=src/C.sol", "line=5", "col=45", "title=Sightline%3A could not fuzz")
	if body := s.fake.Comments[0].Body; !strings.Contains(body, "Undeclared identifier") {
		t.Errorf("the comment does not say why:\n%s", body)
	}
	for _, c := range s.commands() {
		if strings.HasPrefix(c, "::error::forged") {
			t.Error("a source's comment is a command")
		}
	}
}

// If the base does not compile, only the comparison with it is unknown.
func TestActionBaseDoesNotCompile(t *testing.T) {
	t.Parallel()
	s := compiled(t, fmt.Sprintf(counter, "n += y;"), fmt.Sprintf(counter, "n += x; assert(x != 7);"))
	s.act()
	s.want(1, map[string]string{"verdict": "fail", "findings": "1", "new-findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	if r := s.intact(); r.Findings[0].Comparison != "unknown" {
		t.Errorf("the finding is %s", r.Findings[0].Comparison)
	}
}

// More findings than GitHub shows: every limit holds, and the report has all.
func TestActionManyFindings(t *testing.T) {
	t.Parallel()
	var head strings.Builder
	head.WriteString("// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract C {\n")
	const functions = 60
	for i := range functions {
		fmt.Fprintf(&head, "    function f%d_%s(uint256 x) external pure { assert(x != %d); }\n", i, strings.Repeat("long", 25), 1000+i)
	}
	head.WriteString("}\n")
	s := compiled(t, "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract C {\n}\n", head.String())
	s.env["INPUT_TEST-LIMIT"] = "90000"
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(firstComment, uploadCalls)...)
	r := s.intact()
	if len(r.Findings) <= 50 {
		t.Fatalf("%d findings, want more than 50", len(r.Findings))
	}
	shown := map[string]int{}
	for _, c := range s.commands() {
		level, _, _ := strings.Cut(strings.TrimPrefix(c, "::"), " ")
		shown[level]++
	}
	if shown["error"] != 10 || shown["warning"] > 10 || shown["notice"] > 10 || !strings.Contains(s.log, "more annotations are not shown") {
		t.Errorf("annotations %v", shown)
	}
	if n := len(s.fake.Comments[0].Body); n > github.MaxComment {
		t.Errorf("a comment of %d bytes", n)
	}
	if n := len(s.read("summary")); n > github.MaxSummary {
		t.Errorf("a summary of %d bytes", n)
	}
}

// A change whose report is larger than GitHub takes: comment and summary say less,
// the files have all.
func TestActionHugeReport(t *testing.T) {
	t.Parallel()
	var head strings.Builder
	head.WriteString("// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract C {\n    uint256 public n;\n    bool armed;\n")
	long := strings.Repeat("long", 90)
	fmt.Fprintf(&head, "    function arm_%s() external { armed = true; }\n", long)
	for i := range 20 { // findings, of two calls each
		fmt.Fprintf(&head, "    function f%d_%s(uint256 x) external view { assert(!armed || x != %d); }\n", i, long, 1000+i)
	}
	wide := strings.Repeat("w", 150)
	head.WriteString("    function reached() external {\n")
	for i := range 750 {
		fmt.Fprintf(&head, "        n = %d; // %s\n        // %s\n", i, wide, wide)
	}
	head.WriteString("    }\n")
	for i := range 60 { // of each another thing is to be said
		fmt.Fprintf(&head, "    function unreached%d(bytes32 x) external {\n        if (keccak256(abi.encode(x)) == 0)\n            n = %d;\n    }\n", i, i)
	}
	head.WriteString("}\n")
	file := strings.Repeat(strings.Repeat("d", 56)+"/", 5) + "C.sol" // shown and linked in every row
	s := compiledFile(t, file, "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\ncontract C {\n}\n", head.String())
	s.env["INPUT_TEST-LIMIT"] = "90000"
	s.act()
	s.want(1, map[string]string{"verdict": "fail"}, slices.Concat(firstComment, uploadCalls)...)
	r := s.intact()
	if len(r.Findings) != 20 || len(r.Lines) < 1_500 {
		t.Fatalf("%d findings, %d lines", len(r.Findings), len(r.Lines))
	}
	comment, summary := s.fake.Comments[0].Body, s.read("summary")
	if len(comment) > report.MaxComment || strings.Contains(comment, "```mermaid") || strings.Contains(comment, "sightline replay") || !strings.Contains(comment, "in the [summary](") {
		t.Errorf("a comment of %d bytes, which leaves nothing out:\n%.3000s", len(comment), comment)
	}
	if len(summary) > report.MaxSummary || strings.Contains(summary, "sightline replay") || !strings.Contains(summary, "in `report.json`") {
		t.Errorf("a summary of %d bytes, which leaves nothing out:\n%.3000s", len(summary), summary)
	}
	whole := 0 // of what the summary would hold: a row with the path twice
	for _, l := range r.Lines {
		whole += 2*len(l.File) + len(l.Text)
	}
	if whole < 1<<20 {
		t.Errorf("the report's lines alone have %d bytes, want more than a summary may have", whole)
	}
}

// In a container the files of the checkout belong to another user, which git
// refuses unless it is told otherwise.
func TestActionForeignOwner(t *testing.T) {
	t.Parallel()
	for _, depth := range []string{"1", "2"} {
		s := pullRequest(t, "base", "head", nil)
		s.checkout(s.env["GITHUB_SHA"], depth)
		s.build("head")
		real, err := exec.LookPath("git")
		if err != nil {
			t.Fatal(err)
		}
		bin := t.TempDir()
		// git's own switch for testing what it does in another user's folder.
		script := "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec " + real + " \"$@\"\n"
		if err := programfile.Write(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(filepath.Join(bin, "git"), "-C", s.workspace, "status").CombinedOutput(); err == nil || !strings.Contains(string(out), "dubious ownership") {
			t.Fatalf("git does not refuse: %v\n%s", err, out)
		}
		s.env["PATH"] = bin + string(os.PathListSeparator) + s.env["PATH"]
		s.act()
		calls := slices.Concat(firstComment, uploadCalls)
		if depth == "1" {
			calls = slices.Concat([]string{"git fetch"}, calls)
		}
		s.want(1, map[string]string{"verdict": "fail"}, calls...)
		s.intact()
	}
}

func TestActionDispatch(t *testing.T) {
	t.Parallel()
	for base, c := range map[string]struct {
		code    int
		verdict string
		calls   []string
	}{
		"v1": {1, "fail", slices.Concat([]string{"git fetch"}, uploadCalls)},
		"v9": {3, "error", []string{"git fetch"}},
	} {
		s := newScene(t)
		old := s.repo.Commit("refs/tags/v1", side(t, "crowdsale", "base", nil))
		tip := s.repo.Commit("refs/heads/main", side(t, "crowdsale", "head", nil), old)
		s.checkout(tip, "1")
		s.build("head")
		s.event("workflow_dispatch", "refs/heads/main", tip, map[string]any{"inputs": map[string]any{"base": base}})
		s.act()
		s.want(c.code, map[string]string{"verdict": c.verdict}, c.calls...)
		s.intact()
		if c.code == 3 {
			s.says("::error ", "the named base", "`fetch-depth: 2`")
		}
	}
}

// If canceled before anything was fuzzed, it says so, in files as well.
func TestActionCanceledBuild(t *testing.T) {
	t.Parallel()
	s := compiled(t, fmt.Sprintf(counter, "n += x;"), fmt.Sprintf(counter, "n += x; assert(x != 7);"))
	s.cancel(s.command(), "compiling")
	s.want(130, map[string]string{"verdict": "error", "findings": "0"})
	if r := s.intact(); r.Reason != "the run was canceled before anything was fuzzed" {
		t.Errorf("the reason is %q", r.Reason)
	}
}
