package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sightline-evm/sightline/report"
)

// manifestJob is a Job of docs/kubernetes, as far as a machine without Kubernetes can carry it out.
type manifestJob struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Completions int
		Template    struct {
			Spec struct {
				InitContainers []manifestContainer `yaml:"initContainers"`
				Containers     []manifestContainer
			}
		}
	}
}

type manifestContainer struct {
	Command, Args []string
	WorkingDir    string `yaml:"workingDir"`
}

// manifestJobs are the Jobs of a manifest by name.
func manifestJobs(t *testing.T, name string) map[string]manifestJob {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "docs", "kubernetes", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	jobs := map[string]manifestJob{}
	for in := yaml.NewDecoder(f); ; {
		var j manifestJob
		err := in.Decode(&j)
		if errors.Is(err, io.EOF) {
			return jobs
		}
		if err != nil {
			t.Fatal(err)
		}
		if j.Kind == "Job" {
			jobs[j.Metadata.Name] = j
		}
	}
}

var variable = regexp.MustCompile(`\$\((\w+)\)`)

// container runs a container's command: its folders are ours, and a campaign is short.
func container(t *testing.T, c *manifestContainer, env map[string]string, folders *strings.Replacer, dir string) (code int, out string) {
	t.Helper()
	var args []string
	for _, arg := range append(append([]string{}, c.Command...), c.Args...) {
		arg = variable.ReplaceAllStringFunc(arg, func(v string) string { return env[variable.FindStringSubmatch(v)[1]] })
		args = append(args, folders.Replace(arg))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SIGHTLINE_NODE_MODULES="+nodeModules(t))
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	text, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("%q: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestKubernetes carries out the commands of the manifests, one container after the other: a change whose campaign is
// planned, fuzzed by all indices and merged, and one of whose pods leaves nothing.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	jobs := manifestJobs(t, "indexed-job.yaml")
	s := newScene(t)
	base := s.repo.Commit("refs/heads/main", map[string]string{"src/C.sol": fmt.Sprintf(counter, "n += x;")})
	head := s.repo.Commit("refs/heads/feature", map[string]string{"src/C.sol": fmt.Sprintf(counter, "n += x; assert(x != 7);")}, base)
	volume := t.TempDir()
	env := map[string]string{"REPOSITORY": "file://" + filepath.Join(s.fake.Projects, "octo", "vault"), "BASE": base, "HEAD_COMMIT": head, "HOME": t.TempDir(), "PATH": s.env["PATH"]}
	run := func(job string, want int) string {
		t.Helper()
		work := t.TempDir()
		folders := strings.NewReplacer("/work", work, "/sightline/", volume+"/", "/usr/local/bin/sightline", "sightline", "--timeout 3600 --workers 2", "--test-limit 2000 --workers 1 --seed 7 --offline",
			"merge --base", "merge --offline --base")
		spec := jobs[job].Spec
		if len(spec.Template.Spec.Containers) != 1 {
			t.Fatalf("the Job %s has %d containers", job, len(spec.Template.Spec.Containers))
		}
		if job != "sightline-fuzz" && len(spec.Template.Spec.InitContainers) != 1 {
			t.Fatalf("the Job %s checks nothing out", job)
		}
		for i := range spec.Template.Spec.InitContainers {
			if code, out := container(t, &spec.Template.Spec.InitContainers[i], env, folders, work); code != 0 {
				t.Fatalf("%s, before: exit code %d\n%s", job, code, out)
			}
		}
		dir := volume // a shard needs none of its own
		if in := spec.Template.Spec.Containers[0].WorkingDir; in != "" {
			dir = folders.Replace(in)
		}
		code, out := container(t, &spec.Template.Spec.Containers[0], env, folders, dir)
		if code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", job, code, want, out)
		}
		return out
	}
	run("sightline-plan", 0)
	shards := jobs["sightline-fuzz"].Spec.Completions
	for i := range shards {
		env["JOB_COMPLETION_INDEX"] = fmt.Sprint(i)
		run("sightline-fuzz", 0)
	}
	run("sightline-merge", 1) // the gate's verdict
	text, err := os.ReadFile(filepath.Join(volume, head, "report", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if shards != 8 || r.Verdict != report.Fail || r.Shards == nil || r.Shards.Complete != shards || len(r.Findings) != 1 || r.Findings[0].Comparison != report.Introduced {
		t.Errorf("%d shards: %s, %+v, %d findings", shards, r.Reason, r.Shards, len(r.Findings))
	}
	if err := os.RemoveAll(filepath.Join(volume, head, "shards", "3")); err != nil {
		t.Fatal(err)
	}
	if out := run("sightline-merge", 1); !strings.Contains(out, "7 of 8 shards") {
		t.Errorf("it does not say that one is missing:\n%s", out)
	}
}
