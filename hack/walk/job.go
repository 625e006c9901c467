package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
)

// runnerID is the user of GitHub's hosted runners. The action's container runs as root.
const runnerID = 1001

const token = "ghs_TheTokenOfTheWalk0123456789"

// job is a workflow at work, on one pull request: its jobs, one after the other.
type job struct {
	s       *settings
	id      string // of the job at work
	fake    *fakegithub.Server
	folder  string // all of the job's
	path    []string
	context map[string]string // of expressions
	env     map[string]string // of all steps
	outputs map[string]string // of the action

	code int // of the action

	mu                                                      sync.Mutex
	start, began, firstCall, firstFinding, commented, ended time.Time

	run    int               // of the workflow, from 1
	cached []cache           // what is saved at the end
	caches map[string]string // of this pull request: archives by key
}

// workspace is where actions/checkout puts the repository on the machine that the workflow's
// job runs on, and home the user's.
func (j *job) workspace() string { return j.at(j.id, "work", "vault", "vault") }
func (j *job) home() string      { return j.at(j.id, "home") }

// carryOut makes the project's repository with the pull request, and runs the workflow.
// before is the run for the push before; nil: there was none.
func (s *settings) carryOut(p *project, pull pull, before *job) (*job, error) {
	folder := filepath.Join(s.work, p.name, strings.ReplaceAll(pull.what, " ", "-"))
	j := &job{s: s, folder: folder, outputs: map[string]string{}, run: 1, caches: map[string]string{}}
	err := fakegithub.Outside(func(t testing.TB) error {
		container, jobs, err := j.begin(t, p, pull, before)
		if err != nil {
			return err
		}
		j.start = time.Now()
		for _, job := range jobs {
			if err := j.runJob(job, container); err != nil {
				return fmt.Errorf("job %s: %w", job.ID, err)
			}
		}
		return errors.Join(j.saveCaches(), j.judge(pull))
	})
	return j, err
}

// begin makes the repository, its GitHub and the action's container.
func (j *job) begin(t testing.TB, p *project, pull pull, before *job) (container string, jobs []workflowJob, err error) {
	base, head := filepath.Join(j.folder, "base"), filepath.Join(j.folder, "head")
	if err := p.sides(pull, base, head); err != nil {
		return "", nil, err
	}
	j.fake = fakegithub.New(t)
	j.fake.Token = token
	j.fake.Called = func(call string) {
		if strings.HasPrefix(call, "POST ") && strings.HasSuffix(call, "/comments") || strings.HasPrefix(call, "PATCH ") {
			j.mark(&j.commented)
		}
	}
	if before != nil {
		j.run, j.caches, j.fake.Comments = before.run+1, before.caches, before.fake.Comments
	}
	repo := fakegithub.NewRepository(t, j.fake, "octo/vault")
	baseID := repo.CommitFolder("refs/heads/main", base)
	headID := repo.CommitFolder("refs/heads/feature", head, baseID)
	merge := repo.CommitFolder("refs/pull/7/merge", head, baseID, headID)
	name, jobs, err := readWorkflow(p.workflow)
	if err != nil {
		return "", nil, err
	}
	if err := j.arrange(name, baseID, headID, merge); err != nil {
		return "", nil, err
	}
	container, err = j.s.output(append(j.s.buildah, "from", "--pull-never", j.s.image)...)
	if err == nil {
		t.Cleanup(func() { _, _ = j.s.output(append(j.s.buildah, "rm", container)...) })
	}
	return container, jobs, err
}

// runJob does the steps of a job on a new machine.
func (j *job) runJob(job workflowJob, container string) error {
	if err := j.boot(job.ID); err != nil {
		return err
	}
	for _, step := range job.Steps {
		runs, err := step.runs(j.context)
		if err == nil && runs {
			err = j.carryOut(step, container)
		}
		if err != nil {
			return fmt.Errorf("step %s%s: %w", step.Uses, step.Run, err)
		}
	}
	return nil
}

// mark notes when something happened for the first time.
func (j *job) mark(moment *time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if moment.IsZero() {
		*moment = time.Now()
	}
}

