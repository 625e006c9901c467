package oracle

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestIsLookedAt: a contract is looked at from a call on in which, or behind which, something runs that the change alters, whoever else's that is; where it is not known what
// that is, all that a contract runs is. A mock is not, and an added contract always is.
func TestIsLookedAt(t *testing.T) {
	_, p := contractOfCode(t, `[{"type":"function","name":"note","inputs":[]}]`, code(vm.STOP))
	frames := []evm.Frame{{Program: p, LastPC: 1}, {Program: p}, {}}
	exec := &evm.Execution{Frames: frames}
	for i := range frames {
		exec.Calls = append(exec.Calls, evm.CallResult{Frames: [2]int{i, i + 1}})
	}
	target := func(f *evm.Frame) bool { return f.LastPC == 1 }
	for _, c := range []struct {
		contract string
		altered  string
		from     int
		runs     func(*evm.Frame) bool
		want     bool
	}{
		{"C.sol:C", "C.sol:C", 0, target, true}, {"C.sol:C", "C.sol:C", 1, target, false}, {"C.sol:C", "C.sol:C", 1, nil, true}, {"C.sol:C", "C.sol:C", 2, nil, false},
		{"E.sol:E", "C.sol:C", 0, target, true}, {"E.sol:E", "E.sol:E", 0, target, false}, {"mocks/E.sol:E", "C.sol:C", 0, target, false}, {"D.sol:D", "C.sol:C", 1, target, true},
	} {
		l := &lossAlone{Scene: &Scene{Added: []string{"D.sol:D"}, Altered: []string{c.altered}, RunsTarget: c.runs, Exec: exec}}
		if got := l.isLookedAt(c.contract, c.from); got != c.want {
			t.Errorf("%s from call %d, with %s altered: %t", c.contract, c.from, c.altered, got)
		}
	}
}
