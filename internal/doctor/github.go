package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/workflowfile"
	"github.com/sightline-evm/sightline/report/github"
)

// github is the event and the rights of the job, where it runs in a workflow. GitHub is not asked: it does
// not say what a token may do, but the workflow does.
func (d *doctor) github(context.Context) []Line {
	if d.o.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	run, err := github.ReadRun(d.o.Getenv)
	if err != nil {
		return one(Fail, "event", "", "%s", human.OneLine(err))
	}
	text := "the event " + run.Name + " of " + run.Repository.FullName()
	if run.Fork {
		text += ", of a fork, whose token may only read: without comment and alerts"
	}
	return append(one(OK, "event", "", "%s", text), d.rights(run)...)
}

// needed are the permissions that the action uses, and for what.
var needed = []struct{ name, least, what string }{
	{"contents", "read", "the base"}, {"pull-requests", "write", "the comment"}, {"security-events", "write", "the alerts"},
}

// rights are those that the workflow gives to the job.
func (d *doctor) rights(run *github.Run) []Line {
	if run.Workflow == "" {
		return one(Warn, "rights", "", "which workflow this is, and what it may do, is not known")
	}
	text, err := files.ReadRegular(filepath.Join(run.Workspace, filepath.FromSlash(run.Workflow)), workflowfile.MaxSize)
	var w *workflowfile.Workflow
	if err == nil {
		w, err = workflowfile.Read(text)
	}
	if err != nil {
		return one(Warn, "rights", "check out the repository in a step before", "%s: %v", run.Workflow, files.Plain(err))
	}
	job := d.o.Getenv("GITHUB_JOB")
	i := slices.IndexFunc(w.Jobs, func(j workflowfile.Job) bool { return j.Name == job })
	if i < 0 {
		return one(Warn, "rights", "", "%s has no job %q", run.Workflow, job)
	}
	granted, all := w.Granted(&w.Jobs[i])
	if all || granted == nil {
		return one(Warn, "rights", "list contents: read, pull-requests: write and security-events: write", "%s lists no permissions of the job %s by name", run.Workflow, job)
	}
	var lacks []string
	for _, n := range needed {
		if has := granted[n.name]; has != "write" && has != n.least {
			lacks = append(lacks, n.name+": "+n.least+" ("+n.what+")")
		}
	}
	if len(lacks) > 0 {
		return one(Warn, "rights", "without them, that part is left out", "%s does not give the job %s: %s", run.Workflow, job, strings.Join(lacks, ", "))
	}
	return one(OK, "rights", "", "%s gives the job %s what it needs", run.Workflow, job)
}
