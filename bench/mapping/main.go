// Command mapping measures what it takes to map a large pull request: every source of a
// project that ships its build, and other files as well.
//
//	main.go     what is run, and the table
//	project.go  the pull request
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/report"
)

const doc = `Maps a diff of 300 files over the build-info that @aave/core-v3 ships with "sightline map --json",
-runs times: as it is shipped, with no compiler at hand, and with the debug build, compiled once
and then from the cache. Fails when a line of a source has no status or more than one. -seconds
has no influence.

summary: files; lines; seconds and maxRSSMB, of mapping the shipped build, compileSeconds, of the
first run with a compiler, cachedSeconds and cachedMaxRSSMB, of the others. Seconds are medians,
memory is the most that any run held.`

func main() {
	harness.Main(harness.Comparison{Name: "mapping", Doc: doc, Seconds: 60, Runs: 5, Measure: measure})
}

// setting is one way to map.
type setting struct {
	name string
	solc bool // a compiler is at hand
	runs int
}

// figures are what runs in one setting gave.
type figures struct {
	seconds []float64
	memory  float64 // most held at once, bytes
	targets int     // lines with bytecode
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	modules, err := run.Install(ctx, "mapping", harness.Packages{packageName: packageVersion}.Solc(solcVersion))
	if err != nil {
		return nil, err
	}
	tool, err := run.BuildTool(ctx)
	if err != nil {
		return nil, err
	}
	pr, err := makePullRequest(filepath.Join(run.Cache, "mapping"), filepath.Join(modules, filepath.FromSlash(packageName)))
	if err != nil {
		return nil, err
	}
	m := &mapper{run: run, tool: tool, pr: pr, solc: filepath.Join(modules, "solc-"+solcVersion)}
	// The first run with a compiler is to compile.
	m.builds, err = os.MkdirTemp(run.Cache, "mapping-builds-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(m.builds)

	table := harness.Table{Title: "mapping", Columns: []string{"build", "runs", "files", "lines", "target", "s", "MB"}}
	result := &harness.Result{Summary: map[string]float64{"files": float64(pr.files), "lines": float64(pr.lines)}}
	var all []figures
	for _, s := range []setting{
		{"as shipped (optimized)", false, run.Runs},
		{"debug build, compiled", true, 1},
		{"debug build, from the cache", true, run.Runs},
	} {
		run.Logf("%s", s.name)
		f, err := m.measure(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, f)
		table.Add(s.name, strconv.Itoa(s.runs), strconv.Itoa(pr.files), strconv.Itoa(pr.lines), strconv.Itoa(f.targets),
			harness.Summarize(f.seconds).String(), harness.Number(megabytes(f.memory)))
	}
	result.Tables = []harness.Table{table}
	shipped, compiled, cached := all[0], all[1], all[2]
	result.Summary["seconds"] = harness.Median(shipped.seconds)
	result.Summary["maxRSSMB"] = megabytes(shipped.memory)
	result.Summary["compileSeconds"] = harness.Median(compiled.seconds)
	result.Summary["cachedSeconds"] = harness.Median(cached.seconds)
	result.Summary["cachedMaxRSSMB"] = megabytes(cached.memory)
	return result, nil
}

func megabytes(bytes float64) float64 { return float64(int(bytes / 1e6)) }

// mapper runs "sightline map".
type mapper struct {
	run    *harness.Run
	tool   *harness.Tool
	pr     *pullRequest
	solc   string // the compiler
	builds string // where compiled builds are kept
}

// measure maps the pull request as often as the setting says.
func (m *mapper) measure(ctx context.Context, s setting) (figures, error) {
	args := []string{"map", "--json", "--root", m.pr.root, "--diff", m.pr.diff, "--build", m.pr.build}
	tool := m.tool.With("XDG_CACHE_HOME=" + m.builds)
	if s.solc {
		args = append(args, "--solc", m.solc)
	} else {
		// Without PATH neither solc nor node is found, and without a home no
		// compiler of another tool.
		tool = tool.With("SOLC=", "PATH=", "HOME="+m.builds)
	}
	var f figures
	for range s.runs {
		start := m.run.Now()
		out, memory, err := tool.Output(ctx, []int{exit.Pass}, args...)
		if err != nil {
			return f, err
		}
		f.seconds = append(f.seconds, m.run.Now().Sub(start).Seconds())
		f.memory = max(f.memory, memory)
		if f.targets, err = m.pr.check(out); err != nil {
			return f, err
		}
	}
	return f, nil
}

// statusTarget is what map says of a line with bytecode.
const statusTarget = "target"

// check counts the lines with bytecode. Each line of a source must be there once.
func (pr *pullRequest) check(out []byte) (targets int, err error) {
	var mapped struct {
		Lines []report.Line `json:"lines"`
	}
	if err := json.Unmarshal(out, &mapped); err != nil {
		return 0, fmt.Errorf("the output of sightline map: %w", err)
	}
	type place struct {
		file string
		line int
	}
	seen := map[place]bool{}
	for _, l := range mapped.Lines {
		at := place{l.File, l.Line}
		if l.Status == "" || seen[at] {
			return 0, fmt.Errorf("%s:%d has no status, or two", l.File, l.Line)
		}
		seen[at] = true
		if l.Status == statusTarget {
			targets++
		}
	}
	if len(seen) != pr.lines {
		return 0, fmt.Errorf("%d lines have a status, of %d that were added", len(seen), pr.lines)
	}
	return targets, nil
}
