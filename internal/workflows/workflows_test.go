package workflows

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/internal/workflowfile"
)

const root = "../.."

// published is a workflow that we run, or that users paste.
type published struct {
	where string
	text  string
}

// all returns the workflows: this repository's, those for others, those that sightline init
// writes, and those that pages show.
func all(t *testing.T) []published {
	t.Helper()
	var found []published
	for _, pattern := range []string{".github/workflows/*.yml", "docs/workflows/*.yml", "internal/setup/testdata/*.yml"} {
		for name, text := range read(t, pattern) {
			found = append(found, published{name, text})
		}
	}
	for _, page := range []string{"README.md", "docs/*.md", "examples/*.md", "CONTRIBUTING.md"} {
		for name, text := range read(t, page) {
			for i, block := range fence.FindAllStringSubmatch(text, -1) {
				if jobs.MatchString(block[1]) {
					found = append(found, published{fmt.Sprintf("%s, block %d", name, i+1), block[1]})
				}
			}
		}
	}
	for _, page := range []string{"README.md", "docs/action.md"} {
		if !slices.ContainsFunc(found, func(p published) bool { return strings.HasPrefix(p.where, page) }) {
			t.Errorf("%s shows no workflow", page)
		}
	}
	slices.SortFunc(found, func(a, b published) int { return strings.Compare(a.where, b.where) })
	return found
}

var (
	fence = regexp.MustCompile("(?ms)^```ya?ml *\n(.*?)^```")
	jobs  = regexp.MustCompile(`(?m)^jobs:`)
)

// read returns the texts of files by name.
func read(t *testing.T, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil || len(names) == 0 {
		t.Fatalf("no file is like %s (%v)", pattern, err)
	}
	texts := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		short, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.ToSlash(short)] = string(data)
	}
	return texts
}

// TestActionlint lints the workflows. Those for others are linted in a repository
// of their own, in which our action stands for its release: its inputs and outputs
// are checked as well.
func TestActionlint(t *testing.T) {
	for _, w := range all(t) {
		for _, p := range lint(t, "workflow.yml", w.text) {
			t.Errorf("%s:%d:%d: %s", w.where, p.Line, p.Column, p.Message)
		}
	}
}

