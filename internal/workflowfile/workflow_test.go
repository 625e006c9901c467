package workflowfile

import (
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/docs/workflows"
)

// TestRead: what is read, in all forms that GitHub takes.
func TestRead(t *testing.T) {
	w, err := Read([]byte(`on: [push, pull_request]
permissions: read-all
concurrency: group-${{ github.ref }}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: make
  b:
    needs: [a]
    permissions: {contents: read}
    timeout-minutes: ${{ inputs.minutes }}
    steps:
      - uses: sightline-evm/sightline/native@v1.2.3
        with: {timeout: 5, offline: true}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Events) != 2 || !w.AllAllowed || w.Group != "group-${{ github.ref }}" || !w.Fuzzes() || len(w.Jobs) != 2 {
		t.Errorf("workflow %+v", w)
	}
	b := &w.Jobs[1]
	granted, all := w.Granted(b)
	if all || granted["contents"] != "read" || b.Needs[0] != "a" || b.Steps[0].Ref() != "v1.2.3" || b.Steps[0].With["timeout"] != "5" || b.Line != 9 || b.Steps[0].Line != 14 {
		t.Errorf("job %+v", b)
	}
	if _, all := w.Granted(&w.Jobs[0]); !all {
		t.Error("a job without permissions has not those of the workflow")
	}
	for text, want := range map[string]string{
		"":                                 "line 1: not a workflow",
		"- a":                              "line 1: not a workflow",
		"on: push\n":                       "want `jobs:`",
		"a: [":                             "not valid YAML",
		strings.Repeat("#", MaxSize+1):     "the limit is",
		"jobs: none":                       "want `jobs:`",
		"on: push\njobs:\n  a: 1\n  b: []": "",
	} {
		_, err := Read([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// TestPublished: the published workflows lack nothing, neither with all of their jobs nor as users have them.
func TestPublished(t *testing.T) {
	for _, text := range []string{workflows.Foundry, workflows.Hardhat, workflows.Plain} {
		w, err := Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if found := append(w.Faults(true), w.Faults(false)...); len(found) > 0 {
			t.Errorf("faults %v", found)
		}
	}
}

// TestFaultsOfUsers takes away from a workflow what it must have: each is one fault of the jobs that fuzz,
// or advice, on its line.
func TestFaultsOfUsers(t *testing.T) {
	for edit, want := range map[[2]string]struct {
		text   string
		line   int
		advice bool
	}{
		{"  contents: read\n  pull-requests: write # the comment\n", "  issues: read\n  pull-requests: write\n"}: {"may not read the repository", 15, false},
		{"  pull-requests: write # the comment\n", ""}:                                                           {"may not comment", 14, true},
		{"  security-events: write # the alerts\n", ""}:                                                          {"may not upload alerts", 14, true},
		{"permissions:", "env:"}: {"nothing says what the job fuzz may do", 15, false},
		{"  contents: read\n  pull-requests: write # the comment\n  security-events: write # the alerts\n", "  write-all\n"}: {"has all permissions", 13, false},
		{"fetch-depth: 2", "fetch-depth: 1"}:             {`depth "1"`, 19, false},
		{"          fetch-depth: 2", "          ref: x"}: {`depth "1"`, 19, false},
		{"fetch-depth: 2", "fetch-depth: 0"}:             {"", 0, false},
		{"max-minutes: 15", "max-minutes: 20"}:           {"ends before max-minutes", 33, true},
		{"      - uses: actions/cache@", "      - run: npm ci --ignore-scripts\n      - uses: actions/cache@"}: {"", 0, false},
		{"      - uses: actions/cache@", "      - run: npm ci\n      - uses: actions/cache@"}:                  {"runs something before the check", 15, false},
		{"  pull_request:\n", "  pull_request_target:\n"}:                                                      {"it runs on pull_request_target", 0, false},
	} {
		if !strings.Contains(workflows.Plain, edit[0]) {
			t.Errorf("the workflow lacks %q", edit[0])
			continue
		}
		w, err := Read([]byte(strings.Replace(workflows.Plain, edit[0], edit[1], 1)))
		if err != nil {
			t.Errorf("%q: %v", edit[1], err)
			continue
		}
		var seen []string
		found := want.text == ""
		for _, f := range w.Faults(false) {
			seen = append(seen, f.Text)
			found = found || strings.Contains(f.Text, want.text) && f.Line == want.line && f.Advice == want.advice
		}
		if !found || want.text == "" && len(seen) > 0 {
			t.Errorf("%q instead of %q: the faults are %+v, want %+v", edit[1], edit[0], w.Faults(false), want)
		}
	}
}

// FuzzRead: no text breaks the reader, and what is read is a workflow whose faults can be listed.
func FuzzRead(f *testing.F) {
	for _, text := range []string{workflows.Foundry, workflows.Plain, "on: push\njobs: {a: {steps: [{uses: x, with: [1]}]}}", "on: {push: {paths: [a]}}\njobs:\n  a:\n    needs: a\n    permissions: none\n",
		"a: &a [*a]", "jobs: &j {a: *j}", "<<: {on: push}\njobs: {}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Read(data)
		if err != nil {
			return
		}
		for _, f := range append(w.Faults(true), w.Faults(false)...) {
			if f.Text == "" || f.Line < 0 || f.Line > strings.Count(string(data), "\n")+strings.Count(string(data), "\r")+1 {
				t.Errorf("fault %+v", f)
			}
		}
	})
}
