// Command packages runs sightline on whole published packages as if every line
// were new: how much of other people's projects it can deploy and reach.
//
//	main.go    what is run, and the tables
//	corpus.go  the packages
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/published"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

const doc = `Runs the sightline binary without configuration on published packages, with a diff that
adds every line: how many contracts it deploys, and how many of the lines with code
it reaches. -seconds is shared out evenly: the default gives each package a minute.

summary: deployableShare, of the concrete contracts but mocks, tests and dependencies;
reachedShare, of lines with code; both over all packages, and by package.`

// only chooses packages; empty: all.
var only string

func main() {
	harness.Main(harness.Comparison{
		Name: "packages", Doc: doc, Seconds: float64(60 * len(corpus)), Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&only, "only", "", "run only the packages whose name holds this")
		},
	})
}

// outcome is what runs on one package gave.
type outcome struct {
	pkg        published.Package
	err        error // of the first run that failed
	deployed   int   // concrete contracts with an instance
	leftOut    int   // mocks, tests, dependencies
	undeployed []report.Undeployed
	withCode   int            // lines that are compiled to something
	statuses   map[string]int // of the last run
	reached    []float64      // lines, by run
	rates      []float64      // calls per second, by run
	seconds    []float64      // of the campaign, by run
	memory     []float64      // most held at once, bytes, by run
	warnings   []string
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	var chosen []published.Package
	for _, p := range corpus {
		if strings.Contains(p.Name, only) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %q: no package has that in its name", only)
	}
	modules, err := run.Install(ctx, "packages", published.Install(corpus))
	if err != nil {
		return nil, err
	}
	tool, err := run.BuildTool(ctx, modules)
	if err != nil {
		return nil, err
	}
	timeout := run.Share(len(chosen) * run.Runs)
	var outcomes []*outcome
	for _, p := range chosen {
		o := &outcome{pkg: p}
		for i := range run.Runs {
			run.Logf("%s, run %d of %d", p.Name, i+1, run.Runs)
			r, memory, err := fuzz(ctx, run, tool, modules, p, timeout.Seconds(), run.Seed+uint64(i))
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				o.err = err
				run.Logf("%v", err)
				break
			}
			o.add(r)
			o.memory = append(o.memory, memory)
		}
		outcomes = append(outcomes, o)
	}
	return summarize(outcomes)
}

// Exit codes that leave a report: a gate that failed is a result.
var reported = []int{exit.Pass, exit.Fail}

// fuzz runs the binary once and reads its report; memory is the most it held,
// bytes.
func fuzz(ctx context.Context, run *harness.Run, tool *harness.Tool, modules string, p published.Package, seconds float64, seed uint64) (r *report.Report, memory float64, err error) {
	work := filepath.Join(run.Cache, "packages", strings.ReplaceAll(p.Name, "/", "-"))
	out := filepath.Join(work, "out")
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(work, 0o755)); err != nil {
		return nil, 0, err
	}
	root, err := p.Prepare(modules, work)
	if err != nil {
		return nil, 0, err
	}
	diff, err := harness.AddEverything(filepath.Join(modules, filepath.FromSlash(p.Name)), p.Sources)
	if err != nil {
		return nil, 0, err
	}
	diffFile := filepath.Join(work, "all.diff")
	if err := os.WriteFile(diffFile, diff, 0o600); err != nil {
		return nil, 0, err
	}
	args := []string{"run", "--root", root, "--diff", diffFile, "--out", out, "--fail-on", "none",
		"--timeout", strconv.FormatFloat(seconds, 'f', 3, 64), "--seed", strconv.FormatUint(seed, 10)}
	if p.Build != "" {
		args = append(args, "--build", filepath.Join(root, filepath.FromSlash(p.Build)))
	}
	_, memory, err = tool.Output(ctx, reported, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", p.Name, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, 0, err
	}
	r = &report.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, 0, fmt.Errorf("%s: report.json: %w", p.Name, err)
	}
	return r, memory, nil
}

// leftOut begins the reason of a contract that is not part of the project
// proper: a mock, a test, a dependency. A contract left out because too many
// others came before it counts as not deployed.
const leftOut = "left out as "

