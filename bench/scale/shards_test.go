package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
)

// choose calls f for each way to choose n of the samples.
func choose(samples []timetotarget.Sample, n int, f func([]timetotarget.Sample)) {
	var chosen []timetotarget.Sample
	var from func(i int)
	from = func(i int) {
		if len(chosen) == n {
			f(chosen)
			return
		}
		for ; i < len(samples); i++ {
			chosen = append(chosen, samples[i])
			from(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	from(0)
}

// TestLeastOfAll compares with all ways to draw, for random samples with ties and misses.
func TestLeastOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		samples := make([]timetotarget.Sample, 1+r.IntN(9))
		for i := range samples {
			samples[i].Executions = 1 + r.Uint64N(12)
			samples[i].Reached = samples[i].Executions < 10 || r.IntN(2) == 0
		}
		for n := 1; n <= len(samples); n++ {
			var least []float64
			misses := 0
			choose(samples, n, func(chosen []timetotarget.Sample) {
				first := slices.MinFunc(chosen, func(a, b timetotarget.Sample) int {
					if a.Executions == b.Executions {
						return missed(a) - missed(b)
					}
					return int(a.Executions) - int(b.Executions)
				})
				least = append(least, float64(first.Executions))
				misses += missed(first)
			})
			sum := 0.0
			for _, v := range least {
				sum += v
			}
			want := minimum{sum / float64(len(least)), float64(misses) / float64(len(least))}
			got, ok := leastOf(samples, n)
			if !ok || math.Abs(got.mean-want.mean) > 1e-9 || math.Abs(got.censored-want.censored) > 1e-9 {
				t.Fatalf("least %d of %v: %+v, want %+v", n, samples, got, want)
			}
		}
		if _, ok := leastOf(samples, len(samples)+1); ok {
			t.Errorf("%d of %d samples are drawn", len(samples)+1, len(samples))
		}
	}
}

// TestMissesAreBounds: a figure that a miss is part of is called a bound.
func TestMissesAreBounds(t *testing.T) {
	hit, miss := timetotarget.Sample{Reached: true, Executions: 10}, timetotarget.Sample{Executions: 100}
	for _, test := range []struct {
		samples []timetotarget.Sample
		n       int
		ratio   float64
		bound   bound
	}{
		{[]timetotarget.Sample{hit, hit, hit}, 2, 1, exact},
		{[]timetotarget.Sample{hit, hit, miss}, 2, 4, atLeast}, // 120 / 3, and never two misses
		{[]timetotarget.Sample{hit, miss, miss}, 2, 70. / 40, neither},
	} {
		if ratio, b, ok := speedup(test.samples, test.n); !ok || math.Abs(ratio-test.ratio) > 1e-9 || b != test.bound {
			t.Errorf("%v, n = %d: %v, %v, want %v, %v", test.samples, test.n, ratio, b, test.ratio, test.bound)
		}
	}
}

// TestModel: the figures of the design's table, which another program made; 600 s on one worker, 5 s
// from one to another.
func TestModel(t *testing.T) {
	const share = 5. / 600
	for _, test := range []struct {
		model model
		n     int
		want  float64
	}{
		{model{milestones: 1, alone: true}, 16, 16},
		{model{milestones: 3, alone: true}, 4, 2.0},
		{model{milestones: 3, alone: true}, 16, 3.8},
		{model{milestones: 3, alone: true}, 64, 6.6},
		{model{milestones: 6, alone: true}, 4, 1.6},
		{model{milestones: 6, alone: true}, 64, 3.3},
		{model{milestones: 6}, 64, 64}, // at once: as if they were one worker
		{model{milestones: 3, slice: share}, 4, 4.0},
		{model{milestones: 3, slice: share}, 16, 14},
		{model{milestones: 3, slice: share}, 64, 39},
		{model{milestones: 6, slice: share}, 16, 12},
		{model{milestones: 6, slice: share}, 64, 23},
	} {
		// The table has two digits.
		if got := test.model.speedup(test.n); math.Abs(got-test.want) > 0.05*test.want {
			t.Errorf("%+v, n = %d: %.2f, want %v", test.model, test.n, got, test.want)
		}
	}
	if m := (model{milestones: 4, slice: 0.01}); m.speedup(8) != m.speedup(8) {
		t.Error("two runs differ")
	}
}
