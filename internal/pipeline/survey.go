package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// Survey does what a run does before it fuzzes: it reads the change, and deploys the head. The report
// has the World, and of each changed line what keeps it from being fuzzed. Lines at which a campaign
// would aim are [report.Unreached], without a reason. Nothing is written.
func Survey(ctx context.Context, o *Options) (*report.Report, error) {
	c, err := change.Read(ctx, o.Reading(), o.Log)
	if err != nil {
		return nil, err
	}
	defer c.StopCompiling()
	r := begin(o, c)
	if !c.HasTargets() {
		r.report.Lines, r.report.Warnings = c.Lines(), o.Log.Warnings()
		return r.report, nil
	}
	if err := unknownNames(c, o); err != nil {
		return nil, err
	}
	head, recipe, err := deploy.Head(ctx, c, &o.World, o.Log)
	if err != nil {
		return nil, err
	}
	if err := r.deployed(head, recipe); err != nil {
		return nil, err
	}
	d := &describer{change: c, head: head, recipe: recipe, judge: r.judge, log: o.Log, report: r.report, files: &replay.Files{},
		result: &fuzzer.Result{Targets: make([]fuzzer.TargetResult, len(c.Mapping.Targets))}}
	d.world()
	if err := d.targets(); err != nil {
		return nil, err
	}
	for i := range r.report.Targets {
		if t := &r.report.Targets[i]; t.Status == report.Unreached {
			t.Reason = d.neverCalled(&c.Mapping.Targets[i])
		}
	}
	d.lines()
	for i := range r.report.Lines {
		if l := &r.report.Lines[i]; l.Status == report.Unreached {
			l.Reason = d.whyAbsent(c.Mapping.Lines[i].Targets)
		}
	}
	d.missing()
	r.report.Warnings = o.Log.Warnings()
	return r.report, nil
}

// whyAbsent says why no target of a line is in the World; empty where one is.
func (d *describer) whyAbsent(targets []int) string {
	why := ""
	for _, i := range targets {
		t := &d.report.Targets[i]
		if t.Status == report.Unreached && t.Reason == "" {
			return ""
		}
		why = cmp.Or(why, t.Reason)
	}
	return why
}

// unknownNames is an error about all contracts and functions that the configuration names and the build
// does not have, with a place for each.
func unknownNames(c *change.Change, o *Options) error {
	unknown := o.World.Plan.World.Unknown(c.Table.Contracts())
	if len(unknown) == 0 {
		return nil
	}
	var places []exit.Place
	for _, err := range unknown {
		place := exit.Place{Text: err.Error()}
		var wrong *world.PlanError
		if errors.As(err, &wrong) {
			if _, err := fmt.Sscanf(wrong.Place, "line %d", &place.Line); err == nil {
				place.Text = wrong.Problem
			}
		}
		places = append(places, place)
	}
	return exit.At(exit.BadInput("configuration: %w", errors.Join(unknown...)), places...)
}
