package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

// measured is what came of a goal.
type measured struct {
	alone  []timetotarget.Sample // campaigns of one worker
	groups map[int][]*outcome    // by the number of workers
}

// race runs all campaigns: those of one worker first, then groups, round by round.
func race(ctx context.Context, run *harness.Run, goals []*goal) ([]measured, error) {
	all := make([]measured, len(goals))
	for i := range all {
		all[i] = measured{alone: make([]timetotarget.Sample, run.Runs), groups: map[int][]*outcome{}}
	}
	begun := run.Now()
	if err := singles(ctx, run, goals, all); err != nil {
		return nil, err
	}
	for round := range options.groups {
		if spent := run.Now().Sub(begun).Seconds(); round > 0 && spent > run.Seconds {
			run.Logf("time is up after %d of %d groups", round, options.groups)
			break
		}
		for _, n := range options.ns {
			if n == 1 {
				continue
			}
			for i, g := range goals {
				o, err := runLive(ctx, g, n, options.slice, options.latency, seedOf(run.Seed, n, round), run.Now)
				if err != nil {
					return nil, err
				}
				all[i].groups[n] = append(all[i].groups[n], o)
				run.Logf("%s, %d workers, group %d of %d: %s", g.name, n, round+1, options.groups, o)
			}
		}
	}
	return all, nil
}

// singles runs the campaigns of one worker that no earlier run has kept.
func singles(ctx context.Context, run *harness.Run, goals []*goal, all []measured) error {
	known, kept, err := timetotarget.OpenSamples(options.keep)
	if err != nil {
		return fmt.Errorf("-keep: %w", err)
	}
	if kept != nil {
		defer kept.Close()
	}
	var mu sync.Mutex
	return timetotarget.Parallel(ctx, run.Runs*len(goals), options.parallel, func(i int) error {
		g, at := goals[i%len(goals)], i/len(goals)
		k := timetotarget.Key{Target: fmt.Sprintf("%s of odds %d", g.name, options.odds), Schedule: fuzzer.Lookahead.Name, Seed: seedOf(run.Seed, 1, at)}
		if s, ok := known[k]; ok {
			all[i%len(goals)].alone[at] = s
			return nil
		}
		start := run.Now()
		o, err := runLive(ctx, g, 1, options.slice, options.latency, k.Seed, run.Now)
		if err != nil {
			return err
		}
		s := o.sample()
		s.Seconds = run.Now().Sub(start).Seconds()
		mu.Lock()
		defer mu.Unlock()
		all[i%len(goals)].alone[at] = s
		run.Logf("%s, one worker, %d of %d: %s", g.name, at+1, run.Runs, s)
		if kept != nil {
			return timetotarget.Keep(kept, k, s)
		}
		return nil
	})
}

// seedOf is the seed of the i-th group of n campaigns: no two groups have one in common.
func seedOf(seed uint64, n, i int) uint64 { return seed + uint64(n)*1_000_000 + uint64(i) }

func (o *outcome) String() string {
	if !o.Reached {
		return fmt.Sprintf("missed in %d executions", o.Executions)
	}
	return fmt.Sprintf("%d executions, %d inputs offered, %d run by others", o.Executions, o.Exchange.Offered, o.Exchange.Received)
}
