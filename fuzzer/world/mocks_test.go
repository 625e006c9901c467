package world_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestBuiltInMocks: the embedded code is what the source next to it compiles to, for the
// oldest EVM that Worlds may have.
func TestBuiltInMocks(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("mocks", "Mocks.sol"))
	if err != nil {
		t.Fatal(err)
	}
	type artifact struct {
		ABI      json.RawMessage `json:"abi"`
		Creation []byte          `json:"creation"`
		Runtime  []byte          `json:"runtime"`
	}
	compiled := map[string]artifact{}
	for _, c := range testsolc.Compile(t, string(source), testsolc.Settings{Optimize: true, Fork: evm.Forks()[0]}) {
		if c.Deployable() {
			compiled[c.Name] = artifact{c.RawABI, c.Creation.Bytes, c.Runtime.Bytes}
		}
	}
	got, err := json.MarshalIndent(compiled, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "mocks/mocks.json", string(got)+"\n")
	for _, c := range world.BuiltInMocks() {
		if !world.IsBuiltInMock(c) || !c.Deployable() || len(c.Creation.Links) > 0 {
			t.Errorf("%s cannot be deployed as it is", c.QualifiedName())
		}
	}
}
