package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
	"github.com/sightline-evm/sightline/report"
)

// This file has the campaigns on several machines: the jobs of a published workflow, one after the
// other, each on a machine of its own, with artifacts as folders.

// machines carry out a workflow for a scene.
type machines struct {
	*scene
	jobs      map[string]publishedJob
	plain     map[string]string // the scene's environment
	artifacts string
	shards    int
	lost      []int // shards that leave nothing
}

// publishedJob is a job of a published workflow.
type publishedJob struct {
	Permissions map[string]string
	Steps       []struct {
		Uses string
		If   string
		With map[string]string
	}
}

func carriedOut(t *testing.T, s *scene, workflow string, shards int) *machines {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "workflows", workflow))
	if err != nil {
		t.Fatal(err)
	}
	var w struct{ Jobs map[string]publishedJob }
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	s.env["GITHUB_WORKFLOW_REF"] = "octo/vault/.github/workflows/" + workflow + "@" + s.env["GITHUB_REF"]
	return &machines{scene: s, jobs: w.Jobs, plain: maps.Clone(s.env), artifacts: t.TempDir(), shards: shards}
}

// job runs our step of a job, with what the workflow gives to it, and some of what the scene does.
func (m *machines) job(name string, values map[string]string, kept ...string) {
	m.t.Helper()
	m.env = map[string]string{}
	for variable, value := range m.plain {
		if !strings.HasPrefix(variable, "INPUT_") || slices.Contains(kept, variable) {
			m.env[variable] = value
		}
	}
	ours := 0
	for _, step := range m.jobs[name].Steps {
		if !strings.HasPrefix(step.Uses, "sightline-evm/sightline@") {
			continue
		}
		ours++
		if _, given := step.With["token"]; !given {
			m.env["INPUT_TOKEN"] = secretToken // the action's default
		}
		for input, value := range step.With {
			m.env["INPUT_"+strings.ToUpper(input)] = m.evaluate(value, values)
		}
	}
	if ours != 1 {
		m.t.Fatalf("%d steps of ours in the job %s", ours, name)
	}
	m.env["GITHUB_JOB"] = name
	m.env["GITHUB_WORKSPACE"] = m.workspace
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		_ = os.Remove(m.env[file]) // of the job before, if there was one
	}
	// What a campaign is given in the workflow is too much for a test.
	for _, variable := range []string{"INPUT_TEST-LIMIT", "INPUT_WORKERS"} {
		if value := m.plain[variable]; value != "" && name != "fuzz" {
			m.env[variable] = value
		}
	}
	delete(m.env, "INPUT_TIMEOUT")
	m.fake.Forget()
	m.act()
}

var anyExpression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// evaluate replaces the expressions that a test knows; secrets are empty otherwise.
func (m *machines) evaluate(text string, values map[string]string) string {
	return anyExpression.ReplaceAllStringFunc(text, func(e string) string {
		name := anyExpression.FindStringSubmatch(e)[1]
		value, known := values[name]
		if !known && !strings.HasPrefix(name, "secrets.") {
			m.t.Errorf("the workflow uses %s", name)
		}
		return value
	})
}

// planned runs the first job, and keeps the plan.
func (m *machines) planned(values map[string]string) bool {
	m.t.Helper()
	m.job("plan", values, campaignInputs...)
	if m.values["plan"] == "" {
		return false
	}
	m.copy(filepath.Join(m.workspace, m.values["plan"]), filepath.Join(m.artifacts, "plan"))
	return true
}

// campaignInputs are those of a scene that steps in the checkout get.
var campaignInputs = []string{"INPUT_BUILD", "INPUT_ORACLES", "INPUT_SEED", "INPUT_OFFLINE", "INPUT_DISCLOSURE", "INPUT_FAIL-ON"}

