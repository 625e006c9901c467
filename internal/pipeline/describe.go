package pipeline

import (
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// describer turns the result of a campaign into the parts of a report, and the reproducers
// of them.
type describer struct {
	change *change.Change
	head   *deploy.Deployment
	recipe *deploy.Recipe
	judge  evm.Machine
	result *fuzzer.Result
	with   comparisons
	log    *progress.Log

	report    *report.Report
	files     *replay.Files
	ids       map[string]bool // of findings
	functions map[string]bool // "contract function" that some call entered
	entered   map[bytecode.Location]bool
	deployed  map[bytecode.CodeID]bool // code in the World; nil: not asked for yet, see isDeployed
	frontier  frontier
	layouts   map[string][]replay.Variable // nil: not read yet
}

// comparisons compare findings with other versions of the code.
type comparisons struct {
	base    map[*fuzzer.Finding]compare.Result
	release *compare.Release
	forge   map[*fuzzer.Finding]underForge
	// collisions are those of fuzz tests that fail by one.
	collisions map[*fuzzer.Finding]collision
}

// describe makes the report of a campaign that ran.
func (r *run) describe(result *fuzzer.Result, with comparisons) error {
	r.files.Reproducers = map[string]*replay.Reproducer{}
	d := &describer{change: r.change, head: r.head.Deployment, recipe: r.head.Recipe, judge: r.judge, result: result, with: with, log: r.o.Log,
		report: r.report, files: &r.files, ids: map[string]bool{}, functions: map[string]bool{}, entered: map[bytecode.Location]bool{}}
	d.stats()
	d.world()
	d.findFunctions()
	if err := d.targets(); err != nil {
		return err
	}
	d.lines()
	d.missing()
	d.starved(r.o.Gate.AllowStarved)
	return d.findings()
}

// stats sums up the campaign, and adds the tool's own faults.
func (d *describer) stats() {
	r, result := d.report, d.result
	s := result.Stats
	r.Stats = report.Stats{Executions: s.Executions, Calls: s.Calls, Seconds: s.Seconds,
		Paths: s.Paths, Seeds: s.Seeds, Blocks: s.Blocks, Stopped: result.Stopped}
	for _, b := range result.Burners {
		if b.Share >= notableShare && len(r.Stats.Burners) < maxBurners {
			r.Stats.Burners = append(r.Stats.Burners, report.Burner{Contract: b.Contract, Function: b.Function, Calls: b.Calls, Share: b.Share})
		}
	}
	for _, t := range result.Timeline {
		r.Stats.Timeline = append(r.Stats.Timeline, report.Sample{Executions: t.Executions, Calls: t.Calls, Seconds: t.Seconds,
			Paths: t.Paths, Blocks: t.Blocks, Reached: t.Reached, Findings: t.Findings})
	}
	if s.Seconds > 0 {
		r.Stats.CallsPerSecond = float64(s.Calls) / s.Seconds
	}
	for _, f := range result.Faults {
		text := ""
		if f.Sequence != nil {
			text = input.Format(d.head.Space, f.Sequence)
		}
		r.Faults = append(r.Faults, d.fault(f.Message, text, f.Mismatch))
	}
	for _, note := range result.Notes {
		d.log.Warn("%s", note)
	}
}

// stateVariables are those of all contracts of the head.
func (d *describer) stateVariables() map[string][]replay.Variable {
	if d.layouts == nil {
		d.layouts = variables(d.head.Outputs)
	}
	return d.layouts
}

// fault describes a fault, with the file of a mismatch.
func (d *describer) fault(message, text string, m *evm.Mismatch) report.Fault {
	if m == nil {
		return report.Fault{Message: message, Input: text}
	}
	world, seq := d.head.World.For(m.Sequence)
	file, err := d.files.AddFault(&replay.Fault{World: world, Sequence: seq, Lifted: true, Difference: m.Difference})
	if err != nil {
		message += "; the case could not be saved: " + err.Error()
	}
	return report.Fault{Message: message, Input: text, File: file}
}
