// Command audit measures what audits of labeled contracts report.
//
//	main.go   what is measured, and the tables
//	labels.go samples, and what is known of them
//	run.go    one sample, audited
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

const doc = `Audits each sample of a folder DIR on its own, and compares what is reported with what is
known of it: go run ./bench/audit [flags] DIR. What is known comes from -labels, a file with lines such as
"a/Vault.sol 107,104" or "b/Vault.sol 107 fixed"; from pages of the Smart Contract Weakness registry
(entries/docs/SWC-*.md), of which -labels may say otherwise ("SWC-110/a.sol 110 fixed # why"); or from folders that are
named by a weakness (-folder NAME=NUMBER adds one). Without -labels, those in bench/audit/labels count for the samples that they name.
-seconds is the length of each audit, -runs how many seeds each has: a weakness is found if one of them
reports it. Weaknesses that -classes does not list are counted apart.

summary: recall is the percentage of expected weaknesses of -classes in samples that run which are
reported; alarms the number of samples labeled fixed in which their weakness is reported; notRun the
number of samples that do not compile or deploy.`

var options struct {
	folder     string
	labels     string
	only       string
	classes    string
	calls      uint64
	weaknesses map[string]string
}

// ofPapers are the weaknesses that the classes of the papers are about and that no oracle may watch
// for yet: they count as missed until one does.
var ofPapers = []string{"101", "104", "105", "106", "107", "110", "112", "113", "115", "116", "120", "123", "124", "127", "132"}

// defaultClasses are the weaknesses of all oracles, and of the papers.
func defaultClasses() string {
	all := slices.Clone(ofPapers)
	for _, o := range append(oracle.Known(), oracle.Compared()...) {
		if o.SWC != "" {
			all = append(all, o.SWC)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

func flags(f *flag.FlagSet) {
	options.weaknesses = map[string]string{}
	f.StringVar(&options.labels, "labels", "", "file that says what is known of each sample")
	f.StringVar(&options.only, "only", "", "samples to audit, parts of their names separated by commas; empty: all")
	f.StringVar(&options.classes, "classes", defaultClasses(), "numbers of the weaknesses that count, separated by commas")
	f.Uint64Var(&options.calls, "calls", 0, "calls of each audit, in place of -seconds; 0: by time")
	f.Func("folder", "`NAME=NUMBER`: folders of this name hold samples of this weakness (repeatable)", func(text string) error {
		name, number, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want NAME=NUMBER")
		}
		options.weaknesses[name] = number
		return nil
	})
}

func arguments(args []string) error {
	if len(args) != 1 {
		return errors.New("want one folder of samples")
	}
	options.folder = args[0]
	return nil
}

func main() {
	harness.Main(harness.Comparison{Name: "audit", Doc: doc, Seconds: 10, SecondsDoc: "length of each audit in seconds, compiling apart",
		Runs: 1, Measure: measure, Flags: flags, Args: arguments})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	samples, err := read(options.folder, options.labels, options.weaknesses)
	if err != nil {
		return nil, err
	}
	samples = slices.DeleteFunc(samples, func(s sample) bool {
		return !slices.ContainsFunc(strings.Split(options.only, ","), func(part string) bool { return strings.Contains(s.name, part) })
	})
	if len(samples) == 0 {
		return nil, fmt.Errorf("%s has no samples", options.folder)
	}
	auditor, err := newAuditor(run, options.calls)
	if err != nil {
		return nil, err
	}
	var results []result
	for i := range samples {
		if ctx.Err() != nil {
			break
		}
		r := auditor.audit(ctx, &samples[i])
		run.Logf("%3d of %d  %-50s %s", i+1, len(samples), samples[i].name, cmp.Or(r.failure, r.describe()))
		results = append(results, r)
	}
	return tables(results, strings.Split(options.classes, ",")), ctx.Err() // what was measured is shown
}

// class counts the samples of one weakness.
type class struct{ expected, found, fixed, alarms, notRun int }

// tables says what was reported of each sample, and sums it up by weakness.
func tables(results []result, classes []string) *harness.Result {
	all := harness.Table{Title: "samples", Columns: []string{"sample", "expected", "reported", "found"}}
	failed := harness.Table{Title: "not run", Columns: []string{"sample", "expected", "why"}}
	counts := map[string]*class{}
	others := map[string]int{}
	for i := range results {
		r := &results[i]
		for _, number := range r.expected {
			if !slices.Contains(classes, number) {
				others[number]++
				continue
			}
			if counts[number] == nil {
				counts[number] = &class{}
			}
			counts[number].add(r, number)
		}
		if r.failure != "" {
			failed.Add(r.name, r.expects(), r.failure)
			continue
		}
		all.Add(r.name, r.expects(), r.describe(), r.verdict(classes))
	}
	by := harness.Table{Title: "by weakness", Columns: []string{"SWC", "expected", "found", "fixed samples", "alarms in them", "not run"}}
	sum := class{}
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		c := counts[number]
		by.Add(number, fmt.Sprint(c.expected), fmt.Sprint(c.found), fmt.Sprint(c.fixed), fmt.Sprint(c.alarms), fmt.Sprint(c.notRun))
		sum.expected, sum.found, sum.alarms = sum.expected+c.expected, sum.found+c.found, sum.alarms+c.alarms
	}
	for _, number := range slices.Sorted(maps.Keys(others)) {
		by.Notes = append(by.Notes, fmt.Sprintf("SWC-%s is not among -classes: %d samples", number, others[number]))
	}
	out := &harness.Result{Summary: map[string]float64{"alarms": float64(sum.alarms), "notRun": float64(len(failed.Rows)), "samples": float64(len(results))},
		Tables: []harness.Table{all, failed, by}}
	if sum.expected > 0 {
		out.Summary["recall"] = 100 * float64(sum.found) / float64(sum.expected)
	}
	return out
}

// add counts a result for one of the weaknesses that are known of it.
func (c *class) add(r *result, number string) {
	reported := len(r.reported[number]) > 0
	switch {
	case r.failure != "":
		c.notRun++
	case r.fixed:
		c.fixed++
		if reported {
			c.alarms++
		}
	default:
		c.expected++
		if reported {
			c.found++
		}
	}
}
