package oracle_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// TestRevertsElsewhere: who reverted first, and nobody stopped, tells.
func TestRevertsElsewhere(t *testing.T) {
	test, vault := common.Address{1}, common.Address{2}
	odd, other := []byte("odd"), []byte("other")
	frame := func(parent int, self common.Address, outcome evm.Outcome, output []byte) evm.Frame {
		return evm.Frame{Parent: parent, Self: self, CodeAddress: self, Outcome: outcome, Output: output}
	}
	for name, tc := range map[string]struct {
		frames []evm.Frame
		want   bool
	}{
		"own":         {[]evm.Frame{frame(-1, test, evm.Reverted, odd), frame(0, vault, evm.Success, nil)}, false},
		"handed on":   {[]evm.Frame{frame(-1, test, evm.Reverted, odd), frame(0, vault, evm.Reverted, odd)}, true},
		"another's":   {[]evm.Frame{frame(-1, test, evm.Reverted, odd), frame(0, vault, evm.Reverted, other)}, false},
		"cheatcode's": {[]evm.Frame{frame(-1, test, evm.Reverted, odd), frame(0, cheatcode.Address, evm.Reverted, odd)}, false},
		"called back": {[]evm.Frame{frame(-1, test, evm.Reverted, odd), frame(0, vault, evm.Reverted, odd), frame(1, test, evm.Reverted, odd)}, false},
		"twice":       {[]evm.Frame{frame(-1, test, evm.Reverted, odd), frame(0, test, evm.Reverted, odd), frame(0, vault, evm.Reverted, odd)}, true},
		"success":     {[]evm.Frame{frame(-1, test, evm.Success, nil), frame(0, vault, evm.Reverted, odd)}, false},
	} {
		exec := &evm.Execution{Frames: tc.frames, Calls: []evm.CallResult{{Frames: [2]int{0, len(tc.frames)}, Outcome: tc.frames[0].Outcome, Output: tc.frames[0].Output}}}
		if got := oracle.RevertsElsewhere(exec); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
