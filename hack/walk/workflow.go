package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// workflow is what a runner reads of one.
type workflow struct {
	Name string
	On   map[string]any
	Jobs map[string]workflowJob
}

type workflowJob struct {
	ID    string `yaml:"-"`
	Needs string
	If    string
	Steps []step
}

// step is one of a job. A key that is not here would be ignored, so it is an error.
type step struct {
	ID   string
	Name string
	If   string
	Uses string
	With map[string]string
	Run  string
	Env  map[string]string
}

// readWorkflow reads the jobs of a workflow for pull requests, each after the one that it
// needs.
func readWorkflow(file string) (name string, jobs []workflowJob, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	var w workflow
	if err := yaml.Unmarshal(data, &w); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	if _, pulls := w.On["pull_request"]; !pulls {
		return "", nil, fmt.Errorf("%s: want a workflow on pull_request", file)
	}
	for next := ""; len(jobs) < len(w.Jobs); next = jobs[len(jobs)-1].ID {
		before := len(jobs)
		for id, j := range w.Jobs {
			if j.Needs == next && (j.If == "" || j.If == "${{ !cancelled() }}") {
				j.ID = id
				jobs = append(jobs, j)
			}
		}
		if len(jobs) != before+1 {
			return "", nil, fmt.Errorf("%s: a walk takes jobs of which each needs the one before, and that run unless canceled", file)
		}
	}
	return w.Name, jobs, checkKeys(file, data)
}

// checkKeys refuses steps with keys that a walk does not act on.
func checkKeys(file string, data []byte) error {
	var raw struct {
		Jobs map[string]struct{ Steps []map[string]any }
	}
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return err
	}
	for _, job := range raw.Jobs {
		for _, s := range job.Steps {
			for key := range s {
				if !contains([]string{"id", "name", "if", "uses", "with", "run", "env"}, key) {
					return fmt.Errorf("%s: a step has the key %s, which a walk does not act on", file, key)
				}
			}
		}
	}
	return nil
}

// readInputs reads the inputs of an action, with their defaults.
func readInputs(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var action struct {
		Inputs map[string]struct{ Default string }
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(action.Inputs) == 0 {
		return nil, errors.New(file + " has no inputs")
	}
	inputs := map[string]string{}
	for name, input := range action.Inputs {
		inputs[name] = input.Default
	}
	return inputs, nil
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// output is the condition that a step before left an output, unless the job was canceled.
var output = regexp.MustCompile(`^\$\{\{ !cancelled\(\) && (steps\.sightline\.outputs\.[a-z0-9-]+) \}\}$`)

// runs reports whether a step's condition holds.
func (s *step) runs(context map[string]string) (bool, error) {
	if s.If == "" {
		return true, nil
	}
	m := output.FindStringSubmatch(s.If)
	if m == nil {
		return false, fmt.Errorf("a walk does not know whether %s", s.If)
	}
	return context[m[1]] != "", nil
}

// evaluate replaces the expressions of a value, which may only name a context's variable.
func evaluate(value string, context map[string]string) (string, error) {
	var unknown []string
	result := expression.ReplaceAllStringFunc(value, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		text, known := context[name]
		if !known {
			unknown = append(unknown, name)
		}
		return text
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("a walk does not know what %s is", strings.Join(unknown, ", "))
	}
	return result, nil
}
