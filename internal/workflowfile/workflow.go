// Package workflowfile reads workflows of GitHub Actions, as far as it matters for the check that
// they run: what they grant, what they check out, and what else stands between a pull request and
// its result.
package workflowfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sightline-evm/sightline/internal/human"
)

// MaxSize bounds a workflow, bytes. GitHub refuses larger ones.
const MaxSize = 512 << 10

// Folder is where a repository has its workflows.
const Folder = ".github/workflows"

// Uses is a reference to the action.
var Uses = regexp.MustCompile(`^sightline-evm/sightline(?:/native)?@(\S+)$`)

// Workflow is one workflow.
type Workflow struct {
	Events      []string          // that start it, in order
	Permissions map[string]string // of all jobs; nil: none are listed
	AllAllowed  bool              // it lists none by name, but all: read-all or write-all
	Group       string            // of runs of which one is at work
	Cancel      string            // whether a run ends the one before, as it is written
	Filtered    bool              // by the paths that change
	Jobs        []Job             // in order
}

// Job is a job of a workflow.
type Job struct {
	Name        string
	Line        int // where it begins
	Needs       []string
	If          string
	Permissions map[string]string // nil: those of the workflow
	AllAllowed  bool
	Minutes     string // of timeout-minutes; empty: none
	Steps       []Step
}

// Step is a step of a job.
type Step struct {
	Line      int
	Uses, Run string
	With      map[string]string
}

// Ref is what of the action a step uses: a branch, a tag or a commit; empty where it uses another.
func (s *Step) Ref() string {
	if m := Uses.FindStringSubmatch(s.Uses); m != nil {
		return m[1]
	}
	return ""
}

// Steps of a campaign on several machines, see [Step.Part].
const (
	partPlan  = "plan"
	partShard = "shard"
)

// Part is what of a campaign on several machines a step does; empty: all of it.
func (s *Step) Part() string { return s.With["step"] }

// only reports whether all that a job runs of the check is one of some parts of it.
func (j *Job) only(parts ...string) bool {
	return j.Fuzzes() && !slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Ref() != "" && !slices.Contains(parts, s.Part()) })
}

// Fuzzes reports whether a job runs the check.
func (j *Job) Fuzzes() bool {
	return slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Ref() != "" })
}

// Fuzzes reports whether a job of the workflow runs the check.
func (w *Workflow) Fuzzes() bool {
	return slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Fuzzes() })
}

// Granted is what a job may do: its own permissions, or else the workflow's. all is set where these
// are not listed by name; nil and false: the repository's settings say it.
func (w *Workflow) Granted(j *Job) (permissions map[string]string, all bool) {
	if j.Permissions != nil || j.AllAllowed {
		return j.Permissions, j.AllAllowed
	}
	return w.Permissions, w.AllAllowed
}

// Read reads a workflow. What a workflow may have and this package has no use for is passed over.
func Read(text []byte) (*Workflow, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(text), MaxSize)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a workflow: want `on:` and `jobs:`", max(1, document.Line))
	}
	w := &Workflow{}
	top := document.Content[0]
	on := value(top, "on")
	for _, event := range list(on) {
		w.Events = append(w.Events, event)
		if paths := value(value(on, event), "paths"); paths != nil {
			w.Filtered = true
		}
		if paths := value(value(on, event), "paths-ignore"); paths != nil {
			w.Filtered = true
		}
	}
	w.Permissions, w.AllAllowed = permissions(value(top, "permissions"))
	concurrency := value(top, "concurrency")
	w.Group, w.Cancel = scalar(concurrency), ""
	if concurrency != nil && concurrency.Kind == yaml.MappingNode {
		w.Group, w.Cancel = scalar(value(concurrency, "group")), scalar(value(concurrency, "cancel-in-progress"))
	}
	jobs := value(top, "jobs")
	if jobs == nil || jobs.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a workflow: want `jobs:`", top.Line)
	}
	for i := 0; i+1 < len(jobs.Content); i += 2 {
		w.Jobs = append(w.Jobs, readJob(jobs.Content[i], jobs.Content[i+1]))
	}
	return w, nil
}

func readJob(name, n *yaml.Node) Job {
	j := Job{Name: human.Printable(name.Value), Line: name.Line, Needs: list(value(n, "needs")), If: scalar(value(n, "if")), Minutes: scalar(value(n, "timeout-minutes"))}
	j.Permissions, j.AllAllowed = permissions(value(n, "permissions"))
	steps := value(n, "steps")
	if steps == nil || steps.Kind != yaml.SequenceNode {
		return j
	}
	for _, item := range steps.Content {
		s := Step{Line: item.Line, Uses: scalar(value(item, "uses")), Run: scalar(value(item, "run")), With: map[string]string{}}
		with := value(item, "with")
		if with != nil && with.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(with.Content); i += 2 {
				s.With[with.Content[i].Value] = scalar(with.Content[i+1])
			}
		}
		j.Steps = append(j.Steps, s)
	}
	return j
}

// value is the value of a key of a mapping; nil where there is none.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// scalar is the text of a single value; empty for anything else.
func scalar(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// list are the names of a value, in all three forms that GitHub takes: one, a list, or keys.
func list(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	var names []string
	switch n.Kind {
	case yaml.ScalarNode:
		names = append(names, n.Value)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			names = append(names, scalar(item))
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			names = append(names, n.Content[i].Value)
		}
	}
	return names
}

// permissions reads what is granted.
func permissions(n *yaml.Node) (granted map[string]string, all bool) {
	if n == nil {
		return nil, false
	}
	if n.Kind != yaml.MappingNode {
		return nil, n.Kind == yaml.ScalarNode && n.Tag != "!!null"
	}
	granted = map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		granted[n.Content[i].Value] = scalar(n.Content[i+1])
	}
	return granted, false
}
