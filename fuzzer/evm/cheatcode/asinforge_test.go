package cheatcode

import (
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
)

// TestAsInForge: of what a test fails by, only what is as in forge is held against it.
func TestAsInForge(t *testing.T) {
	for _, tc := range []struct {
		signature         string
		succeeded, failed bool
	}{
		{"prank(address)", true, false},
		{"assertEq(uint256,uint256)", true, true},
		{"assume(bool)", true, true},
		{"skip(bool)", true, true},
		{"readFile(string)", true, false},
		{"isFile(string)", false, false},
		{"envOr(string,uint256)", false, false},
		{"createSelectFork(string)", true, false},
		{"pauseGasMetering()", true, false},
		{"serializeBool(string,string,bool)", false, false},
		{"unheard(uint256)", false, false},
	} {
		input := crypto.Keccak256([]byte(tc.signature))[:4]
		if got := AsInForge(input, true); got != tc.succeeded {
			t.Errorf("%s that succeeds: %v", tc.signature, got)
		}
		if got := AsInForge(input, false); got != tc.failed {
			t.Errorf("%s that fails: %v", tc.signature, got)
		}
	}
	for signature, want := range map[string]bool{"expectRevert()": true, "expectRevert(bytes4,uint64)": true, "expectPartialRevert(bytes4)": true, "expectEmit()": false, "_expectCheatcodeRevert()": false} {
		if got := ExpectsRevert(crypto.Keccak256([]byte(signature))); got != want {
			t.Errorf("%s: %v", signature, got)
		}
	}
	if AsInForge([]byte{1, 2, 3}, true) || ExpectsRevert(nil) {
		t.Error("what has no selector is a cheatcode")
	}
}
