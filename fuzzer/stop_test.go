package fuzzer

import (
	"reflect"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestStopsOfTheWay: of each target that was not reached the result says where executions
// leave the way to it, with what decided there.
func TestStopsOfTheWay(t *testing.T) {
	p := open(t, "units/stop.sol")
	config := p.config(1, 3_000)
	config.FunctionAt = p.positions.FunctionAt
	r := mustRun(t, config)
	noFaults(t, r)
	left := 0
	for i, target := range r.Targets {
		if target.Reached {
			if len(target.Stops) > 0 {
				t.Errorf("%v was reached, and has stops", config.Targets[i].Position)
			}
			continue
		}
		left++
		if len(target.Stops) == 0 {
			t.Fatalf("%v: no stops", config.Targets[i].Position)
		}
		s := target.Stops[0]
		if !s.Entered || !s.Decides || s.Op != opLT || !s.Left.IsZero() || s.Executions == 0 || s.Reason != "low" {
			t.Errorf("%v: %+v", config.Targets[i].Position, s)
		}
		if p.line(s.Place) != 12 {
			t.Errorf("%v: stops at line %d", config.Targets[i].Position, p.line(s.Place))
		}
	}
	if left == 0 {
		t.Error("all targets were reached: nothing was tested")
	}
	config.FunctionAt = nil
	for _, target := range mustRun(t, config).Targets {
		if len(target.Stops) > 0 {
			t.Error("stops that were not asked for")
		}
	}
}

// opLT is LT's opcode (yellow paper, appendix H.2).
const opLT = 0x10

// TestComparisonAt: the comparison with which a frame left a block, whatever was executed
// twice.
func TestComparisonAt(t *testing.T) {
	f := &evm.Frame{Path: bytecode.Path{0, 1, 2, 1, 3}, Comparisons: []evm.Comparison{{Block: 1, PC: 10}, {Block: 1, PC: 20}}}
	for at, want := range map[int][2]int{0: {-1, 0}, 1: {0, 1}, 2: {0, 1}, 3: {1, 3}, 4: {1, 3}} {
		if k, block := comparisonAt(f, at); k != want[0] || block != want[1] {
			t.Errorf("block %d: comparison %d of block %d, want %v", at, k, block, want)
		}
	}
}

// TestUniteStops: equal stops are counted together and have what came closest; a condition that some campaign passed is
// passed.
func TestUniteStops(t *testing.T) {
	at := func(pc uint32) bytecode.Location { return bytecode.Location{Code: 1, PC: pc} }
	a := &TargetResult{Stops: []Stop{{At: at(1), Executions: 5, Distance: 3, Reason: "a"}, {At: at(2), Executions: 4, Distance: 1, Passed: true}}, Strangers: []Stop{{At: at(7), Distance: 4}}}
	b := &TargetResult{Stops: []Stop{{At: at(1), Executions: 2, Distance: 2, Reason: "b"}, {At: at(1), Entered: true, Executions: 9}}, Strangers: []Stop{{At: at(7), Distance: 2}, {At: at(3), Distance: 2}}}
	for _, results := range [][]*TargetResult{{a, b}, {b, a}} {
		stops, strangers := UniteStops(results)
		want := []Stop{{At: at(1), Entered: true, Executions: 9}, {At: at(1), Executions: 7, Distance: 2, Reason: "b"}, {At: at(2), Executions: 4, Distance: 1, Passed: true}}
		if !reflect.DeepEqual(stops, want) {
			t.Errorf("%+v\nwant\n%+v", stops, want)
		}
		if want := []Stop{{At: at(3), Distance: 2}, {At: at(7), Distance: 2}}; !reflect.DeepEqual(strangers, want) {
			t.Errorf("%+v\nwant\n%+v", strangers, want)
		}
	}
	if len(a.Stops) != 2 || a.Stops[0].Executions != 5 || b.Stops[0].Executions != 2 {
		t.Error("the stops of a campaign were changed")
	}
}
