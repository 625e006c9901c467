package main

import (
	"math"
	"slices"
	"testing"
)

func TestContenders(t *testing.T) {
	got, err := contendersOf("prediction,masks")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].name != "" || !got[1].without.Prediction || got[1].added() || !got[2].with.Masks || !got[2].added() || got[2].without.Masks {
		t.Errorf("%+v", got)
	}
	for _, names := range []string{"", "prediction,", "predicton"} {
		if _, err := contendersOf(names); err == nil {
			t.Errorf("%q is taken", names)
		}
	}
}

// TestReport: what helps is above 1, whether it is taken away or added.
func TestReport(t *testing.T) {
	contenders, err := contendersOf("prediction,masks")
	if err != nil {
		t.Fatal(err)
	}
	after := func(executions ...float64) []sample {
		var list []sample
		for _, n := range executions {
			list = append(list, sample{found: n < 6000, executions: n, seconds: n / 1000})
		}
		return list
	}
	covered := func(sides ...int) []sample {
		var list []sample
		for _, n := range sides {
			s := sample{instructions: float64(10 * n)}
			for i := range n {
				s.sides = append(s.sides, moment{float64(100 * (i + 1)), float64(i + 1)})
			}
			list = append(list, s)
		}
		return list
	}
	subjects := []*subject{{name: "one", kind: reaching}, {name: "two", kind: reaching}, {name: "cover", kind: covering}}
	samples := [][][]sample{
		{after(100, 110, 120, 130), after(400, 440, 480, 6000), after(50, 55, 60, 65)},
		{after(100, 110, 120, 130), after(100, 110, 120, 130), after(100, 110, 120, 130)},
		{covered(20, 20, 20, 20), covered(10, 10, 10, 10), covered(20, 20, 20, 20)},
	}
	r := report(subjects, contenders, samples)
	for name, want := range map[string]float64{
		"prediction.targetSpeedup": 2, // √(4·1): the medians are 115 and 460, and 115 twice
		"masks.targetSpeedup":      math.Sqrt2,
		"prediction.branchShare":   50, "prediction.instructionShare": 50,
		"masks.branchShare": 100, "masks.coverSpeedup": 1,
		"prediction.better": 2, "prediction.worse": 0, // one target, and coverage
		"masks.better": 1, "masks.worse": 0,
		"subjects": 3, "seeds": 4,
	} {
		if got, known := r.Summary[name]; !known || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	overview := r.Tables[len(r.Tables)-1]
	if len(overview.Rows) != 2 || !slices.Contains(overview.Rows[0], "0, 1") {
		t.Errorf("the misses of prediction are not in %v", overview.Rows)
	}
}
