package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestTestsAreSkipped: fuzz tests get their share of the gas, and then the others' turn.
func TestTestsAreSkipped(t *testing.T) {
	test := seedOf(input.Sequence{{Function: &input.Function{Test: true}}})
	other := seedOf(input.Sequence{{Function: &input.Function{}}})
	var s fuzzTests
	if s.skips(test, testShare) {
		t.Error("tests rest before they were run")
	}
	s.countGas(&batch{task: task{seed: other}, gas: 100 * (testShare - 1)})
	s.countGas(&batch{task: task{seed: test}, gas: 99})
	s.countGas(&batch{gas: 1000}) // initial seeds count for no share
	if s.skips(test, testShare) {
		t.Error("tests rest below their share")
	}
	s.countGas(&batch{task: task{seed: test}, gas: 1})
	if !s.skips(test, testShare) || s.skips(other, testShare) || s.skips(nil, testShare) {
		t.Error("tests do not rest at their share, or others do")
	}
}