func lint(t *testing.T, name, text string) []*actionlint.Error {
	t.Helper()
	text = ours.ReplaceAllString(text, "./$1")
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	copies := map[string]string{filepath.Join(".github", "workflows", name): text}
	for _, action := range []string{"action.yml", "native/action.yml", "Dockerfile"} {
		data, err := os.ReadFile(filepath.Join(root, action))
		if err != nil {
			t.Fatal(err)
		}
		copies[action] = string(data)
	}
	for name, content := range copies {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := linter.LintRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// TestActionlintSees holds that a wrong input or output of our actions would be
// seen: the linter ignores an action that it does not find.
func TestActionlintSees(t *testing.T) {
	for name, edit := range map[string][2]string{
		"pull-request.yml": {"max-minutes:", "max-minute:"},
		"foundry.yml":      {"build:", "builds:"},
		"release.yml":      {"outputs.out }}", "outputs.folder }}"},
		"matrix.yml":       {"step: shard", "steps: shard"},
		"nightly.yml":      {"issue: true", "issues: true"},
	} {
		data, err := os.ReadFile(filepath.Join(root, "docs", "workflows", name))
		if err != nil {
			t.Fatal(err)
		}
		if problems := lint(t, name, strings.Replace(string(data), edit[0], edit[1], 1)); len(problems) != 1 {
			t.Errorf("%s: problems %v, want one", name, problems)
		}
	}
}

// ours is a reference to our own action. In the repository it names the branch main, which
// exists before the first release; the release's workflow writes the tag in its place.
var ours = regexp.MustCompile(`sightline-evm/sightline/?(native)?@main\b`)

// pinned is a reference to a third-party action by its commit, with the release
// that this is.
var pinned = regexp.MustCompile(`^\s*-?\s*uses: [\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// byTag is one by the exact version, with a word on why.
var byTag = regexp.MustCompile(`^\s*-?\s*uses: [\w.-]+/[\w.-]+@v\d+\.\d+\.\d+$`)

// TestPinned: a third-party action is named by its commit, or, if that
// could not be confirmed, by its exact version and a note.
func TestPinned(t *testing.T) {
	for _, w := range all(t) {
		lines := strings.Split(w.text, "\n")
		for i, line := range lines {
			name, uses := strings.CutPrefix(strings.TrimLeft(line, " -"), "uses: ")
			if !uses || strings.HasPrefix(name, "./") || ours.MatchString(name) || pinned.MatchString(line) {
				continue
			}
			if !byTag.MatchString(line) || !strings.Contains(lines[i-1], "could not be looked up") {
				t.Errorf("%s:%d: %s is not pinned", w.where, i+1, name)
			}
		}
	}
}

// faults returns what a workflow lacks of what docs/action.md asks for, whatever job it is in.
func faults(text string) []string {
	w, err := workflowfile.Read([]byte(itself.ReplaceAllString(text, "${1}sightline-evm/sightline@main")))
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, f := range w.Faults(true) {
		if w.Group == "release" && strings.HasPrefix(f.Text, "no concurrency group") {
			continue // of all runs there is one, whatever the branch
		}
		found = append(found, f.Text)
	}
	return found
}

// itself is how this repository's own workflows name the action.
var itself = regexp.MustCompile(`(?m)(uses: )\./$`)

// TestWorkflows: what docs/action.md asks for holds in what we offer.
func TestWorkflows(t *testing.T) {
	for _, w := range all(t) {
		for _, fault := range faults(w.text) {
			t.Errorf("%s: %s", w.where, fault)
		}
	}
}

// TestFaultsAreSeen takes away from a workflow what it must have.
func TestFaultsAreSeen(t *testing.T) {
	text := read(t, "docs/workflows/pull-request.yml")["docs/workflows/pull-request.yml"]
	build := read(t, "docs/workflows/hardhat.yml")["docs/workflows/hardhat.yml"]
	sharded := read(t, "docs/workflows/nightly.yml")["docs/workflows/nightly.yml"]
	for edit, want := range map[[2]string]string{
		{"    permissions: {} #", "    #"}:                              "the job fuzz has permissions, and a shard needs none",
		{"    permissions: {} #", "    permissions: {issues: write} #"}: "the job fuzz has permissions, and a shard needs none",
		{"      issues: write", "      issues: read"}:                   "the job merge may not write issues",
		{"    needs: [plan, fuzz]\n    if: ${{ !cancelled() }}", "    needs: [plan, fuzz]\n    if: ${{ needs.plan.result == 'success' }}"}: "the job merge is skipped, and so passes",
		{"permissions:", "env:"}:                                     "no permissions are listed",
		{"  contents: read", "  actions: read"}:                      "no permissions are listed",
		{"concurrency:", "env:"}:                                     "no concurrency group",
		{workflowfile.OnlyPullRequests, "true"}:                      `cancel-in-progress is "true"`,
		{"  merge_group:", "  push:"}:                                "merge queue",
		{"  pull_request:", "  pull_request_target:"}:                "it runs on pull_request_target",
		{"  pull_request:", "  workflow_run:"}:                       "it runs on workflow_run",
		{"  pull_request:", "  pull_request:\n    paths: [src]"}:     "path filter",
		{"    timeout-minutes: 20\n", ""}:                            "no timeout-minutes",
		{"timeout-minutes: 20", "timeout-minutes: 15"}:               "ends before max-minutes",
		{"persist-credentials: false", "persist-credentials: true"}:  "token in the workspace",
		{"fetch-depth: 2", "fetch-depth: 1"}:                         `depth "1"`,
		{"    runs-on:", "    permissions: write-all\n    runs-on:"}: "all permissions",
		{"    if: ${{ !cancelled() }}", "    if: ${{ success() }}"}:  "is skipped, and so passes",
		{"      - uses: actions/download-artifact", "      - run: npm ci\n      - uses: actions/download-artifact"}: "runs something before the check",
	} {
		text := text
		if !strings.Contains(text, edit[0]) {
			text = build
		}
		if !strings.Contains(text, edit[0]) {
			text = sharded
		}
		if !strings.Contains(text, edit[0]) {
			t.Errorf("the workflow lacks %q", edit[0])
		}
		if found := strings.Join(faults(strings.Replace(text, edit[0], edit[1], 1)), "; "); !strings.Contains(found, want) {
			t.Errorf("%q instead of %q: the faults are %q, want %q", edit[1], edit[0], found, want)
		}
	}
}

// TestPinBases: every base gets the digest that the registry names, and nothing
// else becomes one.
func TestPinBases(t *testing.T) {
	script, err := filepath.Abs(filepath.Join(root, "hack", "pin-bases.sh"))
	if err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	for answer, works := range map[string]bool{digest: true, "": false, "sha256:abc": false, digest + "\nx": false} {
		dir := t.TempDir()
		docker := "#!/bin/sh\nprintf '%s' '" + answer + "'\n"
		if err := programfile.Write(filepath.Join(dir, "docker"), []byte(docker), 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "Dockerfile")
		if err := os.WriteFile(path, dockerfile, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(script, path)
		cmd.Env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if (err == nil) != works {
			t.Errorf("digest %q: %v\n%s", answer, err, out)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bases := bytes.Count(dockerfile, []byte("\nFROM "))
		if want := map[bool]int{true: bases, false: 0}[works]; bytes.Count(got, []byte("@"+digest)) != want {
			t.Errorf("digest %q: the Dockerfile becomes\n%s", answer, got)
		}
	}
}
