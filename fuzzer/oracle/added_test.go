package oracle

import "testing"

// TestGrowsByFunctions: a contract grows by functions that are added to it, not by being added; a mock does not count.
func TestGrowsByFunctions(t *testing.T) {
	s := &Scene{Added: []string{"A.sol:A", "B.sol:B.f()", "mocks/C.sol:C.f()"}}
	for contract, want := range map[string]bool{"A.sol:A": false, "B.sol:B": true, "mocks/C.sol:C": false, "D.sol:D": false} {
		if s.grows(contract) != want {
			t.Errorf("%s grows: %t", contract, !want)
		}
	}
}