// add takes a run's report in.
func (o *outcome) add(r *report.Report) {
	contracts := map[string]bool{}
	for _, in := range r.World.Instances {
		contracts[in.Contract] = true
	}
	o.deployed, o.undeployed, o.warnings = len(contracts), r.World.Undeployed, r.Warnings
	o.leftOut = 0
	for _, u := range r.World.Undeployed {
		if strings.HasPrefix(u.Reason, leftOut) {
			o.leftOut++
		}
	}
	o.statuses = map[string]int{}
	for _, l := range r.Lines {
		o.statuses[l.Status]++
	}
	o.withCode = len(r.Lines) - o.statuses[report.NoBytecode]
	o.reached = append(o.reached, float64(o.statuses[report.Reached]))
	o.rates = append(o.rates, r.Stats.CallsPerSecond)
	o.seconds = append(o.seconds, r.Stats.Seconds)
}

// share is a part of a whole; nothing of nothing is nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// tried counts the contracts that should be deployed.
func (o *outcome) tried() int { return o.deployed + len(o.undeployed) - o.leftOut }

// summarize makes the tables. A package that could not be run has no part in the
// shares, and is an error.
func summarize(outcomes []*outcome) (*harness.Result, error) {
	main := harness.Table{Title: "packages",
		Columns: []string{"package", "contracts", "left out", "deployed", "share", "lines with code", "reached", "share", "only-reverts", "unreached", "undeployed", "unmapped", "calls/s", "s", "MB"},
		Notes: []string{"Contracts are concrete ones, libraries apart; left out are mocks, tests and dependencies, and the share deployed is of the others. Lines reached: the median of the runs; the other statuses are those of the last run.",
			"erc721a, solmate and v3-core are made to be inherited from or linked to, and v3-core's package lacks the pool: contracts of ours (bench/internal/published/harness) make something of them, whose own lines are not counted."}}
	missing := harness.Table{Title: "not deployed", Columns: []string{"package", "contract", "reason"}}
	result := &harness.Result{Summary: map[string]float64{}}
	var deployed, contracts, reached, withCode float64
	var failed []error
	for _, o := range outcomes {
		if o.err != nil {
			failed = append(failed, o.err)
			main.Add(o.pkg.Name, "could not be run: "+shorten(o.err.Error()))
			continue
		}
		lines := harness.Median(o.reached)
		deployed += float64(o.deployed)
		contracts += float64(o.tried())
		reached += lines
		withCode += float64(o.withCode)
		deployedShare, reachedShare := share(float64(o.deployed), float64(o.tried())), share(lines, float64(o.withCode))
		if o.withCode == 0 {
			main.Add(o.pkg.Name, "0", "0", "0", "—", "0", "0", "—") // interfaces and libraries alone
			continue
		}
		result.Summary["deployableShare "+o.pkg.Name] = deployedShare
		result.Summary["reachedShare "+o.pkg.Name] = reachedShare
		main.Add(o.pkg.Name, strconv.Itoa(o.tried()+o.leftOut), strconv.Itoa(o.leftOut), strconv.Itoa(o.deployed), harness.Percent(deployedShare),
			strconv.Itoa(o.withCode), harness.Number(lines), harness.Percent(reachedShare),
			strconv.Itoa(o.statuses[report.OnlyReverts]), strconv.Itoa(o.statuses[report.Unreached]+o.statuses[report.Unreachable]),
			strconv.Itoa(o.statuses[report.Undeployable]), strconv.Itoa(o.statuses[report.Unmapped]),
			harness.Number(harness.Median(o.rates)), harness.Number(harness.Median(o.seconds)), harness.Number(math.Round(harness.Median(o.memory)/1e6)))
		for _, u := range o.undeployed {
			missing.Add(o.pkg.Name, u.Contract, shorten(u.Reason))
		}
	}
	result.Summary["deployableShare"] = share(deployed, contracts)
	result.Summary["reachedShare"] = share(reached, withCode)
	result.Tables = []harness.Table{main}
	if len(missing.Rows) > 0 {
		result.Tables = append(result.Tables, missing)
	}
	if t := warnings(outcomes); len(t.Rows) > 0 {
		result.Tables = append(result.Tables, t)
	}
	return result, errors.Join(failed...)
}

// warnings lists what the reports warn of, each once.
func warnings(outcomes []*outcome) harness.Table {
	t := harness.Table{Title: "warnings", Columns: []string{"package", "warning", "times"}}
	for _, o := range outcomes {
		count := map[string]int{}
		for _, w := range o.warnings {
			count[shorten(w)]++
		}
		for _, w := range slices.Sorted(maps.Keys(count)) {
			t.Add(o.pkg.Name, w, strconv.Itoa(count[w]))
		}
	}
	return t
}

// shorten keeps a cell readable.
func shorten(text string) string {
	const most = 160 // runes; arbitrary
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + " …"
	}
	return text
}
