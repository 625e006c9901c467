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

	"github.com/sightline-evm/sightline/bench/internal/frame"
	"github.com/sightline-evm/sightline/fuzzer"
)

// inParallel does n pieces of work, -parallel at a time, in order of their start.
// The first error ends it once what was begun is done.
func inParallel(ctx context.Context, n int, work func(i int) error) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= n || failed != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range options.parallel {
		group.Go(func() {
			for i, more := take(); more; i, more = take() {
				if err := work(i); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}

// samples of all campaigns: by goal, then by schedule, one for each seed.
type samples [][][]sample

// key names a campaign in the file of samples.
type key struct {
	Target   string
	Schedule string
	Without  fuzzer.Techniques
	Seed     uint64
}

type record struct {
	key
	sample
}

// race runs all campaigns. Seed by seed, so that when time is up each target has
// as many; the schedules of a target side by side.
func race(ctx context.Context, run *frame.Run, goals []*goal, schedules []*fuzzer.Schedule, without fuzzer.Techniques) (samples, error) {
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
		all[i] = make([][]sample, len(schedules))
	}
	begun, round := run.Now(), len(goals)*len(schedules)
	perSeed := make([][]sample, run.Runs) // complete rounds alone count
	var mu sync.Mutex
	complete := make([]int, run.Runs)
	err = inParallel(ctx, run.Runs*round, func(i int) error {
		seed, g, sc := i/round, goals[i%round/len(schedules)], schedules[(i+i/round)%len(schedules)] // who is first changes
		k := key{g.name(), sc.Name, without, run.Seed + uint64(seed)}
		s, ok := known[k]
		if !ok {
			left := time.Duration(run.Seconds*float64(time.Second)) - run.Now().Sub(begun)
			bounded, cancel := context.WithTimeout(ctx, max(left, 0))
			defer cancel()
			found, err := chase(bounded, g, g.scene.config(sc, without, k.Seed, run.Now), g.limit())
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
			perSeed[seed] = make([]sample, round)
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
func keep(out *os.File, k key, s sample) error { return json.NewEncoder(out).Encode(record{k, s}) }

func (s sample) String() string {
	if !s.Reached {
		return fmt.Sprintf("missed after %d executions, %.1f s", s.Executions, s.Seconds)
	}
	return fmt.Sprintf("%d executions, %.1f s", s.Executions, s.Seconds)
}

// openSamples reads the campaigns of earlier runs and opens the file for more.
func openSamples(name string) (map[key]sample, *os.File, error) {
	if name == "" {
		return nil, nil, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	known := map[key]sample{}
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var r record
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			file.Close()
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		known[r.key] = r.sample
	}
	return known, file, nil
}
