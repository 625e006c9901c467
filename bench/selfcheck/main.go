// Command selfcheck measures which planted mistakes sightline catches in other people's projects.
//
//	main.go     what is measured
//	projects.go the projects, and which of their files count as changed
//	forge.go    the Foundry tests of mistakes, under forge
//	tables.go   what became of the mistakes, by project, operator and oracle
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

const doc = `Runs sightline run --self-check on files of published packages and on the examples, each as a pull
request that adds the files (the examples: as their own): mistakes are planted in the changed lines, and each is fuzzed as a pull request of its own, whose base
is the code as it is. -seconds is the most that the campaigns against one mistake take, and -mutants the number of mistakes in each project.

summary: caught is the percentage of mistakes, those apart that change nothing which a call can show, that fail the check or are
named in the comment; failing, of those that fail it; by project as well. sampled are the mistakes whose Foundry test forge ran (-forge), and confirmed those
of which it fails with the mistake and passes without.`

var options struct {
	only    string
	mutants int
	forge   int
	keep    string
	from    string
}

func main() {
	harness.Main(harness.Comparison{
		Name: "selfcheck", Doc: doc, Seconds: 60, SecondsDoc: "length of the campaigns against each mistake, at most, in seconds", Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&options.only, "only", "", "projects to measure, parts of their names separated by commas; empty: all")
			flags.IntVar(&options.mutants, "mutants", 12, "mistakes in each project")
			flags.IntVar(&options.forge, "forge", 0, "run the Foundry tests of `N` mistakes under forge, with the mistake and without")
			flags.StringVar(&options.from, "from", "", "take the reports from this `FOLDER`, where -keep has put them, instead of making them")
			flags.StringVar(&options.keep, "keep", "", "a `FOLDER` to copy the reports to")
		},
	})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := run.Install(ctx, "selfcheck", packages())
	if err != nil {
		return nil, err
	}
	tool, err := run.BuildTool(ctx, modules)
	if err != nil {
		return nil, err
	}
	var results []result
	for i := range projects {
		p := &projects[i]
		if !chosen(p.name(), options.only) {
			continue
		}
		for n := range run.Runs {
			if ctx.Err() != nil {
				break
			}
			r, err := check(ctx, run, tool, modules, p, run.Seed+uint64(n))
			if err != nil {
				run.Logf("%s: %v", p.name(), err)
				results = append(results, result{project: p, failure: err.Error()})
				break
			}
			run.Logf("%s: %s", p.name(), r.Headline())
			results = append(results, result{project: p, check: r})
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("-only %q: no project has that in its name", options.only)
	}
	out := tables(results)
	if options.forge > 0 {
		list, err := confirm(ctx, run, modules, results, options.forge)
		if err != nil {
			return nil, err
		}
		table, holds := ofForge(list)
		out.Tables = append(out.Tables, table)
		out.Summary["sampled"], out.Summary["confirmed"] = float64(len(list)), float64(holds)
	}
	return out, ctx.Err()
}

func chosen(name, only string) bool {
	for part := range strings.SplitSeq(only, ",") {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// firstSeconds is the length of the campaign on the code as it is, whose inputs the others begin with. Arbitrary.
const firstSeconds = 10

// check runs the binary once, and returns what it says of the mistakes.
func check(ctx context.Context, run *harness.Run, tool *harness.Tool, modules string, p *project, seed uint64) (*report.SelfCheck, error) {
	name := fmt.Sprintf("%s-%d.json", strings.ReplaceAll(strings.TrimPrefix(p.name(), "@"), "/", "-"), seed)
	if options.from != "" {
		text, err := os.ReadFile(filepath.Join(options.from, name))
		if err != nil {
			return nil, err
		}
		return read(text)
	}
	work := filepath.Join(run.Cache, "selfcheck", strings.ReplaceAll(p.name(), "/", "-"))
	out := filepath.Join(work, "out")
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(work, 0o755)); err != nil {
		return nil, err
	}
	args, err := p.arguments(run, modules, work)
	if err != nil {
		return nil, err
	}
	args = append(args, "--out", out, "--timeout", strconv.Itoa(firstSeconds), "--self-check", "--self-check-mutants", strconv.Itoa(options.mutants),
		"--self-check-timeout", strconv.FormatFloat(run.Seconds, 'f', 3, 64), "--seed", strconv.FormatUint(seed, 10))
	if _, _, err := tool.Output(ctx, []int{exit.Pass, exit.Fail}, args...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, err
	}
	check, err := read(text)
	if err == nil && options.keep != "" {
		err = errors.Join(os.MkdirAll(options.keep, 0o755), os.WriteFile(filepath.Join(options.keep, name), text, 0o600))
	}
	return check, err
}

// read reads what a report says of planted mistakes.
func read(text []byte) (*report.SelfCheck, error) {
	r := &report.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("report.json: %w", err)
	}
	if r.SelfCheck == nil {
		return nil, fmt.Errorf("no mistake was planted: %s", r.Reason)
	}
	return r.SelfCheck, nil
}
