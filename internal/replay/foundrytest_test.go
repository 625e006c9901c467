package replay

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// TestFoundryCalldata: accounts among the words of calldata are written by the place where
// the test contract holds them, and nothing else is changed.
func TestFoundryCalldata(t *testing.T) {
	vault, test := common.HexToAddress("0xbeef"), common.HexToAddress("0x7e57")
	f := &foundryTest{base: &world.TestSetup{Address: test}, held: map[common.Address]heldPlace{vault: {"vault", *uint256.NewInt(3), 1}}}
	word := func(text string) []byte { return common.HexToHash(text).Bytes() }
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, `hex""`},
		{[]byte{1, 2}, `hex"0102"`},
		{append([]byte{1, 2, 3, 4}, word("0x05")...), `hex"010203040000000000000000000000000000000000000000000000000000000000000005"`},
		{append([]byte{1, 2, 3, 4}, word("0xbeef")...), `abi.encodePacked(hex"01020304", abi.encode(sightlineHeld(3, 1) /* vault */))`},
		{append(append([]byte{1, 2, 3, 4}, word("0x7e57")...), 9), `abi.encodePacked(hex"01020304", abi.encode(address(this)), hex"09")`},
		{append([]byte{1, 2, 3, 4, 5}, word("0xbeef")...), `hex"0102030405000000000000000000000000000000000000000000000000000000000000beef"`},
		{append([]byte{1, 2, 3, 4}, word("0x010000000000000000000000000000000000000000beef")...), `hex"01020304000000000000000000010000000000000000000000000000000000000000beef"`},
	} {
		if got := f.calldata(c.data); got != c.want {
			t.Errorf("%x: %s, want %s", c.data, got, c.want)
		}
	}
}

// TestFoundryComment: no stranger's text gets out of a comment.
func TestFoundryComment(t *testing.T) {
	for text, want := range map[string]string{"a b": "a b", "a*/ b": "a* / b", "a\nb": "a?b", "a\u2028b": "a?b", "*/*/": "* /* /"} {
		if got := solidityComment(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := solidityName("SL-7f3a.x"); got != "SL_7f3a_x" {
		t.Error(got)
	}
}

// TestFoundryTest: the test of a sequence on a World that a project's test set up. What forge
// makes of such a test is in cmd/sightline's script setup.
func TestFoundryTest(t *testing.T) {
	source, err := os.ReadFile("../../fuzzer/world/testdata/setups/cheats.sol")
	if err != nil {
		t.Fatal(err)
	}
	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	w, made, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Lender"}, Setup: &world.SetupOptions{Contracts: []string{"LenderTest"}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := &Files{Snapshot: snapshotOf(w, made, table), Reproducers: map[string]*Reproducer{"reproducers/SL-1.json": {
		Sequence: []string{"sightline-sequence v1", "user1 Lender.borrow(uint256) args (5) value 15", "user1 Lender.borrow(uint256) args (5) value 14"},
		Claim:    Claim{Kind: FindingClaim, ID: "SL-1", Oracle: "assertion", Contract: "test.sol:Lender", Message: "too */ much"},
	}}}
	r := &report.Report{Findings: []report.Finding{{Reproducer: "reproducers/SL-1.json"}}}
	b, err := Pack(r, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if _, err := Run(&out, []string{"SL-1"}, Options{Out: dir, FoundryTest: true}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/foundry.sol", out.String())
}
