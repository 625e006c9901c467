package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/internal/testing/checksarif"
	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// secretToken must be in no byte that a run writes.
const secretToken = "ghs_ThisIsTheTokenOfTheTest0123456789"

// scene is a workflow's step: a repository, its GitHub, and the runner.
type scene struct {
	t    testing.TB
	fake *fakegithub.Server
	repo *fakegithub.Repository

	workspace string
	dir       string // of the runner's own files
	env       map[string]string

	code   int
	log    string
	values map[string]string // outputs
}

// side returns the files of one side of an example, plus others.
func side(t *testing.T, example, name string, more map[string]string) map[string]string {
	t.Helper()
	all, err := examples.Load(example)
	if err != nil {
		t.Fatal(err)
	}
	below, err := fs.Sub(all, name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"README.md": "A sale.\n"}
	err = fs.WalkDir(below, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(below, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(files, more)
	return files
}

// pullRequest is the scene of a pull request that leads from one side of the
// example to another: base, merge commit and payload are those that GitHub makes.
func pullRequest(t *testing.T, from, to string, more map[string]string) *scene {
	t.Helper()
	s := newScene(t)
	old := s.repo.Commit("", side(t, "crowdsale", from, nil))
	base := s.repo.Commit("refs/heads/main", side(t, "crowdsale", from, map[string]string{"README.md": "A sale, and more.\n"}), old)
	head := s.repo.Commit("", side(t, "crowdsale", to, more), old)
	merged := side(t, "crowdsale", to, more)
	merged["README.md"] = "A sale, and more.\n"
	merge := s.repo.Commit("refs/pull/7/merge", merged, base, head)
	s.env["INPUT_ORACLES"] = "assertion,behavior" // one finding: what others see of the example is in script demo
	s.checkout(merge, "2")
	s.build(to)
	s.event("pull_request", "refs/pull/7/merge", merge, map[string]any{
		"action": "synchronize", "number": 7,
		"pull_request": map[string]any{"number": 7,
			"base": map[string]any{"sha": base, "ref": "main", "repo": map[string]any{"full_name": "octo/vault"}},
			"head": map[string]any{"sha": head, "ref": "feature", "repo": map[string]any{"full_name": "octo/vault"}}},
	})
	return s
}

func newScene(t testing.TB) *scene {
	t.Helper()
	fake := fakegithub.New(t)
	fake.Token = secretToken
	s := &scene{t: t, fake: fake, repo: fakegithub.NewRepository(t, fake, "octo/vault"), dir: t.TempDir()}
	s.env = map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "octo/vault", "GITHUB_API_URL": fake.APIURL, "GITHUB_SERVER_URL": fake.URL,
		"GITHUB_OUTPUT": filepath.Join(s.dir, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(s.dir, "summary"),
		"GITHUB_ENV": filepath.Join(s.dir, "env"), "GITHUB_PATH": filepath.Join(s.dir, "path"),
		"GITHUB_RUN_ID": "1658821493", "GITHUB_RUN_NUMBER": "812", "GITHUB_JOB": "fuzz",
		"GITHUB_WORKFLOW": "CI", "GITHUB_WORKFLOW_REF": "octo/vault/.github/workflows/ci.yml@refs/pull/7/merge",
		"RUNNER_TEMP": s.dir, "HOME": s.dir, "XDG_CACHE_HOME": testcache.Folder("product"), "PATH": testsolc.StandIn(t) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"SIGHTLINE_NODE_MODULES": nodeModules(t),
		"ACTIONS_RUNTIME_TOKEN":  secretToken, "INPUT_TOKEN": secretToken,
		"INPUT_TEST-LIMIT": "6000", "INPUT_WORKERS": "1", "INPUT_SEED": "4",
		"INPUT_OFFLINE": "true", // no test needs the network
	}
	return s
}

// checkout is what actions/checkout does.
func (s *scene) checkout(id, depth string) {
	s.workspace = s.repo.Checkout(id, depth)
	s.env["GITHUB_WORKSPACE"] = s.workspace
}

// build writes the build of a side, as an earlier step does.
func (s *scene) build(name string) {
	s.t.Helper()
	all, err := examples.Load("crowdsale")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, kind := range []string{"input", "output"} {
		text, err := fs.ReadFile(all, "build/"+name+"."+kind+".json")
		if err != nil {
			s.t.Fatal(err)
		}
		s.file("out/build."+kind+".json", string(text))
	}
	s.env["INPUT_BUILD"] = "out/build.output.json"
}

// file writes a file of the workspace.
func (s *scene) file(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.workspace, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

// event is what the workflow was run for.
func (s *scene) event(name, ref, sha string, payload map[string]any) {
	s.t.Helper()
	if payload["repository"] == nil {
		payload["repository"] = map[string]any{"full_name": "octo/vault", "private": true, "default_branch": "main"}
	}
	data, err := json.Marshal(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	path := filepath.Join(s.dir, "event.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.env["GITHUB_EVENT_NAME"], s.env["GITHUB_EVENT_PATH"], s.env["GITHUB_REF"], s.env["GITHUB_SHA"] = name, path, ref, sha
}

// command is the step's program. It does not wait as long as GitHub asks.
func (s *scene) command() *exec.Cmd {
	cmd := exec.Command("sightline-hasty", "action")
	cmd.Dir = s.workspace
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		cmd.Env = append(cmd.Env, name+"="+s.env[name])
	}
	return cmd
}

// act runs the step and reads what it left.
func (s *scene) act() {
	s.t.Helper()
	cmd := s.command()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	s.code, s.log = cmd.ProcessState.ExitCode(), out.String()
	s.collect()
}

// collect reads the runner's files, and checks what holds for every run.
func (s *scene) collect() {
	s.t.Helper()
	s.values = map[string]string{}
	data, _ := os.ReadFile(s.env["GITHUB_OUTPUT"]) // no outputs is for a test to judge
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines)-1; i++ {
		name, delimiter, ok := strings.Cut(lines[i], "<<")
		if !ok {
			s.t.Fatalf("output line %d is %q", i+1, lines[i])
		}
		var value []string
		for i++; lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		s.values[name] = strings.Join(value, "\n")
	}
	for _, name := range []string{"GITHUB_ENV", "GITHUB_PATH"} {
		if _, err := os.Stat(s.env[name]); err == nil {
			s.t.Errorf("%s was written", name)
		}
	}
	s.findSecrets()
}

// findSecrets looks for the token in everything that was written: the log, the
// runner's files, the workspace with .git, the caches, comments and alerts.
func (s *scene) findSecrets() {
	s.t.Helper()
	check := func(what string, data []byte) {
		for _, secret := range []string{secretToken, "eC1hY2Nlc3MtdG9rZW46Z2hz"} { // base64 of "x-access-token:ghs"
			if bytes.Contains(data, []byte(secret)) {
				s.t.Errorf("%s holds the token", what)
			}
		}
	}
	check("the log", []byte(s.log))
	for _, c := range s.fake.Comments {
		check("a comment", []byte(c.Body))
	}
	for _, u := range s.fake.Uploads() {
		check("an upload", u.SARIF)
	}
	for _, dir := range []string{s.dir, s.workspace} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			check(path, data)
			return err
		})
		if err != nil {
			s.t.Error(err)
		}
	}
}

