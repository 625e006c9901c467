package main

import (
	"context"
	"io/fs"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// compileForTest compiles with the compilers of the tests.
func compileForTest(t *testing.T) compileFunc {
	return func(_ context.Context, version, folder string) ([]*compile.Output, error) {
		sources := map[string]string{}
		err := fs.WalkDir(own, folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(own, path)
			sources[path] = string(text)
			return err
		})
		return []*compile.Output{testbuild.Compile(t, version, sources).Output}, err
	}
}

// TestExamples holds the limits, from three seeds in long tests.
func TestExamples(t *testing.T) {
	subjects, err := open(t.Context(), examples, func(string) bool { return true }, compileForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			for seed := range long.Pick[uint64](1, 3) {
				for way, name := range ways {
					config := s.config(way == 1, fuzzer.Lookahead, fuzzer.Techniques{}, seed+1, time.Now)
					sample, err := timetotarget.Run(t.Context(), s.goal(), config)
					if err != nil {
						t.Fatal(err)
					}
					if !sample.Reached || sample.Executions > s.limit {
						t.Errorf("seed %d, %s: %s, limit %d", seed+1, name, sample, s.limit)
					}
				}
			}
		})
	}
}

func TestReportCountsBothWays(t *testing.T) {
	s := &subject{example: example{name: "some", limit: 100}}
	early, late, never := timetotarget.Sample{Reached: true, Executions: 50}, timetotarget.Sample{Reached: true, Executions: 150}, timetotarget.Sample{Executions: 400}
	result := report([]*subject{s, s}, [][len(ways)][]timetotarget.Sample{
		{{early, early, early}, {early, early, late}},
		{{early, early, early}, {early, early, early}},
	})
	for name, want := range map[string]float64{"heldShare": 50, "heldUnaimed": 100, "heldAimed": 50, "examples": 2} {
		if got := result.Summary[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if n := within([]timetotarget.Sample{early, late, never}, 100); n != 1 {
		t.Errorf("%d samples are within the limit, want 1", n)
	}
}
