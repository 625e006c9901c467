package deploy

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestFilters: by contract and signature, and not where sightline.yml chooses.
func TestFilters(t *testing.T) {
	f := FunctionFilter{Names: []string{"Vault.pause()"}}
	if f.Allows("Vault.pause()") || !f.Allows("Vault.pause(uint256)") || !f.Allows("Token.pause()") {
		t.Error("what is excluded is called, or what is not is not")
	}
	f.Only = true
	if !f.Allows("Vault.pause()") || f.Allows("Token.pause()") {
		t.Error("what alone is to be called is not, or other things are")
	}
	r := &Recipe{Plan: Plan{Imported: Imported{Filters: []FunctionFilter{f}}}, Changed: map[string]bool{"Token.mint": true}}
	calls := func(contract, name string, test bool) bool {
		return r.called()(&evm.Instance{Name: contract + "#2", Contract: &bytecode.Contract{Name: contract}}, &input.Function{Name: name, Signature: name + "()", Test: test})
	}
	if !calls("Vault", "pause", false) || !calls("Token", "mint", false) || !calls("VaultTest", "testFuzz_x", true) || calls("Token", "burn", false) {
		t.Error("changed functions and fuzz tests are not called, or others are")
	}
	r.Plan.Include = []string{"Token.*"}
	if r.called()(&evm.Instance{Name: "Vault"}, &input.Function{Name: "pause"}) {
		t.Error("others' filters go over the configuration's")
	}
}
