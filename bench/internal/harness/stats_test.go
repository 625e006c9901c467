package harness

import (
	"math"
	"testing"
)

// Samples with published results.
var (
	// Hollander and Wolfe (1973), p. 69: permeability of the human chorioamnion at
	// term and between 12 and 26 weeks. R's page on wilcox.test has W = 35 and,
	// one-sided, p = 0.1272.
	atTerm = []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	early  = []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	// SciPy's page on mannwhitneyu: age at the diagnosis of diabetes. U = 17 and
	// p = 1/9 exactly.
	males   = []float64{19, 22, 16, 29, 24}
	females = []float64{20, 11, 17, 12}
)

// span is n values: from, from+1, …
func span(from, n int) []float64 {
	var out []float64
	for i := range n {
		out = append(out, float64(from+i))
	}
	return out
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name          string
		first, second []float64
		p, a12        float64
	}{
		{"Hollander and Wolfe", atTerm, early, 2 * 0.1272, 35.0 / 50},
		{"Hollander and Wolfe, the other way round", early, atTerm, 2 * 0.1272, 15.0 / 50},
		{"SciPy's example", males, females, 1.0 / 9, 17.0 / 20},
		// Where nothing overlaps, 2 of all C(2n, n) orders are as extreme.
		{"apart, 4 and 4", span(0, 4), span(10, 4), 2.0 / 70, 0},
		{"apart, 10 and 10", span(10, 10), span(0, 10), 2.0 / 184_756, 1},
		// Tables give 2 as the critical value of 5 and 5 at 5 %: p is 8/252.
		{"U = 2, 5 and 5", []float64{1, 2, 3, 4, 6.5}, []float64{5, 6, 7, 8, 9}, 8.0 / 252, 2.0 / 25},
		{"U = 3, 5 and 5", []float64{1, 2, 3, 4, 7.5}, []float64{5, 6, 7, 8, 9}, 14.0 / 252, 3.0 / 25},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Compare(test.first, test.second)
			if math.Abs(got.P-test.p) > 0.0001 { // R prints four digits
				t.Errorf("p = %v, want %v", got.P, test.p)
			}
			if math.Abs(got.A12-test.a12) > 1e-12 {
				t.Errorf("A12 = %v, want %v", got.A12, test.a12)
			}
		})
	}
}

// TestCompareLarge: above the exact test's limits, the normal approximation with
// the corrections for ties and continuity (Lehmann 1975, §1.4).
func TestCompareLarge(t *testing.T) {
	var first, second []float64
	for i := range 60 {
		first = append(first, float64(i%10))
		second = append(second, float64(i%12))
	}
	n := float64(len(first))
	u := A12(first, second) * n * n
	ties := 0.0
	for v := range 12 {
		count := 0.0
		for _, x := range append(append([]float64{}, first...), second...) {
			if x == float64(v) {
				count++
			}
		}
		ties += count*count*count - count
	}
	deviation := math.Sqrt(n * n / 12 * (2*n + 1 - ties/(2*n*(2*n-1))))
	z := (math.Abs(u-n*n/2) - 0.5) / deviation
	want := math.Erfc(z / math.Sqrt2)
	if got := Compare(first, second).P; math.Abs(got-want) > 1e-9 {
		t.Errorf("p = %v, want %v", got, want)
	}
}

func TestCompareSaysWhatIsWeak(t *testing.T) {
	for name, test := range map[string]Test{
		"nothing to compare": Compare(nil, span(0, 3)),
		"all equal":          Compare([]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}),
		"too few":            Compare([]float64{1}, []float64{2}),
	} {
		if len(test.Warnings) == 0 {
			t.Errorf("%s: no warning in %+v", name, test)
		}
	}
	if test := Compare([]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}); test.A12 != 0.5 || test.P != 1 {
		t.Errorf("equal samples: %+v", test)
	}
}

func TestSummarize(t *testing.T) {
	if got := Median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median of 1 to 4 is %v", got)
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is known")
	}
	// Of ten values the 2nd and the 9th: 1 − 2·(1+10)/2^10 = 97.9 %.
	if got := Summarize(span(1, 10)); got.Median != 5.5 || got.Lo != 2 || got.Hi != 9 {
		t.Errorf("1 to 10: %+v", got)
	}
	values := []float64{3, 1, 2}
	Summarize(values)
	Compare(values, values)
	if values[0] != 3 {
		t.Error("the caller's values were sorted")
	}
}

func TestEffect(t *testing.T) {
	for a12, want := range map[float64]string{
		0.5: "negligible", 0.57: "small", 0.65: "medium", 0.72: "large", 0.43: "small", 0.35: "medium", 0.1: "large", math.NaN(): "unknown",
	} {
		if got := (Test{A12: a12}).Effect(); got != want {
			t.Errorf("A12 %v is %s, want %s", a12, got, want)
		}
	}
}
