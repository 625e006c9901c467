// Command techniques measures what each of the fuzzer's techniques is worth: the
// product's against all but one, or one more.
//
//	main.go      what is measured, in rounds
//	subjects.go  contracts, targets and assertions
//	campaign.go  one campaign, and what is noted of it
//	tables.go    the comparison
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

const doc = `Measures what each technique of the fuzzer is worth: campaigns of one worker with the
product's techniques, and with all but one, or with one that the product does not use,
from the same seeds. Three things are measured:

  coverage    -limit executions without targets: branch sides and instructions covered in the end,
              and how long it takes to cover as many sides as the worst campaign did
  targets     the targets of bench/targets that are not too far, each alone
  assertions  the planted assertions of the fuzzer's tests, and the crowdsale's

A miss counts as the limit. The same seed takes the same number of executions again;
-seconds bounds the whole and leaves later seeds out, in rounds.

summary, for each technique by its name: coverSpeedup, targetSpeedup and assertionSpeedup, the
geometric means over the subjects of the median executions without it, divided by those with
it, above 1 when it helps; branchShare and instructionShare, the coverage without it in percent
of that with it, as in Fig. 7 of MuFuzz; significantly better and worse are counted over all
subjects.`

var options struct {
	limit      uint64
	only       string
	techniques string
	parallel   int
}

func flags(f *flag.FlagSet) {
	f.Uint64Var(&options.limit, "limit", 6_000, "executions after which a campaign ends, or has missed what it was after")
	f.StringVar(&options.only, "only", "", "subjects to measure, parts of their names separated by commas; empty: all")
	f.StringVar(&options.techniques, "techniques", strings.Join(fuzzer.TechniqueNames(), ","), "techniques to measure")
	f.IntVar(&options.parallel, "parallel", 2, "campaigns at a time")
}

func main() {
	harness.Main(harness.Comparison{Name: "techniques", Doc: doc, Seconds: 3600, Runs: 10, Measure: measure, Flags: flags})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	if options.parallel < 1 || options.limit < 1 {
		return nil, fmt.Errorf("-parallel %d, -limit %d: want at least 1", options.parallel, options.limit)
	}
	contenders, err := contendersOf(options.techniques)
	if err != nil {
		return nil, err
	}
	subjects, err := open(ctx, run)
	if err != nil {
		return nil, err
	}
	samples, err := race(ctx, run, subjects, contenders)
	if err != nil {
		return nil, err
	}
	return report(subjects, contenders, samples), nil
}

// contender is a way to run campaigns; the first one is the product's.
type contender struct {
	name          string // of the technique that it lacks, or has in addition
	without, with fuzzer.Techniques
}

// added reports whether the contender is the one that has the technique.
func (c *contender) added() bool { return c.with != fuzzer.Techniques{} }

func contendersOf(names string) ([]contender, error) {
	contenders := []contender{{}}
	for name := range strings.SplitSeq(names, ",") {
		technique, err := fuzzer.TechniquesNamed(name)
		if err != nil {
			return nil, fmt.Errorf("-techniques: %w", err)
		}
		switch {
		case technique == fuzzer.Techniques{}:
			return nil, errors.New("-techniques: an empty name")
		case slices.Contains(fuzzer.Optional(), name):
			contenders = append(contenders, contender{name: name, with: technique})
		default:
			contenders = append(contenders, contender{name: name, without: technique})
		}
	}
	return contenders, nil
}

// wanted reports whether -only names a subject.
func wanted(name string) bool {
	return slices.ContainsFunc(strings.Split(options.only, ","), func(part string) bool { return strings.Contains(name, part) })
}

// race runs all campaigns: seed by seed, and within a seed subject by subject with
// all contenders, so that what slows the machine down slows all of them down. The
// samples are by subject and contender.
func race(ctx context.Context, run *harness.Run, subjects []*subject, contenders []contender) ([][][]sample, error) {
	samples := make([][][]sample, len(subjects))
	for i := range samples {
		samples[i] = make([][]sample, len(contenders))
	}
	var mu sync.Mutex
	begun := run.Now()
	for seed := range run.Runs {
		if spent := run.Now().Sub(begun).Seconds(); seed > 0 && spent*float64(seed+1) > run.Seconds*float64(seed) {
			run.Logf("time is up after %d of %d seeds", seed, run.Runs)
			break
		}
		n := len(subjects) * len(contenders)
		err := timetotarget.Parallel(ctx, n, options.parallel, func(i int) error {
			s, c := subjects[i/len(contenders)], (i+seed)%len(contenders)
			result, err := s.run(ctx, run, &contenders[c], run.Seed+uint64(seed))
			if err != nil {
				return fmt.Errorf("%s, contender %q: %w", s.name, contenders[c].name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			samples[i/len(contenders)][c] = append(samples[i/len(contenders)][c], *result)
			return nil
		})
		if err != nil {
			return nil, err
		}
		run.Logf("seed %d: %d campaigns, %.0f s", run.Seed+uint64(seed), n, run.Now().Sub(begun).Seconds())
	}
	return samples, nil
}
