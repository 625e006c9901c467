package compile

import "testing"

// TestFilesOf: a build of the same sources takes over where they lie.
func TestFilesOf(t *testing.T) {
	o := &Output{Sources: []*Source{{Path: "contracts/B.sol", File: "/repository/contracts/B.sol"}}}
	again := &Output{Sources: []*Source{{Path: "contracts/B.sol"}, {Path: "X.sol"}}}
	again.filesOf(o)
	if again.Sources[0].File != o.Sources[0].File || again.Sources[1].File != "" {
		t.Errorf("%+v", again.Sources)
	}
}
