package fuzzer

import (
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
