package workflows

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v3"
)

const root = "../.."

// files are the workflows, those of the repository and those for others.
func files(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{".github/workflows/*.yml", "docs/workflows/*.yml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file is like %s (%v)", pattern, err)
		}
		all = append(all, found...)
	}
	return all
}

// TestActionlint lints the workflows. Those for others are linted in a repository
// of their own, in which our action stands for its release: its inputs and outputs
// are checked as well.
func TestActionlint(t *testing.T) {
	for _, file := range files(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range lint(t, filepath.Base(file), string(data)) {
			t.Errorf("%s:%d:%d: %s", file, p.Line, p.Column, p.Message)
		}
	}
}

func lint(t *testing.T, name, text string) []*actionlint.Error {
	t.Helper()
	text = strings.ReplaceAll(text, "sightline-evm/sightline/native@v0.1.0", "./native")
	text = strings.ReplaceAll(text, "sightline-evm/sightline@v0.1.0", "./")
	text = strings.ReplaceAll(text, "sightline-evm/sightline@main", "./") // before there is a release
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

// TestSnippets lints the workflows that pages show.
func TestSnippets(t *testing.T) {
	for _, page := range []string{"README.md", "docs/action.md"} {
		data, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		linted := 0
		for _, block := range strings.Split(string(data), "```yaml\n")[1:] {
			text, _, _ := strings.Cut(block, "```")
			if !strings.HasPrefix(text, "name:") {
				continue // a part of one, or another file
			}
			linted++
			for _, p := range lint(t, "snippet.yml", text) {
				t.Errorf("%s: line %d of a workflow: %s", page, p.Line, p.Message)
			}
			if !strings.Contains(text, "fetch-depth: 2") || !strings.Contains(text, "merge_group:") || !strings.Contains(text, "permissions:") {
				t.Errorf("%s: a workflow that is not as docs/action.md asks for", page)
			}
		}
		if linted == 0 {
			t.Errorf("%s shows no workflow", page)
		}
	}
}

// TestActionlintSees holds that a wrong input or output of our actions would be
// seen: the linter ignores an action that it does not find.
func TestActionlintSees(t *testing.T) {
	for name, edit := range map[string][2]string{
		"pull-request.yml": {"max-minutes:", "max-minute:"},
		"foundry.yml":      {"build:", "builds:"},
		"release.yml":      {"outputs.out }}", "outputs.folder }}"},
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

// pinned is a reference to a third-party action by its commit, with the release
// that this is.
var pinned = regexp.MustCompile(`^\s*-?\s*uses: [\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// byTag is one by the exact version, with a word on why.
var byTag = regexp.MustCompile(`^\s*-?\s*uses: [\w.-]+/[\w.-]+@v\d+\.\d+\.\d+$`)

// TestPinned: a third-party action is named by its commit, or, if that
// could not be confirmed, by its exact version and a note.
func TestPinned(t *testing.T) {
	for _, file := range files(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for i, line := range lines {
			name, uses := strings.CutPrefix(strings.TrimLeft(line, " -"), "uses: ")
			if !uses || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "sightline-evm/") || pinned.MatchString(line) {
				continue
			}
			if !byTag.MatchString(line) || !strings.Contains(lines[i-1], "could not be looked up") {
				t.Errorf("%s:%d: %s is not pinned", file, i+1, name)
			}
		}
	}
}

// workflow is what the tests below look at.
type workflow struct {
	On          yaml.Node
	Permissions map[string]string
	Jobs        map[string]struct {
		Minutes int `yaml:"timeout-minutes"`
		Steps   []struct {
			Uses string
			With map[string]string
		}
	}
}

// TestWorkflowsThatFuzz: what docs/action.md asks for holds in what we offer.
func TestWorkflowsThatFuzz(t *testing.T) {
	for _, file := range files(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(data, &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if w.Permissions["contents"] == "" {
			t.Errorf("%s: no permissions are set, so that all are given", file)
		}
		if bytes.Contains(data, []byte("pull_request_target")) || bytes.Contains(data, []byte("paths:")) {
			t.Errorf("%s: pull_request_target, or a path filter that hides a required check", file)
		}
		for name, job := range w.Jobs {
			if job.Minutes == 0 {
				t.Errorf("%s: the job %s has no timeout-minutes", file, name)
			}
			checkout, fuzzes := "", false
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") {
					checkout = step.With["fetch-depth"]
				}
				fuzzes = fuzzes || step.Uses == "./" || strings.HasPrefix(step.Uses, "sightline-evm/")
			}
			if fuzzes && !slices.Contains([]string{"0", "2"}, checkout) {
				t.Errorf("%s: the job %s checks out with depth %q", file, name, checkout)
			}
		}
		if bytes.Contains(data, []byte("\n  pull_request:")) && !bytes.Contains(data, []byte("\n  merge_group:")) {
			t.Errorf("%s: it does not report to a merge queue", file)
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
		if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(docker), 0o755); err != nil {
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