// fuzzed runs the shards, each in an empty workspace.
func (m *machines) fuzzed(values map[string]string) {
	m.t.Helper()
	checkout := m.workspace
	defer func() { m.workspace = checkout }()
	for i := range m.shards {
		m.workspace = m.t.TempDir()
		m.copy(filepath.Join(m.artifacts, "plan"), filepath.Join(m.workspace, "sightline-plan.tar"))
		all := maps.Clone(values)
		if all == nil {
			all = map[string]string{}
		}
		all["matrix.shard"], all["strategy.job-total"] = fmt.Sprint(i), fmt.Sprint(m.shards)
		m.job("fuzz", all)
		m.want(0, map[string]string{})
		if commands := m.commands(); len(commands) > 0 {
			m.t.Errorf("shard %d says something to the runner: %q", i, commands)
		}
		if _, err := os.Stat(m.env["GITHUB_STEP_SUMMARY"]); err == nil {
			m.t.Errorf("shard %d writes a summary", i)
		}
		if !slices.Contains(m.lost, i) {
			m.copy(filepath.Join(m.workspace, "sightline-out"), filepath.Join(m.artifacts, "shards", fmt.Sprintf("sightline-shard-%d", i)))
		}
	}
}

// merged runs the last job, with the artifacts that there are.
func (m *machines) merged(values map[string]string) {
	m.t.Helper()
	for _, name := range []string{"sightline-plan.tar", "sightline-shards"} { // the machine is another one
		if err := os.RemoveAll(filepath.Join(m.workspace, name)); err != nil {
			m.t.Fatal(err)
		}
	}
	for artifact, name := range map[string]string{"plan": "sightline-plan.tar", "shards": "sightline-shards"} {
		if _, err := os.Stat(filepath.Join(m.artifacts, artifact)); err == nil {
			m.copy(filepath.Join(m.artifacts, artifact), filepath.Join(m.workspace, name))
		}
	}
	m.job("merge", values, campaignInputs...)
}

