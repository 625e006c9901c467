package bytecode

import "testing"

// TestIsOf: a function's name is its contract's, a dot and the signature.
func TestIsOf(t *testing.T) {
	for name, want := range map[string]bool{
		"src/A.sol:A": true, "src/A.sol:A.f(uint256)": true, "src/A.sol:AB": false, "src/A.sol:AB.f()": false, "src/B.sol:A": false, "": false,
	} {
		if IsOf(name, "src/A.sol:A") != want {
			t.Errorf("%s is A's: %t", name, !want)
		}
	}
}
