package build

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestReadSafe reads the build-infos that Gnosis Safe 1.3.0 ships.
func TestReadSafe(t *testing.T) {
	folder := filepath.Join(nodeModules(t), "@gnosis.pm", "safe-contracts", "build", "artifacts", "build-info")
	outputs, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) != 3 {
		t.Fatalf("%d outputs, want 3", len(outputs))
	}
	main := outputs[1]
	if main.Compiler != "0.7.6+commit.7338295f" || main.Settings.Optimizer || main.Input == nil {
		t.Errorf("compiler %q, settings %+v", main.Compiler, main.Settings)
	}
	contracts := Contracts(outputs)
	find := func(name string) *bytecode.Contract {
		i := slices.IndexFunc(contracts, func(c *bytecode.Contract) bool { return c.Name == name })
		if i < 0 {
			t.Fatalf("no %s", name)
		}
		return contracts[i]
	}
	safe := find("GnosisSafe")
	if !safe.Deployable() || len(safe.Runtime.Bytes) != 22958 || len(safe.ABI.Methods) != 31 {
		t.Errorf("GnosisSafe: %d bytes, %d methods", len(safe.Runtime.Bytes), len(safe.ABI.Methods))
	}
	if !slices.Contains(safe.Implements, "OwnerManager") || safe.Implements[0] != "GnosisSafe" {
		t.Errorf("GnosisSafe implements %v", safe.Implements)
	}
	if guard := find("DelegateCallTransactionGuard"); !slices.Equal(guard.Runtime.Immutables, []bytecode.Range{{Start: 704, End: 736}, {Start: 772, End: 804}}) {
		t.Errorf("immutables %v", guard.Runtime.Immutables)
	}
	if guard := find("Guard"); guard.Deployable() {
		t.Error("an interface is deployable")
	}
}