// copy copies a file or a folder.
func (m *machines) copy(from, to string) {
	m.t.Helper()
	info, err := os.Stat(from)
	if err == nil {
		err = os.RemoveAll(to)
	}
	if err != nil {
		m.t.Fatalf("%v\n%s", err, m.log)
	}
	if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			m.t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// A pull request that is fuzzed on three machines gets what one machine gives it; where one of them is
// killed, it says so.
func TestActionMatrix(t *testing.T) {
	t.Parallel()
	for _, lost := range [][]int{nil, {1}, {0, 1}} {
		m := carriedOut(t, pullRequest(t, "base", "head", nil), "matrix.yml", 3)
		m.lost = lost
		if !m.planned(nil) {
			t.Fatalf("no plan was written:\n%s", m.log)
		}
		m.want(0, map[string]string{"plan": "sightline-plan.tar"})
		m.fuzzed(nil)
		m.merged(nil)
		calls := slices.Concat(firstComment, uploadCalls)
		m.want(1, map[string]string{"verdict": "fail", "findings": "1", "new-findings": "1"}, calls...)
		r := m.intact()
		if r.Findings[0].ID != "SL-36f8" || r.Shards == nil || r.Shards.Complete != 3-len(lost) {
			t.Errorf("shards %+v, findings %+v", r.Shards, r.Findings)
		}
		said := strings.Contains(m.fake.Comments[0].Body, fmt.Sprintf("%d of 3 shards", 3-len(lost)))
		if said != (len(lost) > 0) {
			t.Errorf("%d lost, and the comment says\n%s", len(lost), m.fake.Comments[0].Body)
		}
	}
}

// Fewer shards than the quorum do not pass.
func TestActionMatrixQuorum(t *testing.T) {
	t.Parallel()
	m := carriedOut(t, pullRequest(t, "head", "base", nil), "matrix.yml", 3)
	m.lost = []int{0, 2}
	if !m.planned(nil) {
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	m.fuzzed(nil)
	m.merged(nil)
	m.want(3, map[string]string{"verdict": "error"}, firstComment...)
	m.intact()
	if err := os.RemoveAll(filepath.Join(m.artifacts, "shards")); err != nil {
		t.Fatal(err)
	}
	m.merged(nil)
	m.want(3, map[string]string{"verdict": "error"}, "GET /issues/7/comments", "GET /user", "PATCH /issues/comments/1001")
	if !strings.Contains(m.values["reason"], "no shard left anything") {
		t.Errorf("the reason is %q", m.values["reason"])
	}
}

// A change of no contract starts no shard, and one that does not compile ends in the merge as in a run.
func TestActionMatrixWithoutPlan(t *testing.T) {
	t.Parallel()
	m := carriedOut(t, pullRequest(t, "base", "base", map[string]string{"docs.md": "# Docs\n"}), "matrix.yml", 3)
	if m.planned(nil) {
		t.Error("there is a plan, with nothing in it")
	}
	m.want(0, map[string]string{"plan": ""})
	m.merged(nil)
	m.want(0, map[string]string{"verdict": "skipped"}, slices.Concat([]string{"GET /issues/7/comments", "GET /user"}, uploadCalls)...)
	m.intact()

	m = carriedOut(t, compiled(t, fmt.Sprintf(counter, "n += x;"), fmt.Sprintf(counter, "n += y;")), "matrix.yml", 3)
	if m.planned(nil) {
		t.Error("there is a plan of what does not compile")
	}
	m.want(3, map[string]string{"verdict": "error", "plan": ""})
	m.says("::error ", "Undeclared identifier")
	m.merged(nil)
	m.want(3, map[string]string{"verdict": "error"}, firstComment...)
}

const sealKey = "0123456789abcdef0123456789abcdef"

// On a public repository, what shards find is sealed, or nothing is fuzzed apart.
func TestActionMatrixPublic(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.public()
	m := carriedOut(t, s, "matrix.yml", 2)
	if m.planned(nil) {
		t.Error("there is a plan without a key")
	}
	m.want(0, map[string]string{"plan": ""})
	m.says("::notice ", "shard-key")
	m.merged(nil) // on its own machine
	m.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat(firstComment, uploadCalls)...)
	if r := m.intact(); r.Shards != nil {
		t.Errorf("it speaks of shards: %+v", r.Shards)
	}

	s = pullRequest(t, "base", "head", nil)
	s.public()
	m = carriedOut(t, s, "matrix.yml", 2)
	key := map[string]string{"secrets.SIGHTLINE_SHARD_KEY": sealKey}
	if !m.planned(key) {
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	m.fuzzed(key)
	for _, file := range below(t, filepath.Join(m.artifacts, "shards")) {
		if filepath.Base(file) != "shard.sealed" {
			t.Errorf("a public artifact has %s", file)
		}
	}
	m.merged(map[string]string{"secrets.SIGHTLINE_SHARD_KEY": sealKey + "0"})
	m.want(2, map[string]string{"verdict": "error"}, firstComment...)
	m.merged(key)
	m.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat([]string{"GET /issues/7/comments", "GET /user", "PATCH /issues/comments/1001"}, uploadCalls)...)
	if r := m.intact(); r.Shards == nil || r.Shards.Complete != 2 {
		t.Errorf("shards %+v", r.Shards)
	}
}

// below lists the files below a folder.
func below(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("no files below %s: %v", dir, err)
	}
	return list
}

