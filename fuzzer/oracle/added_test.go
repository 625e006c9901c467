package oracle

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestGrowsByFunctions: a contract grows by functions that are added to it, not by being added; a mock does not count.
func TestGrowsByFunctions(t *testing.T) {
	s := &Scene{Added: []string{"A.sol:A", "B.sol:B.f()", "mocks/C.sol:C.f()"}}
	for contract, want := range map[string]bool{"A.sol:A": false, "B.sol:B": true, "mocks/C.sol:C": false, "D.sol:D": false} {
		if s.grows(contract) != want {
			t.Errorf("%s grows: %t", contract, !want)
		}
	}
}

// TestIsLookedAt: a contract is looked at from a call on in which, or behind which, a function runs that the change adds, whoever else's that is; a mock is not, and an added
// contract always is.
func TestIsLookedAt(t *testing.T) {
	_, p := contractOfCode(t, `[{"type":"function","name":"note","inputs":[]},{"type":"function","name":"burn","inputs":[]}]`, code(vm.STOP))
	note, burn := attacker.Selector("note()"), attacker.Selector("burn()")
	frames := []evm.Frame{{Program: p, Input: note[:]}, {Program: p, Input: burn[:]}, {Program: p}, {Input: note[:]}}
	exec := &evm.Execution{Frames: frames}
	for i := range frames {
		exec.Calls = append(exec.Calls, evm.CallResult{Frames: [2]int{i, i + 1}})
	}
	l := &lossAlone{Scene: &Scene{Added: []string{"C.sol:C.note()", "D.sol:D"}, Exec: exec}}
	for _, c := range []struct {
		contract string
		from     int
		want     bool
	}{
		{"C.sol:C", 0, true}, {"C.sol:C", 1, false}, {"E.sol:E", 0, true}, {"mocks/E.sol:E", 0, false}, {"D.sol:D", 1, true},
	} {
		if got := l.isLookedAt(c.contract, c.from); got != c.want {
			t.Errorf("%s from call %d: %t", c.contract, c.from, got)
		}
	}
}
