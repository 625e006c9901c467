package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// counting is a comparison that counts as fast as it can in two ways.
func counting() Comparison {
	return Comparison{
		Name: "counting", Doc: "Counts.", Seconds: 0.05, Runs: 3,
		Measure: func(ctx context.Context, run *Run) (*Result, error) {
			count := func(step int) func(context.Context, int) (float64, error) {
				return func(context.Context, int) (float64, error) {
					n, start := 0, run.Now()
					for run.Now().Sub(start) < run.Share(2*run.Runs) {
						n += step
					}
					return float64(n), nil
				}
			}
			samples, err := Interleave(ctx, run, []Contender{{"ones", count(1)}, {"tens", count(10)}})
			if err != nil {
				return nil, err
			}
			table := Table{Title: "counts", Columns: []string{"by", "count"}, Notes: []string{"Higher is faster."}}
			table.Add("ones", Summarize(samples[0]).String())
			table.Add("tens", Summarize(samples[1]).String(), "a cell too many is left out")
			return &Result{Summary: map[string]float64{"ratio": Compare(samples[1], samples[0]).Ratio}, Tables: []Table{table}}, nil
		},
	}
}

// run runs a comparison with a real clock.
func run(c Comparison, args ...string) (code int, stdout, stderr string) {
	var out, log bytes.Buffer
	code = c.main(context.Background(), args, &out, &log, time.Now)
	return code, out.String(), log.String()
}

func TestJSON(t *testing.T) {
	code, stdout, stderr := run(counting(), "-json", "-seed", "7", "-runs", "2", "-seconds", "0.02")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var got struct {
		Summary map[string]float64
		Seed    uint64
		Runs    int
		Tables  []Table
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if got.Summary["ratio"] <= 0 || got.Seed != 7 || got.Runs != 2 || len(got.Tables) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestTable(t *testing.T) {
	code, stdout, stderr := run(counting())
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"### counts", "| by   | count", "Higher is faster.", "| ratio | ", "seed 1, 0.0500 s, 3 runs"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

func TestFailures(t *testing.T) {
	failing := counting()
	failing.Measure = func(context.Context, *Run) (*Result, error) { return nil, errors.New("no such corpus") }
	unmeasured := counting()
	unmeasured.Measure = func(context.Context, *Run) (*Result, error) {
		return &Result{Summary: map[string]float64{"ratio": math.NaN()}}, nil
	}
	tests := []struct {
		name       string
		comparison Comparison
		args       []string
		code       int
		message    string
	}{
		{"an unknown flag", counting(), []string{"-second", "3"}, 2, "-second"},
		{"an argument", counting(), []string{"3"}, 2, `unexpected argument "3"`},
		{"no time", counting(), []string{"-seconds", "0"}, 2, "-seconds 0: want more than 0"},
		{"not a number", counting(), []string{"-seconds", "NaN"}, 2, "-seconds NaN"},
		{"no runs", counting(), []string{"-runs", "0"}, 2, "-runs 0: want at least 1"},
		{"help", counting(), []string{"-h"}, 0, "Counts."},
		{"the measurement fails", failing, nil, 1, "counting: no such corpus"},
		{"a figure is missing", unmeasured, nil, 1, "ratio was not measured"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := run(test.comparison, test.args...)
			if code != test.code || !strings.Contains(stderr, test.message) {
				t.Errorf("exit code %d with %q, want %d with %q", code, stderr, test.code, test.message)
			}
			if code != 0 && strings.Contains(stdout, "NaN") {
				t.Errorf("printed %q", stdout)
			}
		})
	}
}

func TestFlagsOfItsOwn(t *testing.T) {
	var step int
	c := counting()
	c.Flags = func(flags *flag.FlagSet) { flags.IntVar(&step, "step", 1, "by how much to count") }
	if code, _, stderr := run(c, "-step", "3", "-runs", "1", "-seconds", "0.01"); code != 0 || step != 3 {
		t.Errorf("exit code %d, step %d: %s", code, step, stderr)
	}
}

// TestInterleave: every contender once a round, each of them first once.
func TestInterleave(t *testing.T) {
	var order []string
	contender := func(name string) Contender {
		return Contender{name, func(_ context.Context, round int) (float64, error) {
			order = append(order, name)
			return float64(round), nil
		}}
	}
	samples, err := Interleave(context.Background(), &Run{Runs: 3}, []Contender{contender("a"), contender("b"), contender("c")})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); got != "abcbcacab" {
		t.Errorf("measured in the order %s", got)
	}
	for i, s := range samples {
		if len(s) != 3 || s[0] != 0 || s[2] != 2 {
			t.Errorf("sample %d: %v", i, s)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 0.05: "0.0500", 1.5: "1.50", 12.345: "12.3", 123.45: "123", 1234567: "1,234,567", -1234: "-1,234",
		math.NaN(): "—", math.Inf(1): "—", 1e-9: "0.000000",
	} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) is %q, want %q", v, got, want)
		}
	}
}

func TestCellsStayInTheirCells(t *testing.T) {
	var out strings.Builder
	(&Table{Columns: []string{"a|b"}, Rows: [][]string{{"x\ny"}}}).markdown(&out)
	if want := "| a\\|b |\n| ---- |\n| x y  |\n\n"; out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// TestInstallOnce: what is there already is not installed again, and needs no
// npm.
func TestInstallOnce(t *testing.T) {
	r := &Run{Cache: t.TempDir(), Log: &strings.Builder{}}
	t.Setenv("PATH", "")
	if _, err := r.Install(context.Background(), "x", Packages{"a": "1.0.0"}); err == nil || !strings.Contains(err.Error(), "install Node.js") {
		t.Errorf("without npm: %v", err)
	}
	folder := filepath.Join(r.Cache, "npm", "x")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	manifest := `{
  "dependencies": {
    "a": "1.0.0",
    "solc-0.8.17": "npm:solc@0.8.17"
  },
  "name": "sightline-bench-x",
  "private": true
}`
	if err := os.WriteFile(filepath.Join(folder, "installed.json"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Install(context.Background(), "x", Packages{"a": "1.0.0"}.Solc("0.8.17")); err != nil {
		t.Errorf("installed again: %v", err)
	}
}
