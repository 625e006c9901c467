package lookahead_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestGoalsByFrame: a creation may lead to a target, but not in a static frame, whatever was asked of other frames before.
func TestGoalsByFrame(t *testing.T) {
	code := []byte{byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.CREATE), byte(vm.STOP)}
	a := lookahead.New(bytecode.NewTable(nil).Unknown(code), lookahead.Options{})
	for _, static := range []bool{false, true, false, true, true, false} {
		if r := a.Analyze(lookahead.Frame{Path: bytecode.Path{0}, Static: static}); r.Proved != static {
			t.Errorf("static %t: proved %t", static, r.Proved)
		}
	}
}
