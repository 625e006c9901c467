package main

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/maze"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// smallCalls is the budget on a small maze, calls: some seconds. All eight that are feasible
// are raised within it.
const smallCalls = 40_000

// TestSmallMaze runs campaigns on a maze of 3 × 3, limited in calls: the same campaign
// raises the same, what is proved infeasible is not raised, and what is left out is
// missed.
func TestSmallMaze(t *testing.T) {
	m, err := maze.New(1, maze.MinSize)
	if err != nil {
		t.Fatal(err)
	}
	project := testbuild.Compile(t, compiler, map[string]string{"src/Maze.sol": m.Source(nil)})
	deployed, err := timetotarget.Deploy(context.Background(), "maze", []*compile.Output{project.Output}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{maze: m, Subject: deployed}
	run := &harness.Run{Seed: 1, Now: time.Now}
	fuzz := func(without fuzzer.Techniques) *attempt {
		config := s.config(run, without)
		config.MaxCalls = smallCalls
		a, err := s.campaign(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.check(a); err != nil {
			t.Error(err)
		}
		return a
	}
	feasible, _ := count(m)
	first, again := fuzz(fuzzer.Techniques{}), fuzz(fuzzer.Techniques{})
	t.Logf("%d of %d, %s", len(first.raised), feasible, first.effort)
	if len(first.raised) < feasible-1 || feasible < 5 {
		t.Errorf("%d of %d assertions are raised", len(first.raised), feasible)
	}
	if first.effort != again.effort || len(first.raised) != len(again.raised) {
		t.Errorf("one seed gives %s and %s", first.effort, again.effort)
	}
	if blind := fuzz(fuzzer.Techniques{Prediction: true}); len(blind.raised) >= len(first.raised) {
		t.Errorf("%d are raised without prediction, %d with it", len(blind.raised), len(first.raised))
	}
}
