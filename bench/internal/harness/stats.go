package harness

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// confidence of the intervals around medians.
const confidence = 0.95

// Median of the values; not a number for none.
func Median(values []float64) float64 { return Summarize(values).Median }

// Summary is the median of a sample with its 95 % confidence interval, which
// has no ends for fewer than six values.
type Summary struct {
	Median, Lo, Hi float64
}

// Summarize makes no assumption about how the values are distributed.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{math.NaN(), math.NaN(), math.NaN()}
	}
	s := benchmath.AssumeNothing.Summary(sample(values), confidence)
	return Summary{s.Center, s.Lo, s.Hi}
}

// String is the median, with its interval where there is one.
func (s Summary) String() string {
	if math.IsNaN(s.Median) || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return Number(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", Number(s.Median), Number(s.Lo), Number(s.Hi))
}

func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// Test compares two samples, as the papers do: whether they differ at all, and
// by how much.
type Test struct {
	// P is the two-sided probability of the Mann-Whitney U test (Mann and Whitney
	// 1947): exact up to 50 values a side, 25 with ties; above that the normal
	// approximation corrected for ties and continuity.
	P float64
	// A12 is the effect size of Vargha and Delaney (2000): the probability that a
	// value of the first sample is larger than one of the second, ties halved.
	A12 float64
	// Ratio of the medians, first to second.
	Ratio float64
	// Warnings say why P means little: too few values, or all of them equal.
	Warnings []string
}

// Compare tests two samples. With an empty one nothing is known: every figure is
// not a number.
func Compare(first, second []float64) Test {
	if len(first) == 0 || len(second) == 0 {
		return Test{P: math.NaN(), A12: math.NaN(), Ratio: math.NaN(), Warnings: []string{"a sample is empty"}}
	}
	c := benchmath.AssumeNothing.Compare(sample(first), sample(second))
	t := Test{P: min(c.P, 1), A12: A12(first, second), Ratio: Median(first) / Median(second)}
	for _, w := range c.Warnings {
		t.Warnings = append(t.Warnings, w.Error())
	}
	return t
}

// String sums the test up in a table's cell.
func (t Test) String() string {
	if math.IsNaN(t.P) {
		return "—"
	}
	return fmt.Sprintf("p %s, A12 %.2f (%s)%s", probability(t.P), t.A12, t.Effect(), mark(t.Warnings))
}

// mark points out that a figure has warnings.
func mark(warnings []string) string {
	if len(warnings) == 0 {
		return ""
	}
	return " [" + strings.Join(warnings, "; ") + "]"
}

func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// Effect names the size of A12 with the thresholds that Vargha and Delaney give:
// 0.56 small, 0.64 medium, 0.71 large, and their mirror images.
func (t Test) Effect() string {
	switch distance := math.Abs(t.A12 - 0.5); {
	case math.IsNaN(distance):
		return "unknown"
	case distance < 0.06:
		return "negligible"
	case distance < 0.14:
		return "small"
	case distance < 0.21:
		return "medium"
	}
	return "large"
}

// A12 is the probability that a value of the first sample is larger than one of
// the second, ties counted half.
func A12(first, second []float64) float64 {
	if len(first) == 0 || len(second) == 0 {
		return math.NaN()
	}
	wins := 0.0
	for _, x := range first {
		for _, y := range second {
			switch {
			case x > y:
				wins++
			case x == y:
				wins += 0.5
			}
		}
	}
	return wins / float64(len(first)*len(second))
}
