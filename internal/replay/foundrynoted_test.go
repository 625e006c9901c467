package replay

import (
	"context"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// noted is a test contract in the way of ds-test, whose assertions fail by a flag.
const noted = `// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

contract Vault {
    uint256 public n;
    function set(uint256 m) external { n = m; }
}

contract Properties {
    Vault immutable vault;
    constructor(Vault v) { vault = v; }
    function failed() external view returns (bool) { return vault.n() == 5; }
}
`

// TestFoundryNoted: an assertion of ds-test makes no call fail; the exported test fails for it all the
// same, as long as the flag is set.
func TestFoundryNoted(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, noted, testsolc.Settings{}))
	w, made, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Properties"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Instances {
		w.Instances[i].Asked = w.Instances[i].Contract.Name == "Properties"
	}
	files := map[string][]byte{"../test.sol": []byte(noted)}
	for id, n := range map[string]string{"five": "5", "four": "4"} {
		text, err := exported(t, snapshotOf(w, made, table), id, []string{
			"user1 Vault.set(uint256) args (" + n + ")", "deployer Properties.failed()"})
		if err != nil {
			t.Fatal(err)
		}
		files[id+".t.sol"] = []byte(text)
	}
	results := testforge.Test(t, files)
	for id, want := range map[string]string{"five": "Failure the finding: an assertion has failed", "four": "Success "} {
		got := results["test/"+id+".t.sol:Sightline_"+id]["test_"+id+"()"]
		if said := got.Status + " " + got.Reason; said != want {
			t.Errorf("%s: %q, want %q", id, said, want)
		}
	}
}
