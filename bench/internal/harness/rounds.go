package harness

import (
	"context"
	"fmt"
)

// Contender is one of the things that a comparison measures side by side.
type Contender struct {
	Name string
	// Measure returns one figure. round counts from 0; contenders of the same
	// round get the same inputs by it.
	Measure func(ctx context.Context, round int) (float64, error)
}

// Interleave measures every contender once a round, so that what disturbs the
// machine for a while disturbs all of them. The first of a round changes from
// round to round: who comes after whom may matter to caches and clocks. The
// samples are parallel to the contenders.
func Interleave(ctx context.Context, run *Run, contenders []Contender) ([][]float64, error) {
	samples := make([][]float64, len(contenders))
	for round := range run.Runs {
		for i := range contenders {
			at := (i + round) % len(contenders)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v, err := contenders[at].Measure(ctx, round)
			if err != nil {
				return nil, fmt.Errorf("%s, round %d: %w", contenders[at].Name, round+1, err)
			}
			samples[at] = append(samples[at], v)
		}
	}
	return samples, nil
}