// boot is a new machine for a job.
func (j *job) boot(id string) error {
	j.id, j.path, j.env["GITHUB_JOB"] = id, nil, id
	for _, dir := range []string{j.workspace(), j.home()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return j.own(j.at(id))
}

// arrange makes the runner's folders and variables.
func (j *job) arrange(name, base, head, merge string) error {
	for _, dir := range []string{j.at("temp"), j.at("event"), j.at("commands"), j.at("container-home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	event, err := json.Marshal(map[string]any{
		"action": "opened", "number": 7,
		"repository": map[string]any{"full_name": "octo/vault", "private": false, "default_branch": "main"},
		"pull_request": map[string]any{"number": 7,
			"base": map[string]any{"sha": base, "ref": "main", "repo": map[string]any{"full_name": "octo/vault"}},
			"head": map[string]any{"sha": head, "ref": "feature", "repo": map[string]any{"full_name": "octo/vault"}}},
	})
	if err != nil {
		return err
	}
	j.env = map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "octo/vault", "GITHUB_EVENT_NAME": "pull_request",
		"GITHUB_SHA": merge, "GITHUB_REF": "refs/pull/7/merge", "GITHUB_REF_NAME": "7/merge", "GITHUB_HEAD_REF": "feature", "GITHUB_BASE_REF": "main",
		"GITHUB_API_URL": j.fake.APIURL, "GITHUB_SERVER_URL": j.fake.URL, "GITHUB_WORKFLOW": name, "GITHUB_ACTOR": "alice",
		"GITHUB_WORKFLOW_REF": "octo/vault/.github/workflows/sightline.yml@refs/pull/7/merge", "GITHUB_RUN_ID": j.runID(),
		"GITHUB_RUN_NUMBER": strconv.Itoa(j.run), "GITHUB_RUN_ATTEMPT": "1", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
	}
	j.context = map[string]string{"github.token": token, "github.ref": "refs/pull/7/merge", "github.run_id": j.runID(), "github.workflow": name, "github.event_name": "pull_request"}
	if err := os.WriteFile(j.at("event", "event.json"), event, 0o644); err != nil {
		return err
	}
	return j.own(j.folder)
}

func (j *job) runID() string { return strconv.Itoa(1658821493 + j.run) }

func (j *job) at(parts ...string) string {
	return filepath.Join(append([]string{j.folder}, parts...)...)
}

// own gives a folder to the runner's user.
func (j *job) own(folder string) error {
	return filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, runnerID, runnerID))
	})
}

// carryOut does what a step asks for.
func (j *job) carryOut(s step, container string) error {
	with := map[string]string{}
	for name, value := range s.With {
		text, err := evaluate(value, j.context)
		if err != nil {
			return err
		}
		with[name] = text
	}
	started := time.Now()
	action, version, _ := strings.Cut(s.Uses, "@")
	var err error
	switch action {
	case "":
		err = j.script(s.Run)
	case "actions/checkout":
		err = j.checkout(with)
	case "actions/setup-node":
		err = j.setUpNode(with)
	case "foundry-rs/foundry-toolchain":
		err = j.setUpFoundry()
	case "actions/cache":
		j.cached = append(j.cached, cache{with["key"], with["path"]})
		err = j.restore(with)
	case "actions/upload-artifact":
		err = j.upload(with)
	case "actions/download-artifact":
		err = j.download(with)
	case "actions/cache/restore":
		err = j.restore(with)
	case "sightline-evm/sightline":
		if version != "main" {
			return errors.New("the action is not named as it is before a release")
		}
		err = j.sightline(with, container)
	default:
		err = errors.New("a walk has no equivalent of it")
	}
	fmt.Printf("   %6.1f s  %s%s\n", time.Since(started).Seconds(), s.Uses, s.Run)
	return err
}

// as makes a command that the runner's user runs, with the job's environment.
func (j *job) as(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = j.workspace()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: runnerID, Gid: runnerID}}
	path := strings.Join(append(slices.Clone(j.path), "/usr/local/bin", "/usr/bin", "/bin"), string(os.PathListSeparator))
	cmd.Env = []string{"PATH=" + path, "HOME=" + j.home(), "RUNNER_TEMP=" + j.at("temp"), "GITHUB_WORKSPACE=" + j.workspace(),
		"GITHUB_EVENT_PATH=" + j.at("event", "event.json"), "npm_config_registry=" + j.s.registry, "GIT_CONFIG_NOSYSTEM=1"}
	for _, name := range []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"} { // of this machine's network
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.env)) {
		cmd.Env = append(cmd.Env, name+"="+j.env[name])
	}
	return cmd
}

// script runs a step's commands, as the runner's default shell does.
func (j *job) script(text string) error {
	cmd := j.as("bash", "-e", "-c", text)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, out.String())
	}
	return nil
}

