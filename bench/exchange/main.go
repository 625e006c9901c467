// Command exchange measures the live exchange in processes of its own on this machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/fleet"
	"github.com/sightline-evm/sightline/bench/internal/harness"
)

const doc = `Runs fleets of workers and a hub as processes on this machine:

  -kills N    N runs of four workers and a hub, in each of which workers, the hub, or both are
              killed with -9 at random moments; -seconds is the length of a campaign
  -soak D     two workers and a hub for so long: memory and seeds over time

summary: of -kills, runs, faults, beyondLimitSeconds (the longest that a survivor took beyond its limit) and hubMB,
the most that the hub held; of -soak, hubMB and storeMB at the end. -runs means nothing here. Exit code 1 on a fault.`

var options struct {
	kills   int
	soak    time.Duration
	every   time.Duration
	example string
	workers int
}

func main() {
	harness.Main(harness.Comparison{
		Name: "exchange", Doc: doc, Seconds: 6, SecondsDoc: "length of each worker's campaign in seconds, with -kills", Runs: 1, Measure: measure,
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&options.kills, "kills", 0, "so many runs with kills")
			flags.DurationVar(&options.soak, "soak", 0, "one run of two workers for so long")
			flags.DurationVar(&options.every, "every", time.Minute, "a row of -soak for so long")
			flags.StringVar(&options.example, "example", "crowdsale", "the embedded example that is fuzzed")
			flags.IntVar(&options.workers, "workers", 4, "of a run, with -kills")
		},
	})
}

func measure(ctx context.Context, run *harness.Run) (*harness.Result, error) {
	if (options.kills > 0) == (options.soak > 0) {
		return nil, errors.New("want -kills N or -soak D")
	}
	dir, err := os.MkdirTemp("", "sightline-exchange-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	programs, err := fleet.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	plan := filepath.Join(dir, "plan.tar")
	if err := fleet.Plan(ctx, options.example, plan); err != nil {
		return nil, err
	}
	if options.kills > 0 {
		return kills(ctx, run, programs, plan, dir)
	}
	return soak(ctx, run, programs, plan, dir)
}

// kinds of runs, in turns: what is killed.
var kinds = []struct {
	name    string
	workers int
	hub     bool
	restart bool
}{
	{"a worker", 1, false, false},
	{"three workers", 3, false, false},
	{"the hub", 0, true, false},
	{"the hub, started again", 0, true, true},
	{"two workers and the hub, started again", 2, true, true},
	{"two workers and the hub", 2, true, false},
}

// kills runs fleets in which something is killed.
func kills(ctx context.Context, run *harness.Run, programs fleet.Programs, plan, dir string) (*harness.Result, error) {
	table := harness.Table{Title: "kills", Columns: []string{"run", "killed", "workers killed", "survivors complete", "s beyond the limit", "MB of the hub", "targets: all workers", "least of a survivor", "inputs of others run"}}
	result := &harness.Result{Summary: map[string]float64{}}
	faults, worst, memory := 0, time.Duration(0), int64(0)
	for n := range options.kills {
		kind := kinds[n%len(kinds)]
		at := filepath.Join(dir, fmt.Sprintf("run-%d", n))
		out, err := fleet.Run(ctx, fleet.Options{
			Programs: programs, Plan: plan, Dir: at, Workers: options.workers, Timeout: time.Duration(run.Seconds * float64(time.Second)),
			Rand: rand.New(rand.NewPCG(run.Seed, uint64(n))), KillWorkers: kind.workers, KillHub: kind.hub, RestartHub: kind.restart,
		})
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", n+1, err)
		}
		killed, complete, survivors, overrun, received := 0, 0, 0, time.Duration(0), 0
		for i := range out.Workers {
			w := &out.Workers[i]
			if w.Killed {
				killed++
				continue
			}
			survivors++
			if w.Exit == 0 && w.End == "done" {
				complete++
			}
			overrun = max(overrun, w.Overrun)
			received += w.Received()
		}
		union, least := out.Union()
		table.Add(strconv.Itoa(n+1), kind.name, strconv.Itoa(killed), fmt.Sprintf("%d of %d", complete, survivors), harness.Number(overrun.Seconds()),
			strconv.FormatInt(out.HubPeak>>20, 10), strconv.Itoa(union), strconv.Itoa(least), strconv.Itoa(received))
		if err := out.Check(0); err != nil {
			faults++
			table.Notes = append(table.Notes, fmt.Sprintf("run %d: %s: %v", n+1, strings.Join(out.Done, ", "), err))
		}
		worst, memory = max(worst, overrun), max(memory, out.HubPeak)
		run.Logf("%d of %d runs, %d with a fault", n+1, options.kills, faults)
		if err := os.RemoveAll(at); err != nil {
			return nil, err
		}
	}
	result.Tables = []harness.Table{table}
	result.Summary["runs"], result.Summary["faults"] = float64(options.kills), float64(faults)
	result.Summary["beyondLimitSeconds"], result.Summary["hubMB"] = worst.Seconds(), float64(memory>>20)
	if faults > 0 {
		return result, fmt.Errorf("%d runs failed", faults)
	}
	return result, nil
}

// soak runs two workers for long.
func soak(ctx context.Context, run *harness.Run, programs fleet.Programs, plan, dir string) (*harness.Result, error) {
	table := harness.Table{Title: "soak", Columns: []string{"after", "MB of the hub", "MB of the workers", "MB of the store"}}
	result := &harness.Result{Summary: map[string]float64{}}
	var next time.Duration
	out, err := fleet.Run(ctx, fleet.Options{
		Programs: programs, Plan: plan, Dir: filepath.Join(dir, "soak"), Workers: 2, Timeout: options.soak,
		Watch: func(s fleet.Sight) {
			result.Summary["hubMB"], result.Summary["storeMB"] = float64(s.Hub>>20), float64(s.StoreSize)/1e6
			if s.After < next {
				return
			}
			next += options.every
			var memory []string
			for _, bytes := range s.Workers {
				memory = append(memory, strconv.FormatInt(bytes>>20, 10))
			}
			table.Add(s.After.Round(time.Second).String(), strconv.FormatInt(s.Hub>>20, 10), strings.Join(memory, ", "), harness.Number(float64(s.StoreSize)/1e6))
			run.Logf("%s of %s", s.After.Round(time.Second), options.soak)
		},
	})
	if err != nil {
		return nil, err
	}
	for i := range out.Workers {
		w := &out.Workers[i]
		table.Notes = append(table.Notes, fmt.Sprintf("Worker %d: exit code %d, %s; %s.", i+1, w.Exit, w.End, w.Exchanged()))
	}
	result.Tables = []harness.Table{table}
	return result, out.Check(0)
}
