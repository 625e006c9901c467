package replay

import (
	"context"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// beside has a test that sets up a vault, and a counter that no test deploys: Sightline
// does, with a child that the counter makes.
const beside = `// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;
contract Vault { uint public n; function set(uint m) external { n = m; } }
contract Child { uint public n = 7; }
contract Counter {
    uint public n = 5;
    uint immutable step = 3;
    Child public child = new Child();
    function add(uint m) external returns (uint) {
        require(child.n() == 7 && address(new Child()) != address(child));
        n += m * step;
        require(n != 11);
        return n;
    }
}
contract VaultTest { Vault vault; function setUp() public { vault = new Vault(); } }
`

// TestFoundryBeside: a contract that Sightline deployed beside a test's is deployed by the
// exported test as it was; forge finds there what Sightline found.
func TestFoundryBeside(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, beside, testsolc.Settings{}))
	w, made, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Counter"}, Setup: &world.SetupOptions{Contracts: []string{"VaultTest"}}})
	if err != nil {
		t.Fatal(err)
	}
	export := func() (string, error) {
		dir := t.TempDir()
		f := &Files{Snapshot: snapshotOf(w, made, table), Reproducers: map[string]*Reproducer{"reproducers/SL-1.json": {
			Sequence: []string{"sightline-sequence v1", "user1 Counter.add(uint256) args (1)", "user1 Counter.add(uint256) args (1)"},
			Claim:    Claim{Kind: FindingClaim, ID: "SL-1", Oracle: "assertion", Contract: "test.sol:Counter", Message: "it reverts"},
		}}}
		b, err := Pack(&report.Report{Findings: []report.Finding{{Reproducer: "reproducers/SL-1.json"}}}, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.WriteFolder(dir); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		_, err = Run(&out, []string{"SL-1"}, Options{Out: dir, FoundryTest: true})
		return out.String(), err
	}
	text, err := export()
	if err != nil {
		t.Fatal(err)
	}
	results := testforge.Test(t, map[string][]byte{"test.sol": []byte(beside), "SL_1.t.sol": []byte(text)})
	got := results["test/SL_1.t.sol:Sightline_SL_1"]["test_SL_1()"]
	if got.Status != "Failure" || len(got.Logs) > 0 { // by the second call
		t.Errorf("%+v\n%s", got, text)
	}
}

// snapshotOf is the snapshot of a World, with what made it.
func snapshotOf(w *evm.World, made *world.Report, table *bytecode.Table) *Snapshot {
	return &Snapshot{World: w, Contracts: table.Contracts(), Told: made.Told, SetUps: UsedSetUps(made.TestSetups), Tester: made.Tester, Made: made.Made}
}
