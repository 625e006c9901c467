package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

// samples of all campaigns: by goal, then by schedule, one for each seed.
type samples [][][]timetotarget.Sample

// race runs all campaigns. Seed by seed, so that when time is up each target has
// as many; the schedules of a target side by side.
func race(ctx context.Context, run *harness.Run, goals []*goal, schedules []*fuzzer.Schedule, without fuzzer.Techniques) (samples, error) {
	known, out, err := timetotarget.OpenSamples(options.samples)
	if err != nil {
		return nil, err
	}
	if out != nil {
		defer out.Close()
	}
	for _, g := range goals {
		run.Logf("%s is %s", g.name(), g.where)
	}
	all := make(samples, len(goals))
	for i := range all {
		all[i] = make([][]timetotarget.Sample, len(schedules))
	}
	begun, round := run.Now(), len(goals)*len(schedules)
	perSeed := make([][]timetotarget.Sample, run.Runs) // complete rounds alone count
	var mu sync.Mutex
	complete := make([]int, run.Runs)
	err = timetotarget.Parallel(ctx, run.Runs*round, options.parallel, func(i int) error {
		seed, g, sc := i/round, goals[i%round/len(schedules)], schedules[(i+i/round)%len(schedules)] // who is first changes
		k := timetotarget.Key{Target: g.name(), Schedule: sc.Name, Without: without, Seed: run.Seed + uint64(seed)}
		s, ok := known[k]
		if !ok {
			left := time.Duration(run.Seconds*float64(time.Second)) - run.Now().Sub(begun)
			bounded, cancel := context.WithTimeout(ctx, max(left, 0))
			defer cancel()
			found, err := pursue(bounded, g, g.subject.Config(sc, without, k.Seed, run.Now), g.limit())
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				return nil // out of time: this round does not count
			}
			if err != nil {
				return fmt.Errorf("%s, %s, seed %d: %w", g.name(), sc.Name, k.Seed, err)
			}
			s = *found
			run.Logf("%3d/%d %-9s seed %d %s: %s", i+1, run.Runs*round, sc.Name, k.Seed, g.name(), s)
		}
		mu.Lock()
		defer mu.Unlock()
		if perSeed[seed] == nil {
			perSeed[seed] = make([]timetotarget.Sample, round)
		}
		perSeed[seed][i%round/len(schedules)*len(schedules)+(i+i/round)%len(schedules)] = s
		complete[seed]++
		if out != nil && !ok {
			return timetotarget.Keep(out, k, s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for seed, list := range perSeed {
		if complete[seed] < round {
			continue
		}
		for i, s := range list {
			all[i/len(schedules)][i%len(schedules)] = append(all[i/len(schedules)][i%len(schedules)], s)
		}
	}
	if len(all[0][0]) == 0 {
		return nil, errors.New("not even one seed was done: give the run more -seconds")
	}
	return all, nil
}
