package doctor

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestMemoryLimit: the least of what the machine has and its control group may take counts.
func TestMemoryLimit(t *testing.T) {
	const machine = "MemFree:  1 kB\nMemTotal:       16384000 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"none":        {nil, 0},
		"machine":     {map[string]string{"proc/meminfo": machine}, 16384000 << 10},
		"version 2":   {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "1073741824\n"}, 1 << 30},
		"no limit":    {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "max\n"}, 16384000 << 10},
		"version 1":   {map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n"}, 1 << 29},
		"no limit, 1": {map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"larger":      {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "99999999999999\n"}, 16384000 << 10},
	} {
		system := fstest.MapFS{}
		for name, text := range test.files {
			system[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryLimit(system); got != test.want {
			t.Errorf("%s: %d bytes, want %d", name, got, test.want)
		}
	}
}

// FuzzMemory: whatever the files hold, no limit is larger than what the machine has.
func FuzzMemory(f *testing.F) {
	f.Add("MemTotal: 5 kB\n", "max\n")
	f.Add("MemTotal: 18446744073709551615 kB\n", "-1")
	f.Fuzz(func(t *testing.T, meminfo, limit string) {
		total := totalMemory(meminfo)
		system := fstest.MapFS{"proc/meminfo": {Data: []byte(meminfo)}, "sys/fs/cgroup/memory.max": {Data: []byte(limit)}}
		if got := memoryLimit(system); len(meminfo) < maxText && total > 0 && got > total {
			t.Errorf("%d bytes, and the machine has %d", got, total)
		}
	})
}

// environment is that of a runner in a folder, with an event's payload.
func environment(t *testing.T, folder, event, payload string) func(string) string {
	file := filepath.Join(t.TempDir(), "event.json")
	testfiles.Write(t, file, payload)
	variables := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": file, "GITHUB_SHA": strings.Repeat("1", 40), "GITHUB_REF": "refs/pull/7/merge",
		"GITHUB_REPOSITORY": "o/r", "GITHUB_WORKSPACE": folder, "GITHUB_SERVER_URL": "https://github.com", "GITHUB_API_URL": "https://api.github.com",
		"GITHUB_RUN_NUMBER": "3", "GITHUB_RUN_ID": "5", "GITHUB_JOB": "fuzz", "GITHUB_WORKFLOW": "check", "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/check.yml@refs/heads/main",
	}
	return func(name string) string { return variables[name] }
}

// TestGitHub: what the job may do is what the workflow says.
func TestGitHub(t *testing.T) {
	const payload = `{"number": 7, "pull_request": {"number": 7, "base": {"sha": "2222222222222222222222222222222222222222", "repo": {"full_name": "o/r"}},
		"head": {"sha": "3333333333333333333333333333333333333333", "repo": {"full_name": "fork/r"}}}, "repository": {"default_branch": "main"}}`
	const steps = "    steps:\n      - uses: sightline-evm/sightline@main\n"
	for name, test := range map[string]struct{ workflow, status, text string }{
		"all":        {"permissions: {contents: read, pull-requests: write, security-events: write}\njobs:\n  fuzz:\n" + steps, "ok", "gives the job fuzz what it needs"},
		"less":       {"permissions: {contents: read}\njobs:\n  fuzz:\n" + steps, "warn", "does not give the job fuzz: pull-requests: write (the comment), security-events: write (the alerts)"},
		"of the job": {"permissions: write-all\njobs:\n  fuzz:\n    permissions: {contents: write, security-events: write}\n" + steps, "warn", "pull-requests: write (the comment)"},
		"unlisted":   {"jobs:\n  fuzz:\n" + steps, "warn", "lists no permissions of the job fuzz by name"},
		"other job":  {"jobs:\n  test:\n" + steps, "warn", `has no job "fuzz"`},
		"no YAML":    {"jobs: [", "warn", "not valid YAML"},
		"none":       {"", "warn", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if test.workflow != "" {
				testfiles.Write(t, filepath.Join(root, ".github", "workflows", "check.yml"), test.workflow)
			}
			d := &doctor{o: &Options{Getenv: environment(t, root, "pull_request", payload)}}
			lines := d.github(context.Background())
			if len(lines) != 2 || !strings.Contains(lines[0].Text, "of a fork") {
				t.Fatalf("lines %v", lines)
			}
			if l := lines[1]; string(l.Status) != test.status || !strings.Contains(l.Text, test.text) {
				t.Errorf("%s, want %s: %s", l, test.status, test.text)
			}
		})
	}
	d := &doctor{o: &Options{Getenv: func(string) string { return "" }}}
	if lines := d.github(context.Background()); lines != nil {
		t.Errorf("outside of a workflow, there is %v", lines)
	}
}
