package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
)

// tally counts what was compared.
type tally struct {
	programs, calls uint64
	mismatches      []mismatch
}

func (t *tally) add(o *tally) {
	t.programs += o.programs
	t.calls += o.calls
	t.mismatches = append(t.mismatches, o.mismatches...)
}

// enough is the number of mismatches after which nothing more is learned.
const enough = 10

// progressPrograms is the number of programs between two lines that say how far
// the run is: some minutes.
const progressPrograms = 200_000

// runPrograms runs cases, by successive seeds, until they have made so many
// programs. All cores take part; which seeds are run depends on how many programs
// the cases before them made, and so a little on the cores' pace.
func runPrograms(ctx context.Context, run *harness.Run, programs uint64, newCase func(seed uint64) *evmtest.Case) *tally {
	var (
		next, made, failed atomic.Uint64
		mu                 sync.Mutex
		total              tally
		workers            sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var mine tally
			for made.Load() < programs && failed.Load() < enough && ctx.Err() == nil {
				c := newCase(run.Seed<<32 + next.Add(1))
				before := len(mine.mismatches)
				mine.runCase(c)
				failed.Add(uint64(len(mine.mismatches) - before))
				n := uint64(c.Programs)
				if before := made.Add(n) - n; before/progressPrograms != (before+n)/progressPrograms {
					run.Logf("%s programs", harness.Number(float64(before+n)))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(&mine)
		})
	}
	workers.Wait()
	return &total
}

// runCase runs one case on machines of its own.
func (t *tally) runCase(c *evmtest.Case) {
	ours, reference, err := machines(c.World, nil)
	if err != nil {
		t.mismatches = append(t.mismatches, mismatch{world: c.World, what: err.Error()})
		return
	}
	seq, d, err := c.Run(ours, reference)
	t.programs += uint64(c.Programs)
	for _, s := range c.Sequences {
		t.calls += uint64(len(s))
	}
	switch {
	case err != nil:
		t.mismatches = append(t.mismatches, mismatch{world: c.World, sequence: seq, what: err.Error()})
	case d != nil:
		t.mismatches = append(t.mismatches, mismatch{world: c.World, sequence: seq, what: d.String()})
	}
}
