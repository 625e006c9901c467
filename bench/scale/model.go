package main

import (
	"math"
	"math/rand/v2"
)

// model is a target behind milestones that are memoryless and take as long as each other, one after the
// other: the time to each is exponential, whatever was tried before. Times are in units of what one worker takes
// for all of them.
type model struct {
	milestones int
	// slice is how often workers exchange, and latency after how many slices more what was sent is there: both 0
	// for an exchange at once. Without it, every worker is alone.
	slice   float64
	latency int
	alone   bool
}

// modelDraws: so many bring the standard error of a speed-up below 1 %, since a sum of exponentials deviates by less
// than its mean.
const modelDraws = 20_000

// speedup is that of n workers, in the mean, by simulation: the same for the same arguments.
func (m model) speedup(n int) float64 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(m.milestones)))
	at := make([]float64, n)
	sum := 0.0
	for range modelDraws {
		sum += m.draw(r, at)
	}
	return modelDraws / sum
}

// draw is the time at which the first of the workers has passed all milestones. At holds when each has passed the
// one before; one that a worker passes is known to the others at the end of its slice, and they go on from there.
func (m model) draw(r *rand.Rand, at []float64) float64 {
	clear(at)
	first := 0.0
	for range m.milestones {
		first = math.Inf(1)
		for i := range at {
			at[i] += r.ExpFloat64() / float64(m.milestones)
			first = min(first, at[i])
		}
		if m.alone {
			continue
		}
		told := first
		if m.slice > 0 {
			told = (math.Ceil(first/m.slice) + float64(m.latency)) * m.slice
		}
		for i := range at {
			at[i] = min(at[i], told)
		}
	}
	return first
}
