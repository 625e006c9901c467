package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// writeIssue opens or updates the issue with what a run of the default branch found, or closes
// it. A workflow asks for it, so what keeps it from being written is a warning.
func (a *action) writeIssue(ctx context.Context, r *report.Report) {
	const unwritten = "The issue was not written"
	switch {
	case !a.issue:
		return
	case !a.ofDefaultBranch():
		a.notice(unwritten + ": it is about the default branch, and this run is not one of it on push, schedule or workflow_dispatch.")
		return
	case r.Verdict != report.Pass && r.Verdict != report.Fail:
		return // says nothing about what is there
	}
	var o pipeline.Options
	a.equip(&o)
	i := report.NewIssue(r, o.Output.Render)
	if len(i.Found) == 0 && r.DescribeShards() != "" {
		return // those that are missing may have found something
	}
	address, done, err := a.client.Issue(ctx, github.Issue{Prefix: report.IssuePrefix, Title: i.Title, Body: i.Body, Labels: a.labels, Found: i.Found, News: i.News})
	if done != "" {
		fmt.Fprintf(a.out, "issue   %s: %s\n", done, human.Clean(address, maxLogLine))
	}
	if errors.Is(err, github.ErrNewer) {
		a.notice("The issue of a newer run of the workflow stays.")
		return
	}
	a.warn(err, unwritten)
}
