// Command setups measures what the World that a project's own tests set up is worth:
// of the lines that forge's unit tests reach, how many Sightline reaches without
// configuration.
//
//	main.go      what is measured, and the tables
//	projects.go  the projects
//	coverage.go  which lines forge's tests reach
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/clones"
	"github.com/sightline-evm/sightline/bench/internal/forge"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

const doc = `Runs forge ` + forge.Version + ` from npm with its coverage on Foundry projects by others: three of an npm package, and
the HEAD of each local clone that is named. Then it runs the sightline binary without configuration on a diff that
adds the files whose lines the tests reach; once as it is, and once with --setup none, which is what there was before.

summary: reachedShare, of the lines that forge's unit tests reach, those that Sightline executes; earlyShare, of
these, those that it executes within 5 s of the first call; automaticShare, reachedShare without the tests' set-ups;
all over all projects, and by project.`

// Flags and arguments.
var (
	only      string // chooses projects; empty: all
	clonesDir string // of clones that submodules are taken from
	libraries = clones.Libraries{}
	dirs      []string // clones that are projects
)

func main() {
	harness.Main(harness.Comparison{
		Name: "setups", Doc: doc, Seconds: 60, SecondsDoc: "length of each campaign in seconds", Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&only, "only", "", "run only the projects whose name holds this")
			flags.StringVar(&clonesDir, "clones", "", "folder of more clones that submodules are taken from")
			flags.Var(libraries, "library", "`NAME=DIR`: a submodule that no clone has is a copy of this folder")
		},
		Args: func(folders []string) error {
			dirs = folders
			return nil
		},
	})
}

// modes are the ways to make the World that are compared, with their flags.
var modes = []struct {
	name, summary string
	flags         []string
}{
	{"set up by the tests", "reachedShare", nil},
	{"automatic", "automaticShare", []string{"--setup", "none"}},
}

// early is how soon what a project's tests reach should be reached, seconds after the
// first call.
const early = 5

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := run.Install(ctx, "setups", packages())
	if err != nil {
		return nil, err
	}
	tool, program, environment, err := build(ctx, run, modules)
	if err != nil {
		return nil, err
	}
	chosen, err := chosenProjects()
	if err != nil {
		return nil, err
	}
	result := &harness.Result{Summary: map[string]float64{}}
	table := harness.Table{
		Title: "lines of the contracts under test that forge's unit tests reach",
		Columns: []string{"project", "forge's tests", "lines", "World", "set-ups", "instances", "executed", "share", "of these within 5 s", "in calls that succeed",
			"executed, and not by forge's tests", "calls/s"},
		Notes: []string{runsNote(chosen), "Lines are those that forge's coverage counts and that Sightline has bytecode of. Executed: the median of the runs; the other figures are those of the last run. Within 5 s: of the first call."},
	}
	lines, executed, soon := 0.0, make([]float64, len(modes)), make([]float64, len(modes))
	for _, p := range chosen {
		folder := filepath.Join(run.Cache, "setups", p.name)
		if err := p.prepare(ctx, modules, folder); err != nil {
			return nil, err
		}
		run.Logf("%s: forge coverage", p.name)
		cover, err := p.coverage(ctx, filepath.Join(program, "forge"), folder, environment)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for i, mode := range modes {
			var got []float64
			var last *comparison
			for round := range run.Runs {
				run.Logf("%s, %s, run %d of %d", p.name, mode.name, round+1, run.Runs)
				r, err := fuzz(ctx, tool, folder, cover, mode.flags, run.Seconds, run.Seed+uint64(round))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", p.name, err)
				}
				last = compare(cover, r)
				got = append(got, float64(last.executed))
			}
			share := harness.Median(got) / float64(last.lines)
			result.Summary[mode.summary+" "+p.name] = share
			executed[i] += harness.Median(got)
			soon[i] += float64(last.early)
			if i == 0 {
				lines += float64(last.lines)
				result.Summary["earlyShare "+p.name] = float64(last.early) / float64(last.executed)
			}
			table.Add(p.name, cover.Tests, strconv.Itoa(last.lines), mode.name, strconv.Itoa(last.setUps), strconv.Itoa(last.instances), harness.Number(harness.Median(got)), harness.Percent(share),
				harness.Percent(float64(last.early)/float64(last.executed)), strconv.Itoa(last.kept), strconv.Itoa(last.more), harness.Number(last.rate))
		}
	}
	for i, mode := range modes {
		result.Summary[mode.summary] = executed[i] / lines
	}
	result.Summary["earlyShare"] = soon[0] / executed[0]
	result.Tables = append(result.Tables, table)
	return result, nil
}

