// Command pairs maps the changes between published versions of
// @openzeppelin/contracts, there and back, and checks that every changed line
// ends in exactly one status.
//
//	main.go     what is run, and the tables
//	project.go  what measurements need, and two versions as a git repository
//	check.go    what must hold of a mapping
//	bugs.go     what a campaign says of them
//	cost.go     what comparing with the base costs a campaign
//	history.go  consecutive versions as a repository's history
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap"
)

const doc = `Maps the changes between pairs of versions of @openzeppelin/contracts, both ways, with
"sightline map", and fails when a changed line has no status or more than one. The first
run of a pair may compile; -runs further ones measure the time with the build at hand.
-seconds has no influence.

-bugs runs "sightline run" on each pair instead, -seconds long and with -runs seeds: one way brings in a known bug, the other
mends it. summary: shown, pairs whose bug shows in a difference from the base; found, those with a finding;
fixesWithoutFinding.

-cost runs it on each pair with all oracles, and with those of a single execution alone, in turns. summary: medianRatio and
worstRatio of the executions per second of the campaigns on the head.

-history maps each of 14 consecutive releases against the one before instead, all sources of the
package, and compares the changed lines with those that git itself names.

summary: lines and violations, over all; targetShare, of the lines; medianSeconds. With -history:
steps, files, lines, violations, medianSeconds.`

// history, bugs and cost choose what is measured: the releases' history, or what campaigns say of the
// pairs, and not the mapping of the pairs.
var history, bugs, cost bool

// only is a part of the names of contracts to measure; empty: all.
var only string

func main() {
	harness.Main(harness.Comparison{
		Name: "pairs", Doc: doc, Seconds: 60, Runs: 1,
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&bugs, "bugs", false, "run a campaign of -seconds on each pair, -runs times, and list what it says")
			flags.BoolVar(&cost, "cost", false, "compare campaigns with all oracles with those that compare nothing with the base, -seconds long and with -runs seeds")
			flags.StringVar(&only, "only", "", "of the pairs, only those of contracts whose name contains `NAME`")
			flags.BoolVar(&history, "history", false, "map each of consecutive releases against the one before")
		},
		Measure: func(ctx context.Context, run *harness.Run) (*harness.Result, error) {
			switch {
			case history:
				return measureHistory(ctx, run)
			case bugs:
				return measureBugs(ctx, run)
			case cost:
				return measureCost(ctx, run)
			}
			return measure(ctx, run)
		},
	})
}

// pair is two versions, the compiler for both, and a contract of our own that
// uses what changed: most of the package is abstract contracts and libraries,
// which are compiled to nothing by themselves.
type pair struct {
	base, head string
	solc       string
	harness    string
}

// pairs are those with a known bug in the changed lines.
var pairs = []pair{
	{"4.3.2", "4.3.3", "0.8.17", "ERC1155Supply"},
	{"4.4.0", "4.4.1", "0.8.9", "Initializable"}, // newer compilers refuse its Governor
	{"4.7.1", "4.7.2", "0.8.17", "Governor"},
	{"4.7.2", "4.7.3", "0.8.17", "ECDSA"},
	{"4.8.1", "4.8.2", "0.8.17", "ERC721Consecutive"},
	{"4.9.1", "4.9.2", "0.8.17", "MerkleProof"},
	{"4.9.3", "4.9.4", "0.8.17", "Multicall"},
	{"4.9.4", "4.9.5", "0.8.17", "Multicall"},
	{"5.0.1", "5.0.2", "0.8.24", "Base64"},
}

// harnesses are those contracts, to be added to the package's sources.
//
//go:embed harness/*.sol
var harnesses embed.FS

func (p pair) String() string { return p.base + " → " + p.head }

// bothWays lists each pair and its mirror image: the fix, and the pull request
// that brings the bug in.
func bothWays() []pair {
	var list []pair
	for _, p := range pairs {
		if strings.Contains(p.harness, only) {
			list = append(list, p, pair{p.head, p.base, p.solc, p.harness})
		}
	}
	return list
}

// alias is the name a version is installed under.
func alias(version string) string { return "oz-" + version }

func packages() harness.Packages {
	list := harness.Packages{}
	for _, p := range pairs {
		for _, v := range []string{p.base, p.head} {
			list[alias(v)] = "npm:@openzeppelin/contracts@" + v
		}
		list.Solc(p.solc)
	}
	return list
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	l, err := open(ctx, run)
	if err != nil {
		return nil, err
	}
	defer l.close()

	table := harness.Table{Title: "pairs", Columns: []string{"base → head", "files", "lines", "target", "undeployed", "unmapped", "no-bytecode", "deletions", "violations", "first s", "again s"},
		Notes: []string{"Lines are changed ones of the head version, with the places where lines were only deleted (deletions)."}}
	var total counts
	var again []float64
	var failed []error
	for i, p := range bothWays() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o, err := l.mapPair(ctx, filepath.Join(l.work, strconv.Itoa(i)), p)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p, err))
			table.Add(p.String(), "could not be mapped")
			continue
		}
		for _, v := range o.violations {
			failed = append(failed, fmt.Errorf("%s: %s", p, v))
		}
		again = append(again, o.again)
		total.add(o.counts)
		table.Add(p.String(), strconv.Itoa(o.files), strconv.Itoa(o.lines), strconv.Itoa(o.status[statusTarget]),
			strconv.Itoa(o.status[string(diffmap.Undeployed)]), strconv.Itoa(o.status[string(diffmap.Unmapped)]), strconv.Itoa(o.status[string(diffmap.NoBytecode)]),
			strconv.Itoa(o.deletions), strconv.Itoa(len(o.violations)), harness.Number(o.first), harness.Number(o.again))
		run.Logf("%s: %d lines, %d violations", p, o.lines, len(o.violations))
	}
	result := &harness.Result{Tables: []harness.Table{table}, Summary: map[string]float64{
		"lines":      float64(total.lines),
		"violations": float64(len(failed)),
	}}
	if total.lines > 0 {
		result.Summary["targetShare"] = float64(total.status[statusTarget]) / float64(total.lines)
		result.Summary["medianSeconds"] = harness.Median(again)
	}
	return result, errors.Join(failed...)
}

// outcome is what mapping one pair gave.
type outcome struct {
	counts
	files        int
	violations   []string
	first, again float64 // seconds
}

// mapPair makes the project of a pair at root and maps its change.
func (l *lab) mapPair(ctx context.Context, root string, p pair) (*outcome, error) {
	if err := l.makeProject(ctx, root, p); err != nil {
		return nil, err
	}
	changed, err := changedLines(ctx, root, "--no-renames", "HEAD")
	if err != nil {
		return nil, err
	}
	m := mapper{run: l.run, tool: l.tool, root: root, solc: l.solc(p)}
	first, mapping, err := m.mapChange(ctx, "--base", "HEAD")
	if err != nil {
		return nil, err
	}
	o := &outcome{files: len(changed), first: first}
	o.counts, o.violations = check(changed, mapping.Lines)
	var times []float64
	for range l.run.Runs {
		seconds, _, err := m.mapChange(ctx, "--base", "HEAD")
		if err != nil {
			return nil, err
		}
		times = append(times, seconds)
	}
	o.again = harness.Median(times)
	return o, nil
}
