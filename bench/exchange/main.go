// Command exchange measures the live exchange in processes of its own on this machine:
//
//	-kills N    N runs of four workers and a hub, in each of which workers, the hub, or both are killed with -9 at random moments
//	-soak D     two workers and a hub for so long: memory and seeds over time
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/fleet"
)

var options struct {
	kills   int
	soak    time.Duration
	every   time.Duration
	example string
	seconds float64
	workers int
	seed    uint64
}

func main() {
	flag.IntVar(&options.kills, "kills", 0, "so many runs with kills")
	flag.DurationVar(&options.soak, "soak", 0, "one run of two workers for so long")
	flag.DurationVar(&options.every, "every", time.Minute, "a row of -soak for so long")
	flag.StringVar(&options.example, "example", "crowdsale", "the embedded example that is fuzzed")
	flag.Float64Var(&options.seconds, "seconds", 6, "of each worker's campaign, with -kills")
	flag.IntVar(&options.workers, "workers", 4, "of a run, with -kills")
	flag.Uint64Var(&options.seed, "seed", 1, "of what is killed when")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "sightline-exchange-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs, err := fleet.Build(ctx, dir)
	if err != nil {
		return err
	}
	plan := filepath.Join(dir, "plan.tar")
	if err := fleet.Plan(ctx, options.example, plan); err != nil {
		return err
	}
	switch {
	case options.kills > 0:
		return kills(ctx, programs, plan, dir)
	case options.soak > 0:
		return soak(ctx, programs, plan, dir)
	}
	return fmt.Errorf("want -kills N or -soak D")
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
func kills(ctx context.Context, programs fleet.Programs, plan, dir string) error {
	fmt.Fprintln(os.Stdout, "| run | killed | workers killed | survivors complete | longest beyond the limit | hub's memory | targets: all workers / least of a survivor | inputs of others run |")
	fmt.Fprintln(os.Stdout, "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	failed, worst, memory := 0, time.Duration(0), int64(0)
	for n := range options.kills {
		kind := kinds[n%len(kinds)]
		at := filepath.Join(dir, fmt.Sprintf("run-%d", n))
		out, err := fleet.Run(ctx, fleet.Options{
			Programs: programs, Plan: plan, Dir: at, Workers: options.workers, Timeout: time.Duration(options.seconds * float64(time.Second)),
			Rand: rand.New(rand.NewPCG(options.seed, uint64(n))), KillWorkers: kind.workers, KillHub: kind.hub, RestartHub: kind.restart,
		})
		if err != nil {
			return fmt.Errorf("run %d: %w", n, err)
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
		fmt.Fprintf(os.Stdout, "| %d | %s | %d | %d of %d | %.1f s | %d MB | %d / %d | %d |\n", n+1, kind.name, killed, complete, survivors, overrun.Seconds(), out.HubPeak>>20, union, least, received)
		if err := out.Check(0); err != nil {
			failed++
			fmt.Fprintf(os.Stdout, "\nrun %d: %s: %v\n\n", n+1, strings.Join(out.Done, ", "), err)
		}
		worst, memory = max(worst, overrun), max(memory, out.HubPeak)
		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stdout, "\n%d runs: %d with a fault; the longest that a survivor took beyond its limit is %.1f s; the hub had at most %d MB in memory\n", options.kills, failed, worst.Seconds(), memory>>20)
	if failed > 0 {
		return fmt.Errorf("%d runs failed", failed)
	}
	return nil
}

// soak runs two workers for long.
func soak(ctx context.Context, programs fleet.Programs, plan, dir string) error {
	fmt.Fprintln(os.Stdout, "| after | hub's memory | workers' memory | store |")
	fmt.Fprintln(os.Stdout, "| ---: | ---: | ---: | ---: |")
	var next time.Duration
	out, err := fleet.Run(ctx, fleet.Options{
		Programs: programs, Plan: plan, Dir: filepath.Join(dir, "soak"), Workers: 2, Timeout: options.soak,
		Watch: func(s fleet.Sight) {
			if s.After < next {
				return
			}
			next += options.every
			var memory []string
			for _, bytes := range s.Workers {
				memory = append(memory, fmt.Sprintf("%d MB", bytes>>20))
			}
			fmt.Fprintf(os.Stdout, "| %s | %d MB | %s | %.1f MB |\n", s.After.Round(time.Second), s.Hub>>20, strings.Join(memory, ", "), float64(s.StoreSize)/1e6)
		},
	})
	if err != nil {
		return err
	}
	for i := range out.Workers {
		w := &out.Workers[i]
		fmt.Fprintf(os.Stdout, "\nworker %d: exit %d, %s; %s\n", i, w.Exit, w.End, w.Exchanged())
	}
	return out.Check(0)
}