// A shard that runs out of time leaves what it has, and one that is canceled seals it within the seconds that a runner
// gives it.
func TestActionShardStopped(t *testing.T) {
	t.Parallel()
	s := pullRequest(t, "base", "head", nil)
	s.env["INPUT_TEST-LIMIT"] = "1000000000"
	m := carriedOut(t, s, "matrix.yml", 1)
	if !m.planned(nil) {
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	m.workspace = t.TempDir()
	m.copy(filepath.Join(m.artifacts, "plan"), filepath.Join(m.workspace, "sightline-plan.tar"))
	for name := range m.env {
		if strings.HasPrefix(name, "INPUT_") {
			delete(m.env, name)
		}
	}
	_ = os.Remove(m.env["GITHUB_OUTPUT"]) // of the plan
	m.env["GITHUB_WORKSPACE"], m.env["INPUT_STEP"], m.env["INPUT_SHARD"] = m.workspace, "shard", "0/1"
	m.env["INPUT_MAX-MINUTES"] = "0.04"
	m.act()
	m.want(0, nil)
	if text, err := os.ReadFile(filepath.Join(m.workspace, "sightline-out", "shard.json")); err != nil || !strings.Contains(string(text), `"end":"canceled"`) || !strings.Contains(m.log, "max-minutes ran out") {
		t.Errorf("%v\n%.600s\n%s", err, text, m.log)
	}
	if err := os.RemoveAll(filepath.Join(m.workspace, "sightline-out")); err != nil {
		t.Fatal(err)
	}
	delete(m.env, "INPUT_MAX-MINUTES")
	m.env["INPUT_SHARD-KEY"] = sealKey
	m.cancel(m.command(), "reached  src/Crowdsale.sol")
	if m.code != 130 {
		t.Errorf("exit code %d", m.code)
	}
	if files := below(t, filepath.Join(m.workspace, "sightline-out")); len(files) != 1 || filepath.Base(files[0]) != "shard.sealed" {
		t.Errorf("it left %q:\n%s", files, m.log)
	}
}

// What a pull request commits in the place of a plan or of shards is refused.
func TestActionMatrixCommitted(t *testing.T) {
	t.Parallel()
	for name, job := range map[string]string{"sightline-plan.tar": "plan", "sightline-shards/sightline-shard-0/shard.json": "merge"} {
		m := carriedOut(t, pullRequest(t, "base", "head", map[string]string{name: "{}"}), "matrix.yml", 1)
		m.job(job, nil, campaignInputs...)
		if m.code != 2 || m.values["verdict"] != "error" || !strings.Contains(m.values["reason"], "which the repository has") {
			t.Errorf("%s: exit code %d, %q", name, m.code, m.values["reason"])
		}
	}
}

// Inputs that are wrong, or of another step, are said.
func TestActionStepInputs(t *testing.T) {
	t.Parallel()
	for input, want := range map[[2]string]string{
		{"INPUT_STEP", "plans"}:         `the input step is "plans"; want plan, shard, merge or nothing`,
		{"INPUT_SHARD", "0/2"}:          "the input shard belongs to the step shard",
		{"INPUT_SHARDS", "x"}:           "the input shards belongs to the step merge",
		{"INPUT_QUORUM", "0.5"}:         "the input quorum belongs to the step merge",
		{"INPUT_STEP", "merge quorum"}:  `the input quorum is "2"; want a share from 0 to 1`,
		{"INPUT_STEP", "merge key"}:     "the input shard-key: it has 8 characters; want at least 16",
		{"INPUT_STEP", "shard missing"}: "sightline-plan.tar",
	} {
		s := pullRequest(t, "base", "head", nil)
		delete(s.env, "INPUT_TOKEN")
		s.env[input[0]], _, _ = strings.Cut(input[1], " ")
		switch input[1] {
		case "merge quorum":
			s.env["INPUT_QUORUM"] = "2"
		case "merge key":
			s.env["INPUT_SHARD-KEY"] = "password"
		case "shard missing":
			for _, name := range campaignInputs {
				delete(s.env, name)
			}
		}
		s.act()
		if s.code != 2 || !strings.Contains(s.log, want) {
			t.Errorf("%v: exit code %d, want 2 and %q:\n%s", input, s.code, want, s.log)
		}
	}
}

// The nightly workflow fuzzes the default branch on several machines: one issue, and inputs that the next
// night begins with.
func TestActionNightly(t *testing.T) {
	t.Parallel()
	s := night(t, true, side(t, "crowdsale", "head", nil), "head")
	m := carriedOut(t, s, "nightly.yml", 2)
	if !m.planned(nil) {
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	m.want(0, nil)
	before := m.seeds()
	m.fuzzed(nil)
	m.merged(nil)
	m.want(1, map[string]string{"verdict": "fail"}, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "POST /issues"})...)
	if r := m.intact(); r.Shards == nil || r.Shards.Complete != 2 {
		t.Errorf("shards %+v", r.Shards)
	}
	m.issue("open")
	if prefix := m.values["corpus-restore-key"]; prefix != "sightline-corpus:.:" || !strings.HasPrefix(m.values["corpus-save-key"], prefix) {
		t.Errorf("the keys are %q and %q", prefix, m.values["corpus-save-key"])
	}
	saved := below(t, filepath.Join(m.workspace, ".sightline", "corpus"))

	if !m.planned(nil) { // the next night, with what the cache has
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	if n := m.seeds(); n != before+len(saved) {
		t.Errorf("the plan has %d seeds, after %d and %d that were saved", n, before, len(saved))
	}

	// A night in which a shard is missing does not close the issue, and one that is complete does.
	s = night(t, true, side(t, "crowdsale", "base", nil), "base")
	m = carriedOut(t, s, "nightly.yml", 2)
	open := fakegithub.Issue{Number: 7, Login: "github-actions[bot]", Title: "x", State: "open", Body: report.IssuePrefix + "key=nightly.yml/merge sha=abc run=1 found=SL-1 -->\nold"}
	m.fake.Issues = []fakegithub.Issue{open}
	m.lost = []int{1}
	if !m.planned(nil) {
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	m.fuzzed(nil)
	m.merged(nil)
	m.want(0, map[string]string{"verdict": "pass"}, uploadCalls...)
	m.issue("open")
	m.lost = nil
	m.fuzzed(nil)
	m.merged(nil)
	m.want(0, map[string]string{"verdict": "pass"}, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "PATCH /issues/7"})...)
	m.issue("closed")
}

