package workflowfile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Fault is what a workflow lacks of what docs/action.md asks for.
type Fault struct {
	Line   int // 0: of the whole file
	Text   string
	Remedy string // a line of the workflow, or what to do; may be empty
	// Advice is set where the check runs all the same, and is worth as much.
	Advice bool
}

// OnlyPullRequests cancels the run before on a pull request alone: a run of a branch or of a merge
// queue that is canceled leaves its commit unchecked.
const OnlyPullRequests = "${{ github.event_name == 'pull_request' }}"

// events are those on which the action runs.
var events = []string{"pull_request", "merge_group", "push", "release", "schedule", "workflow_dispatch"}

// installs are the commands that may run before the check in its own job: they install what a lock
// file names, and run none of it.
var installs = regexp.MustCompile(`^(?:corepack enable|npm (?:ci|install) --ignore-scripts|npx --yes bun install --frozen-lockfile --ignore-scripts|(?:yarn|pnpm) install --frozen-lockfile --ignore-scripts|yarn install --immutable --mode=skip-build)$`)

// Defaults of GitHub and of the action, minutes.
const (
	defaultJobMinutes = 360
	defaultMaxMinutes = 30
)

// Faults lists what a workflow lacks. Of its jobs, those count that fuzz, and what they need; with all,
// every job does.
func (w *Workflow) Faults(all bool) []Fault {
	f := &faults{}
	if w.Permissions["contents"] == "" {
		f.add(all, 0, false, "permissions:\n  contents: read", "no permissions are listed, so that all may be given")
	}
	pulls := slices.Contains(w.Events, "pull_request")
	want := "false"
	if pulls {
		want = OnlyPullRequests
	}
	refs := regexp.MustCompile(`github\.(?:ref|head_ref|event\.)`).MatchString(w.Group)
	f.add(!refs, 0, true, "concurrency:\n  group: sightline-${{ github.workflow }}-${{ github.ref }}", "no concurrency group of the branch or pull request")
	f.add(w.Cancel != want && (w.Cancel != "" || pulls), 0, true, "", "cancel-in-progress is %q, want %q", w.Cancel, want)
	f.add(pulls && !slices.Contains(w.Events, "merge_group"), 0, true, "on:\n  merge_group:", "it does not report to a merge queue")
	for _, event := range w.Events {
		f.add(!slices.Contains(events, event), 0, false, "", "it runs on %s", event)
	}
	f.add(w.Filtered, 0, true, "", "a path filter hides a required check")
	for i := range w.Jobs {
		if j := &w.Jobs[i]; all || j.Fuzzes() || w.needed(j.Name) {
			f.job(w, j)
		}
	}
	return f.found
}

// needed reports whether a job that fuzzes needs another one.
func (w *Workflow) needed(job string) bool {
	return slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Fuzzes() && slices.Contains(j.Needs, job) })
}

// faults collects them.
type faults struct{ found []Fault }

func (f *faults) add(wrong bool, line int, advice bool, remedy, format string, args ...any) {
	if wrong {
		f.found = append(f.found, Fault{line, fmt.Sprintf(format, args...), remedy, advice})
	}
}

// job adds what a job lacks.
func (f *faults) job(w *Workflow, j *Job) {
	granted, everything := w.Granted(j)
	f.add(everything, j.Line, false, "permissions:\n  contents: read", "the job %s has all permissions", j.Name)
	f.add(j.Minutes == "", j.Line, true, "timeout-minutes: 20", "the job %s has no timeout-minutes", j.Name)
	if j.Fuzzes() && !everything {
		f.rights(w, j, granted)
	}
	// What only plans or fuzzes may be skipped: the merge is what is required.
	f.add(j.Fuzzes() && !j.only(partPlan, partShard) && len(j.Needs) > 0 && j.If != "${{ !cancelled() }}", j.Line, false, "if: ${{ !cancelled() }}", "the job %s is skipped, and so passes, after one that fails", j.Name)
	f.steps(j)
}

// rights adds what a job that fuzzes may not do, or may without need.
func (f *faults) rights(w *Workflow, j *Job, granted map[string]string) {
	if j.only(partShard) {
		may := slices.ContainsFunc(slices.Sorted(maps.Keys(granted)), func(name string) bool { return granted[name] != "none" })
		f.add(granted == nil || may, j.Line, false, "permissions: {}", "the job %s has permissions, and a shard needs none", j.Name)
		return
	}
	reports := !j.only(partPlan)
	f.add(granted == nil, j.Line, false, "permissions:\n  contents: read", "nothing says what the job %s may do, so that all may be given", j.Name)
	f.add(granted != nil && granted["contents"] == "", j.Line, false, "contents: read", "the job %s may not read the repository", j.Name)
	f.add(reports && granted != nil && granted["pull-requests"] != "write" && slices.Contains(w.Events, "pull_request"), j.Line, true, "pull-requests: write", "the job %s may not comment on pull requests", j.Name)
	f.add(reports && granted != nil && granted["security-events"] != "write", j.Line, true, "security-events: write", "the job %s may not upload alerts", j.Name)
	issue := slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Ref() != "" && s.With["issue"] == "true" })
	f.add(issue && granted != nil && granted["issues"] != "write", j.Line, true, "issues: write", "the job %s may not write issues", j.Name)
}

// steps adds what the steps of a job lack.
func (f *faults) steps(j *Job) {
	depth, at, ran, fuzzed, checkedOut := "1", j.Line, false, false, false
	for i := range j.Steps {
		s := &j.Steps[i]
		if isCheckout(s.Uses) {
			checkedOut = true
			if depth, at = s.With["fetch-depth"], s.Line; depth == "" {
				depth = "1"
			}
			f.add(s.With["persist-credentials"] != "false", s.Line, false, "persist-credentials: false", "the job %s leaves the checkout's token in the workspace", j.Name)
		}
		if s.Ref() == "" {
			ran = ran || s.Run != "" && !fuzzed && !installs.MatchString(s.Run)
			continue
		}
		fuzzed = true
		f.minutes(j, s)
	}
	if !j.Fuzzes() || j.only(partShard) {
		return
	}
	n, err := strconv.Atoi(depth)
	f.add(!checkedOut, j.Line, false, "", "the job %s does not check out the repository", j.Name)
	f.add(checkedOut && (err != nil || n == 1), at, false, "fetch-depth: 2", "the job %s checks out with depth %q, which lacks the base", j.Name, depth)
	f.add(ran, j.Line, false, "", "the job %s runs something before the check, which the pull request may decide: do it in a job of its own", j.Name)
}

// minutes adds that a job ends before the check does.
func (f *faults) minutes(j *Job, s *Step) {
	most, ends := orDefault(s.With["max-minutes"], defaultMaxMinutes), orDefault(j.Minutes, defaultJobMinutes)
	f.add(most >= ends, s.Line, true, fmt.Sprintf("max-minutes: %d", max(1, ends-5)), "the job %s ends before max-minutes", j.Name)
}

// orDefault reads minutes; anything but a number is an expression, whose value is not known.
func orDefault(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

var checkout = regexp.MustCompile(`^actions/checkout@`)

func isCheckout(uses string) bool { return checkout.MatchString(uses) }