// build builds the binary. program is the folder of forge, which has to run with the environment.
func build(ctx context.Context, run *harness.Run, modules string) (tool *harness.Tool, program string, environment []string, err error) {
	installed := []string{modules}
	if len(dirs) > 0 { // clones name their compilers
		versions := clones.Compilers()
		more, err := run.Install(ctx, "history", forge.Packages(versions[0]).Solc(versions...))
		if err != nil {
			return nil, "", nil, err
		}
		installed = append(installed, more)
		if environment, err = forge.Home(filepath.Join(run.Cache, "history", "home"), more); err != nil {
			return nil, "", nil, err
		}
	}
	if tool, err = run.BuildTool(ctx, installed...); err != nil {
		return nil, "", nil, err
	}
	program = filepath.Join(modules, "@foundry-rs", "forge-linux-amd64", "bin")
	return tool.With(append(slices.Clone(environment), "PATH="+program+string(os.PathListSeparator)+os.Getenv("PATH"))...), program, environment, nil
}

// chosenProjects are those of the corpus and the clones that were named, or some of them.
func chosenProjects() ([]project, error) {
	all := slices.Clone(corpus)
	for _, dir := range dirs {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, project{name: clones.Name(dir), clone: absolute})
	}
	chosen := slices.DeleteFunc(all, func(p project) bool { return !strings.Contains(p.name, only) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %q: no project has that in its name", only)
	}
	return chosen, nil
}

// runsNote says how often forge runs tests with arguments.
func runsNote(projects []project) string {
	var runs []string
	for _, p := range projects {
		runs = append(runs, fmt.Sprintf("%d in %s", cmp.Or(p.fuzzRuns, fuzzRuns), p.name))
	}
	return "Runs of each of forge's tests with arguments: " + strings.Join(runs, ", ") + "."
}

// fuzz runs the binary on a diff that adds the covered files.
func fuzz(ctx context.Context, tool *harness.Tool, folder string, cover *forge.Coverage, flags []string, seconds float64, seed uint64) (*report.Report, error) {
	diff, err := harness.AddFiles(folder, files(cover))
	if err != nil {
		return nil, err
	}
	diffFile, out := folder+".diff", folder+"-out"
	if err := errors.Join(os.WriteFile(diffFile, diff, 0o600), os.RemoveAll(out)); err != nil {
		return nil, err
	}
	args := append([]string{"run", "--root", folder, "--diff", diffFile, "--out", out, "--fail-on", "none",
		"--timeout", strconv.FormatFloat(seconds, 'f', 3, 64), "--seed", strconv.FormatUint(seed, 10)}, flags...)
	if _, _, err := tool.Output(ctx, []int{exit.Pass, exit.Fail, exit.Failure}, args...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, err
	}
	r := &report.Report{}
	return r, json.Unmarshal(text, r)
}

// comparison is what a run reached of what forge's tests reach.
type comparison struct {
	lines             int // that forge's tests reach, and that have bytecode
	executed, kept    int // of these: by any call, and by one that succeeded
	early             int // of the executed: within 5 s of the first call
	more              int // lines that forge counts, and that its tests do not reach
	setUps, instances int
	rate              float64 // calls per second
}

func compare(cover *forge.Coverage, r *report.Report) *comparison {
	c := &comparison{instances: len(r.World.Instances), rate: r.Stats.CallsPerSecond}
	for _, up := range r.World.Setups {
		if up.Failure == "" {
			c.setUps++
		}
	}
	first := map[forge.Place]float64{} // when a line was first executed, in any contract
	start := math.Inf(1)               // the first call, as far as that shows: before it, code is analyzed
	for _, t := range r.Targets {
		if t.Executions > 0 {
			start = min(start, t.Seconds)
		}
		at := forge.Place{File: t.File, Line: t.Line}
		if seconds, known := first[at]; executed(t.Status) && (!known || t.Seconds < seconds) {
			first[at] = t.Seconds
		}
	}
	for _, l := range r.Lines {
		at := forge.Place{File: l.File, Line: l.Line}
		hits, counted := cover.Hits[at]
		switch {
		case !counted || l.Status == report.NoBytecode:
		case hits == 0 && executed(l.Status):
			c.more++
		case hits > 0:
			c.lines++
			if executed(l.Status) {
				c.executed++
				if first[at]-start <= early {
					c.early++
				}
			}
			if l.Status == report.Reached {
				c.kept++
			}
		}
	}
	return c
}

// executed reports whether a status is that of a line that was executed.
func executed(status string) bool { return status == report.Reached || status == report.OnlyReverts }
