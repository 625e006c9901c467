package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
)

// minimum is the distribution of the least of n samples, drawn without replacement from those that were
// measured: how long n shards take, of which none knows of the others, until the first of them reaches the target.
type minimum struct {
	mean float64 // executions
	// censored is the probability that all n missed the target. Where it is not 0 the mean is a bound from below, since a
	// miss counts as its limit.
	censored float64
}

// leastOf is exact: the i-th of N sorted samples is the least of n with probability C(N−i, n−1) / C(N, n). It is
// not known for more draws than samples.
func leastOf(samples []timetotarget.Sample, n int) (minimum, bool) {
	total := len(samples)
	if n < 1 || n > total {
		return minimum{}, false
	}
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b timetotarget.Sample) int {
		return cmp.Or(cmp.Compare(a.Executions, b.Executions), cmp.Compare(missed(a), missed(b)))
	})
	var m minimum
	weight := float64(n) / float64(total)
	for i, s := range sorted[:total-n+1] {
		m.mean += weight * float64(s.Executions)
		m.censored += weight * float64(missed(s))
		weight *= float64(total-i-n) / float64(total-i-1)
	}
	return m, true
}

// missed is 1 for a miss.
func missed(s timetotarget.Sample) int {
	if s.Reached {
		return 0
	}
	return 1
}

// bound says what a ratio of two figures is where they may be bounds.
type bound uint8

const (
	exact   bound = iota
	atLeast       // the first figure is a bound from below
	neither       // both are: the ratio may be more or less
)

// speedup is how much sooner the first of n shards is there than one, in the mean.
func speedup(samples []timetotarget.Sample, n int) (float64, bound, bool) {
	one, ok := leastOf(samples, 1)
	many, enough := leastOf(samples, n)
	if !ok || !enough || many.mean == 0 {
		return math.NaN(), exact, false
	}
	return one.mean / many.mean, boundOf(one.censored > 0, many.censored > 0), true
}

func boundOf(first, second bool) bound {
	switch {
	case second:
		return neither
	case first:
		return atLeast
	}
	return exact
}
