package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestTestsRest: fuzz tests get their share of the gas, and then the others' turn.
func TestTestsRest(t *testing.T) {
	test := seedOf(input.Sequence{{Function: &input.Function{Test: true}}})
	other := seedOf(input.Sequence{{Function: &input.Function{}}})
	var s tests
	if s.rests(test) {
		t.Error("tests rest before they were run")
	}
	s.spend(&batch{task: task{seed: other}, gas: 100 * (testShare - 1)})
	s.spend(&batch{task: task{seed: test}, gas: 99})
	s.spend(&batch{gas: 1000}) // initial seeds are nobody's share
	if s.rests(test) {
		t.Error("tests rest below their share")
	}
	s.spend(&batch{task: task{seed: test}, gas: 1})
	if !s.rests(test) || s.rests(other) || s.rests(nil) {
		t.Error("tests do not rest at their share, or others do")
	}
}