// commands are those of the log that the runner acts on.
func (s *scene) commands() []string {
	var acted []string
	stopped := ""
	for line := range strings.Lines(s.log) {
		line = strings.TrimSpace(line)
		switch {
		case stopped != "":
			if line == "::"+stopped+"::" {
				stopped = ""
			}
		case strings.HasPrefix(line, "::stop-commands::"):
			stopped = strings.TrimPrefix(line, "::stop-commands::")
		case strings.HasPrefix(line, "::") || strings.Contains(line, "##["):
			acted = append(acted, line)
		}
	}
	return acted
}

// want checks the exit code, some outputs, and the calls of GitHub's API.
func (s *scene) want(code int, outputs map[string]string, calls ...string) {
	s.t.Helper()
	if s.code != code {
		s.t.Errorf("exit code %d, want %d", s.code, code)
	}
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		if s.values[name] != outputs[name] {
			s.t.Errorf("output %s is %q, want %q", name, s.values[name], outputs[name])
		}
	}
	got := s.fake.Calls()
	for i, call := range got {
		got[i] = strings.ReplaceAll(strings.ReplaceAll(call, "/repos/octo/vault", ""), "47177e22-5596-11eb-80a1-c1e54ef945c6", "1")
	}
	if !slices.Equal(got, calls) {
		s.t.Errorf("calls %q, want %q", got, calls)
	}
	if s.t.Failed() {
		s.t.Logf("the log:\n%s", s.log)
	}
}

// intact checks the files of the run, and that summary and SARIF are what went
// out.
func (s *scene) intact() *report.Report {
	s.t.Helper()
	out := filepath.Join(s.workspace, s.values["out"])
	for _, problem := range checkOutput(out) {
		s.t.Error(problem)
	}
	summary, err := os.ReadFile(s.env["GITHUB_STEP_SUMMARY"])
	if err != nil {
		s.t.Error(err)
	}
	if want := s.read("summary"); strings.TrimSpace(string(summary)) != strings.TrimSpace(want) {
		s.t.Errorf("the job's summary is\n%s\nwant\n%s", summary, want)
	}
	for _, u := range s.fake.Uploads() {
		if string(u.SARIF) != s.read("sarif") {
			s.t.Error("another SARIF file was uploaded than was written")
		}
	}
	if _, err := checksarif.Check([]byte(s.read("sarif"))); err != nil {
		s.t.Error(err)
	}
	r, err := report.Read([]byte(s.read("report")))
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Verdict != s.values["verdict"] {
		s.t.Errorf("verdict %q, output %q", r.Verdict, s.values["verdict"])
	}
	return r
}

// read reads the file that an output names.
func (s *scene) read(output string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.workspace, filepath.FromSlash(s.values[output])))
	if err != nil {
		s.t.Errorf("output %s: %v", output, err)
	}
	return string(data)
}

// says checks that the runner is shown an annotation.
func (s *scene) says(parts ...string) {
	s.t.Helper()
	if !slices.ContainsFunc(s.commands(), func(c string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(c, part) })
	}) {
		s.t.Errorf("no annotation says %q:\n%s", parts, strings.Join(s.commands(), "\n"))
	}
}

// cancel runs the step, and ends it as the runner does once the log holds a text.
func (s *scene) cancel(cmd *exec.Cmd, until string) {
	s.t.Helper()
	log := &watched{text: until, seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-log.seen:
	case <-time.After(30 * time.Second):
		s.t.Errorf("it never says %q", until)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	sent := time.Now()
	_ = cmd.Wait() // the exit code is what counts
	if took := time.Since(sent); took > 20*time.Second {
		s.t.Errorf("it took %v to stop", took)
	}
	s.code, s.log = cmd.ProcessState.ExitCode(), log.kept.String()
	s.collect()
}

// watched is a log that tells when it holds a text.
type watched struct {
	kept bytes.Buffer
	text string
	seen chan struct{}
	told bool
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.kept.Write(p)
	if !w.told && bytes.Contains(w.kept.Bytes(), []byte(w.text)) {
		w.told = true
		close(w.seen)
	}
	return n, err
}