// On a public repository, a night on several machines leaves nothing open that could be used: neither in
// artifacts, nor in what is saved for the next one, nor in the issue.
func TestActionNightlyPublic(t *testing.T) {
	t.Parallel()
	m := carriedOut(t, night(t, false, side(t, "crowdsale", "head", nil), "head"), "nightly.yml", 2)
	key := map[string]string{"secrets.SIGHTLINE_SHARD_KEY": sealKey}
	if !m.planned(key) {
		t.Fatalf("no plan was written:\n%s", m.log)
	}
	m.fuzzed(key)
	logs := m.log
	m.merged(key)
	m.want(1, map[string]string{"verdict": "fail", "findings": "1"}, slices.Concat(uploadCalls, []string{"GET /issues", "GET /user", "POST /issues"})...)
	m.intact()
	issue := m.issue("open")
	for _, detail := range []string{"SL-36f8", "ssert fails", "high assertion"} {
		if strings.Contains(logs+m.written()+issue.Body, detail) {
			t.Errorf("%s is told", detail)
		}
	}
	if m.breaksInCorpus() {
		t.Error("an input that breaks something is saved")
	}
	for _, file := range below(t, filepath.Join(m.artifacts, "shards")) {
		if filepath.Base(file) != "shard.sealed" {
			t.Errorf("a public artifact has %s", file)
		}
	}
}

// seeds is how many inputs the plan begins with, as the log says.
func (m *machines) seeds() int {
	m.t.Helper()
	found := regexp.MustCompile(`targets, (\d+) seeds?,`).FindStringSubmatch(m.log)
	if found == nil {
		m.t.Fatalf("the log does not say how many seeds the plan has:\n%s", m.log)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}
