package compile

import (
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestPart: a part of a build is compiled again by itself, and has the code of the whole one.
func TestPart(t *testing.T) {
	t.Parallel()
	outputs, err := Read(fixture("foundry"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := outputs[0]
	root := t.TempDir()
	writeSources(t, o, root)
	part := o.Part([]string{"src/Step.sol", "src/Gone.sol"})
	if part == nil || len(part.Contracts) != 1 || len(part.Sources) != 1 || len(o.Contracts) != 2 {
		t.Fatalf("%v of %v", part, o)
	}
	again, err := part.CompileAgain(t.Context(), solc.Options{Root: root, NodeModules: []string{testfiles.NodeModules(t)}}, nil, kept(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Own.Contracts) != 1 || len(again.Mapped.Contracts) != 1 || again.Own.Contracts[0].Name != "Step" {
		t.Errorf("%v, %v", again.Own.Contracts, again.Mapped.Contracts)
	}
	// Counter imports all there is.
	for _, names := range [][]string{{"src/Counter.sol"}, {"src/Gone.sol"}, nil} {
		if part := o.Part(names); part != nil {
			t.Errorf("%v is a part", names)
		}
	}
	o.Settings.Remappings = []string{"src/Step.sol=src/Gone.sol"}
	if part := o.Part([]string{"src/Counter.sol"}); part != nil {
		t.Error("an import is missing")
	}
}
