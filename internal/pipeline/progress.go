package pipeline

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
)

// mostShown bounds the instances that are named on one line; arbitrary.
const mostShown = 6

// describeWorld is the World on one line.
func describeWorld(head compare.Head) string {
	d, plan := head.Deployment, &head.Recipe.Plan.World
	text := "automatic: "
	if names := deploy.TestNames(d.Setup); names != "" {
		text = "set up by " + names + ": "
	}
	if len(plan.Steps) > 0 || head.Recipe.Script != nil {
		text = "as configured: "
	}
	for i, in := range d.World.Instances {
		if i == mostShown { // the rest is in the report
			text += fmt.Sprintf(" and %d more", len(d.World.Instances)-i)
			break
		}
		if i > 0 {
			text += ", "
		}
		text += in.Name
	}
	if len(d.World.Instances) == 0 {
		text += "nothing could be deployed"
	}
	if n := len(d.Failures()); n > 0 {
		text += fmt.Sprintf(" (%d not deployable)", n)
	}
	if n := len(d.Setup.LeftOut); n > 0 {
		text += fmt.Sprintf(" (%d excluded)", n)
	}
	return text
}

// display prints what happens in a campaign.
type display struct {
	log     *progress.Log
	targets []bytecode.Target
	place   func(bytecode.Location) string // of a finding
	// onlyIntroduced: findings are not shown before it is known that the change introduced them.
	onlyIntroduced, audits bool
	after                  *float64 // see [fuzzer.Config.AfterReached]
}

// display shows the campaign on the head.
func (r *run) display() *display {
	return &display{r.o.Log, r.change.Mapping.Targets, func(l bytecode.Location) string {
		at, _ := r.head.Deployment.Positions.At(l)
		return at.String()
	}, r.o.Output.OnlyIntroduced, r.change.Audits(), r.afterReached()}
}

// whenReached says what comes of a campaign whose targets are all reached.
func (d *display) whenReached() string {
	share := fuzzer.DefaultAfterReached
	if d.after != nil {
		share = *d.after
	}
	switch {
	case d.audits:
		return "every target is reached; an audit looks for bugs to its end"
	case share == 0:
		return "every target is reached, and the campaign ends; --after-reached gives it a share of its budget to look for bugs"
	case share == 1:
		return "every target is reached; bugs are looked for to the end of the budget (--after-reached)"
	}
	return fmt.Sprintf("every target is reached; bugs are looked for with at most %g%% of the budget from here on (--after-reached)", 100*share)
}

// show prints what happened in the campaign, and how it is going.
func (d *display) show(e fuzzer.Event) {
	switch {
	case e.Target >= 0:
		t := d.targets[e.Target]
		d.log.Line("%-7s reached  %s  %s", human.Clock(e.At.Seconds), human.Printable(t.Position.String()), human.Printable(bytecode.ShortName(t.Contract)))
		if e.Last {
			d.log.Line("%-7s DONE     %s", human.Clock(e.At.Seconds), d.whenReached())
		}
	case e.Found != nil && d.onlyIntroduced:
		d.log.Line("%-7s FOUND    a failure; whether the change introduced it is tried at the end", human.Clock(e.At.Seconds))
	case e.Found != nil && e.Found.NeverPassed && !d.audits:
		d.log.Line("%-7s FOUND    %s, and passes with no arguments; whether the change introduced it is tried at the end", human.Clock(e.At.Seconds), e.Found.Message)
	case e.Found != nil:
		d.log.Line("%-7s FOUND    %s  %s: %s", human.Clock(e.At.Seconds), human.Printable(d.place(e.Found.Location)), e.Found.Oracle.ID, e.Found.Message)
	default:
		d.log.Status(func() string {
			s := e.Stats
			rate := ""
			if s.Seconds > 0 {
				rate = fmt.Sprintf(", %s calls/s", human.Count(uint64(float64(s.Calls)/s.Seconds)))
			}
			return fmt.Sprintf("%-7s %d of %d targets, %s, %s calls%s, %s",
				human.Clock(s.Seconds), s.Reached, len(d.targets), human.Plural(s.Findings, "finding"), human.Count(s.Calls), rate, human.Plural(s.Paths, "path"))
		})
	}
}
