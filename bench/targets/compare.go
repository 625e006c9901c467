package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

// samples of all campaigns: by goal, then by schedule, one for each seed.
type samples [][][]timetotarget.Sample

// key names a campaign in the file of samples.
type key struct {
	Target   string
	Schedule string
	Without  fuzzer.Techniques
	Seed     uint64
}

type record struct {
	key
	timetotarget.Sample
}

// race runs all campaigns. Seed by seed, so that when time is up each target has
// as many; the schedules of a target side by side.
func race(ctx context.Context, run *harness.Run, goals []*goal, schedules []*fuzzer.Schedule, without fuzzer.Techniques) (samples, error) {
	known, out, err := openSamples(options.samples)
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
		k := key{g.name(), sc.Name, without, run.Seed + uint64(seed)}
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
			return keep(out, k, s)
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

// keep writes a campaign's outcome to the file of samples.
func keep(out *os.File, k key, s timetotarget.Sample) error {
	return json.NewEncoder(out).Encode(record{k, s})
}

// openSamples reads the campaigns of earlier runs and opens the file for more.
func openSamples(name string) (map[key]timetotarget.Sample, *os.File, error) {
	if name == "" {
		return nil, nil, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	known := map[key]timetotarget.Sample{}
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var r record
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			file.Close()
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		known[r.key] = r.Sample
	}
	return known, file, nil
}
