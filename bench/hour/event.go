package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/testing/fakegithub"
	"github.com/sightline-evm/sightline/report"
)

// token is the workflow's.
const token = "ghs_TheTokenOfTheFirstHour0123456789"

// Passes of a project: the pull request's first run, and one when what that has compiled is
// there.
const (
	passCold   = "without"
	passAtHand = "with"
)

// moments are when something happened, in seconds from the event; 0: never.
type moments struct {
	firstCall, firstComment, lastComment, end float64
}

// event is one run of the action.
type event struct {
	hour      *hour
	fake      *fakegithub.Server
	env       []string
	workspace string

	mu      sync.Mutex
	start   time.Time
	moments moments
}

// events runs the action twice on a project's pull request.
func (h *hour) events(ctx context.Context, p project) {
	err := fakegithub.Outside(func(t testing.TB) error {
		folder := filepath.Join(h.folder, "pulls", filepath.Base(p.name))
		base, head := filepath.Join(folder, "base"), filepath.Join(folder, "head")
		if err := p.sides(ctx, h, base, head); err != nil {
			return err
		}
		fake := fakegithub.New(t)
		fake.Token = token
		repo := fakegithub.NewRepository(t, fake, "octo/vault")
		var scene struct{ base, head, merge string }
		scene.base = repo.CommitFolder("refs/heads/main", base)
		scene.head = repo.CommitFolder("refs/heads/feature", head, scene.base)
		scene.merge = repo.CommitFolder("refs/pull/7/merge", head, scene.base, scene.head)
		built, err := h.build(ctx, &p, head)
		if err != nil {
			return err
		}
		for _, pass := range []string{passCold, passAtHand} {
			h.run.Logf("%s: the action, %s a build at hand", p.name, pass)
			fake.Comments = nil
			fake.Forget()
			e := &event{hour: h, fake: fake}
			fake.Called = e.called
			e.start = h.run.Now()
			e.workspace = repo.Checkout(scene.merge, "2")
			if p.artifact != "" {
				if err := os.CopyFS(filepath.Join(e.workspace, filepath.FromSlash(p.artifact)), os.DirFS(built)); err != nil {
					return err
				}
			}
			if err := e.arrange(folder, &p, scene.base, scene.head, scene.merge); err != nil {
				return err
			}
			note, err := e.act(ctx)
			h.run.Logf("  %+v, %s, %v", e.moments, note, err)
			h.record.event(&p, pass, e.moments, note, err)
		}
		return nil
	})
	if err != nil {
		h.run.Logf("%s: %v", p.name, err)
		h.record.event(&p, passAtHand, moments{}, "", err)
	}
}

// build does what the workflow's job that builds does, before the event, and returns the
// folder that it hands on.
func (h *hour) build(ctx context.Context, p *project, head string) (string, error) {
	if p.build == "" {
		return "", nil
	}
	t := &terminal{hour: h, folder: head, env: h.terminal.env}
	return filepath.Join(head, filepath.FromSlash(p.artifact)), h.step(ctx, t, p.name, p.build, p.build)
}

// called is told of every call of GitHub's API when it begins.
func (e *event) called(call string) {
	if !(strings.HasPrefix(call, "POST ") && strings.HasSuffix(call, "/comments") || strings.HasPrefix(call, "PATCH ")) {
		return
	}
	e.mark(&e.moments.firstComment)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.moments.lastComment = e.seconds()
}

func (e *event) seconds() float64 { return e.hour.run.Now().Sub(e.start).Seconds() }

// mark notes when something happened for the first time.
func (e *event) mark(moment *float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if *moment == 0 {
		*moment = e.seconds()
	}
}

// arrange makes the runner's files and variables. Compiled builds are kept in the project's
// folder.
func (e *event) arrange(folder string, p *project, base, head, merge string) error {
	repository := map[string]any{"full_name": "octo/vault", "private": false, "default_branch": "main"}
	payload, err := json.Marshal(map[string]any{
		"action": "opened", "number": 7, "repository": repository,
		"pull_request": map[string]any{"number": 7,
			"base": map[string]any{"sha": base, "ref": "main", "repo": map[string]any{"full_name": "octo/vault"}},
			"head": map[string]any{"sha": head, "ref": "feature", "repo": map[string]any{"full_name": "octo/vault"}}},
	})
	if err != nil {
		return err
	}
	runner, err := os.MkdirTemp(folder, "runner-")
	if err != nil {
		return err
	}
	at := func(name string) string { return filepath.Join(runner, name) }
	e.env = append(clean(os.Environ()),
		"CI=true", "GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=octo/vault", "GITHUB_EVENT_NAME=pull_request", "GITHUB_SHA="+merge,
		"GITHUB_REF=refs/pull/7/merge", "GITHUB_API_URL="+e.fake.APIURL, "GITHUB_SERVER_URL="+e.fake.URL,
		"GITHUB_WORKFLOW=sightline", "GITHUB_WORKFLOW_REF=octo/vault/.github/workflows/sightline.yml@refs/pull/7/merge",
		"GITHUB_RUN_ID=1658821493", "GITHUB_RUN_NUMBER=1", "GITHUB_JOB=fuzz", "GITHUB_WORKSPACE="+e.workspace,
		"GITHUB_EVENT_PATH="+at("event.json"), "GITHUB_OUTPUT="+at("output"), "GITHUB_STEP_SUMMARY="+at("summary"), "GITHUB_ENV="+at("env"),
		"GITHUB_PATH="+at("path"), "RUNNER_TEMP="+runner, "HOME="+runner, "XDG_CACHE_HOME="+filepath.Join(folder, "cache"),
		"SIGHTLINE_NODE_MODULES="+strings.Join(e.hour.modules, string(os.PathListSeparator)),
		"INPUT_TOKEN="+token, "INPUT_TIMEOUT="+strconv.FormatFloat(e.hour.run.Seconds, 'f', -1, 64))
	if p.artifact != "" {
		e.env = append(e.env, "INPUT_BUILD="+p.artifact)
	}
	return os.WriteFile(at("event.json"), payload, 0o600)
}

// act runs the action, and returns what it came to.
func (e *event) act(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(e.hour.folder, "bin", "sightline"), "action")
	cmd.Dir, cmd.Env = e.workspace, e.env
	log := &log{event: e}
	cmd.Stdout, cmd.Stderr = log, log
	err := cmd.Run()
	e.mark(&e.moments.end)
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ctx.Err() != nil) {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(e.workspace, outFolder, "report.json"))
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, lastLines(log.kept.String()))
	}
	r, err := report.Read(text)
	switch code := cmd.ProcessState.ExitCode(); {
	case err != nil:
		return "", err
	case code != exit.Pass && code != exit.Fail:
		return "", fmt.Errorf("exit code %d: %s", code, r.Reason)
	case e.moments.firstComment == 0:
		return "", fmt.Errorf("it has not commented: %s", lastLines(log.kept.String()))
	}
	return sum(r), nil
}

// log is the step's log, which tells when the first call is made.
type log struct {
	event *event
	kept  bytes.Buffer
	seen  bool
}

var _ io.Writer = (*log)(nil)

func (l *log) Write(p []byte) (int, error) {
	n, err := l.kept.Write(p)
	if !l.seen && bytes.Contains(l.kept.Bytes(), []byte("\nfuzz    ")) {
		l.seen = true
		l.event.mark(&l.event.moments.firstCall)
	}
	return n, err
}