// sightline starts the action's container as the runner does.
func (j *job) sightline(with map[string]string, container string) error {
	j.mark(&j.began)
	inputs, err := readInputs("action.yml")
	if err != nil {
		return err
	}
	for name, value := range with {
		if _, known := inputs[name]; !known {
			return fmt.Errorf("the action has no input %s", name)
		}
		inputs[name] = value
	}
	if j.s.timeout > 0 {
		inputs["timeout"] = strconv.Itoa(j.s.timeout)
	}
	env := maps.Clone(j.env)
	for name, value := range inputs {
		if value, err = evaluate(value, j.context); err != nil {
			return err
		}
		env["INPUT_"+strings.ToUpper(strings.ReplaceAll(name, " ", "_"))] = value
	}
	for _, name := range []string{"output", "summary", "env", "path", "state"} {
		if err := os.WriteFile(j.at("commands", name), nil, 0o666); err != nil {
			return err
		}
	}
	maps.Copy(env, map[string]string{
		"HOME": "/github/home", "GITHUB_WORKSPACE": "/github/workspace", "GITHUB_EVENT_PATH": "/github/workflow/event.json", "RUNNER_TEMP": "/github/runner_temp",
		"GITHUB_OUTPUT": "/github/file_commands/output", "GITHUB_STEP_SUMMARY": "/github/file_commands/summary", "GITHUB_ENV": "/github/file_commands/env",
		"GITHUB_PATH": "/github/file_commands/path", "GITHUB_STATE": "/github/file_commands/state", "ACTIONS_RUNTIME_TOKEN": token,
	})
	args := append(slices.Clone(j.s.buildah), "run", "--workingdir", "/github/workspace")
	for from, to := range map[string]string{j.workspace(): "workspace", j.at("event"): "workflow", j.at("commands"): "file_commands", j.at("temp"): "runner_temp", j.at("container-home"): "home"} {
		args = append(args, "--volume", from+":/github/"+to)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		args = append(args, "--env", name+"="+env[name])
	}
	args = append(args, container, "--", "/usr/local/bin/sightline", "action")
	cmd := exec.Command(args[0], args[1:]...)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	var log strings.Builder
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			fmt.Fprintln(&log, lines.Text())
			j.watch(lines.Text())
		}
	}()
	err = cmd.Run()
	j.mark(&j.ended)
	_ = writer.Close() // a pipe's does not fail
	<-done
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	j.code = cmd.ProcessState.ExitCode()
	if err := os.WriteFile(j.at("log"), []byte(log.String()), 0o644); err != nil {
		return err
	}
	return j.readOutputs()
}

// watch looks for moments in the log.
func (j *job) watch(line string) {
	switch {
	case strings.HasPrefix(line, "fuzz    "):
		j.mark(&j.firstCall)
	case strings.Contains(line, "  FOUND "):
		j.mark(&j.firstFinding)
	}
}

// readOutputs reads the action's outputs.
func (j *job) readOutputs() error {
	data, err := os.ReadFile(j.at("commands", "output"))
	if err != nil {
		return err
	}
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines)-1; i++ {
		name, delimiter, ok := strings.Cut(lines[i], "<<")
		if !ok {
			return fmt.Errorf("line %d of the outputs is %q", i+1, lines[i])
		}
		var value []string
		for i++; i < len(lines) && lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		j.outputs[name] = strings.Join(value, "\n")
		j.context["steps.sightline.outputs."+name] = j.outputs[name]
	}
	return nil
}

// judge compares what the job left with what is expected.
func (j *job) judge(want pull) error {
	var faults []error
	if j.code != want.code || j.outputs["verdict"] != want.verdict {
		faults = append(faults, fmt.Errorf("exit code %d, verdict %q (%s), want %d, %q", j.code, j.outputs["verdict"], j.outputs["reason"], want.code, want.verdict))
	}
	if comments := j.fake.Comments; len(comments) != 1 {
		faults = append(faults, fmt.Errorf("%d comments, want one", len(comments)))
	} else if !want.comment.MatchString(comments[0].Body) {
		faults = append(faults, fmt.Errorf("the comment is not as expected:\n%s", comments[0].Body))
	} else if err := os.WriteFile(j.at("comment.md"), []byte(comments[0].Body), 0o644); err != nil {
		faults = append(faults, err)
	}
	if n := len(j.fake.Uploads()); n != 1 {
		faults = append(faults, fmt.Errorf("%d uploads of alerts, want one", n))
	}
	if len(faults) > 0 {
		faults = append(faults, errors.New("the log is "+j.at("log")))
	}
	return errors.Join(faults...)
}
