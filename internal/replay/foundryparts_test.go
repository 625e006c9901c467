package replay

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/report"
)

// parts are two test contracts that set up a World, test functions of both that deploy more, and
// contracts that Sightline deploys beside them.
const parts = `// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

interface Vm {
    function startPrank(address) external;
    function stopPrank() external;
    function prank(address) external;
    function deal(address, uint256) external;
    function warp(uint256) external;
}

contract Vault {
    uint256 public n;
    address public owner = msg.sender;
    address immutable maker = tx.origin;
    function set(uint256 m) external payable {
        n = m;
        require(m != 5, "five");
    }
}

contract Child { uint256 public n = 7; }

// It is given more than senders own.
contract Rich {
    constructor() payable {}

    function set(uint256 wanted) external view {
        require(wanted != 5 || address(this).balance != 1 << 120, "five");
    }
}

// It counts with a child of its own, and an immutable.
contract Counter {
    uint256 public n = 5;
    uint256 immutable step = 3;
    Child public child = new Child();
    function add(uint256 m) external returns (uint256) {
        require(child.n() == 7 && address(new Child()) != address(child));
        n += m * step;
        require(n != 11, "five");
        return n;
    }
}

// It is told of a vault, by a call after its constructor.
contract Around {
    Vault public vault;
    function initialize(Vault vault_) external {
        require(address(vault) == address(0) && address(vault_).code.length > 0);
        vault = vault_;
    }
    function set(uint256 m) external { vault.set(m); }
}

contract Chosen {
    uint256 immutable k;
    constructor(uint256 k_) { k = k_; }
    function get(address who) external view { require(k != 5 || who != address(this), "five"); }
    function signed(bytes32 h) external view { require(ecrecover(keccak256(abi.encode(h, this)), 27, h, h) == address(1), "five"); }
}

contract VaultTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Vault vault;
    Vault extra;

    function setUp() public {
        vm.warp(77);
        vault = new Vault();
    }

    // Not even by its address: forge calls it.
    function testExtra() public {
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38 && tx.origin == msg.sender);
        vm.prank(address(0xA11CE));
        vault.set(4);
        extra = new Vault();
        Salted made = new Salted{salt: 0}();
        vault.set(made.n());
    }
}

// forge would let it.
contract Cheater {
    function set(uint256 m) external { Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).warp(m); require(m != 5, "five"); }
}

contract Salted {
    uint256 public n = 6;
    function set(uint256 m) external { require(m != 5, "five"); n = m; }
}

contract OtherTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    event Made(address);

    constructor() payable { require(address(this).balance == type(uint96).max); }

    function setUp() public {
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
        vm.startPrank(address(0xA11CE));
        emit Made(address(new Vault()));
        vm.stopPrank();
        vm.prank(address(0xB0B));
        emit Made(address(new Vault()));
    }

    function testMade(uint256 m) public {
        vm.startPrank(address(0xB0B));
        Vault made = new Vault();
        made.set(m);
        vm.stopPrank();
        require(made.n() == 41 && made.owner() == address(0xB0B));
    }
}
`

// TestFoundryParts: an exported test makes what its calls need of a World, as it was made: a set-up
// that it inherits, other set-ups at their addresses, the test functions that became part of the
// set-up, what Sightline deployed beside them, and what the calls deploy. forge finds there what
// Sightline found.
func TestFoundryParts(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, parts, testsolc.Settings{}))
	call := func(contract, function string, arguments ...any) []byte {
		m := testsolc.Contract(t, table.Contracts(), contract).ABI.Methods[function]
		packed, err := m.Inputs.Pack(arguments...)
		if err != nil {
			t.Fatal(err)
		}
		return append(slices.Clone(m.ID), packed...)
	}
	options := func(made int64) world.Options {
		return world.Options{
			Targets: []string{"Counter", "Around", "Cheater"},
			Plan:    &world.Plan{ExtraSteps: []world.Step{{Contract: "Rich", Value: world.Value{Text: "0x1000000000000000000000000000000"}, Place: "line 1"}}},
			Setup: &world.SetupOptions{Contracts: []string{"VaultTest", "OtherTest"}, Strict: true, Also: map[string][][]byte{
				"test.sol:VaultTest": {call("VaultTest", "testExtra")},
				"test.sol:OtherTest": {call("OtherTest", "testMade", big.NewInt(made))},
			}},
		}
	}
	if _, _, err := world.Make(context.Background(), table, options(40)); err == nil || !strings.Contains(err.Error(), "testMade") {
		t.Fatalf("a test function that fails: %v", err)
	}
	w, made, err := world.Make(context.Background(), table, options(41))
	if err != nil {
		t.Fatal(err)
	}
	chosen := testsolc.Contract(t, table.Contracts(), "Chosen")
	s := snapshotOf(world.WithOutsider(w, table.Contracts()), made, table)
	s.Deployable = []input.Deployment{{Contract: chosen, Code: chosen.Creation.Bytes}}
	cases := []struct {
		name     string
		sequence []string
		want     []string // in the text
		lacks    []string
		refused  string
	}{
		{name: "inherited", sequence: []string{"user1 Vault.set(uint256) args (4) value 3", "user1 Vault.set(uint256) args (5)"}, want: []string{"is VaultTest", "sightlineHeld(0, 0) /* vault */.call", "sightlineAlso("}, lacks: []string{"OtherTest", "Counter"}},
		{name: "other", sequence: []string{"user1 Vault#2.set(uint256) args (5)"}, want: []string{"sightlineSetUp(", "type(OtherTest)"}, lacks: []string{"VaultTest"}},
		{name: "both", sequence: []string{"user1 Vault#2.set(uint256) args (4)", "user1 Vault.set(uint256) args (5)"}, want: []string{"is VaultTest", "type(OtherTest)"}},
		{name: "also", sequence: []string{"user1 Vault#4.set(uint256) args (5)"}, want: []string{"is VaultTest", "sightlineAlso("}},
		{name: "also-other", sequence: []string{"user1 Vault#5.set(uint256) args (5)"}, want: []string{"type(OtherTest)", "// testMade"}},
		{name: "beside", sequence: []string{"user1 Counter.add(uint256) args (1)", "user1 Counter.add(uint256) args (1)"}, want: []string{"type(Counter).creationCode"}, lacks: []string{"VaultTest", "OtherTest"}},
		{name: "around", sequence: []string{"user1 Around.set(uint256) args (5)"}, want: []string{"is VaultTest", "type(Around).creationCode"}, lacks: []string{"OtherTest"}},
		{name: "chosen", sequence: []string{"user1 Chosen#new.constructor(uint256) args (5)", "user2 Chosen#new.get(address) args (Chosen#new)"}, want: []string{"sightlineNew1"}, lacks: []string{"VaultTest"}},
		{name: "chosen-attacked", sequence: []string{"attackerContract Chosen#new.constructor(uint256) args (5)", "attackerContract Chosen#new.get(address) args (Chosen#new)"}, want: []string{"sightlineNew1", "address(attackerContract_)"}},
		{name: "signed", sequence: []string{"user1 Chosen#new.constructor(uint256) args (5)", "user2 Chosen#new.signed(bytes32) args (0x0000000000000000000000000000000000000000000000000000000000000001)"}, refused: "checks a signature"},
		{name: "rich", sequence: []string{"user1 Rich.set(uint256) args (5)"}, want: []string{"type(Rich).creationCode"}},
		{name: "attacked", sequence: []string{`attackerContract Vault.set(uint256) args (4) value 3 on payment times 1 calls {Vault.set(uint256) args (6)}`, "attackerContract Vault.set(uint256) args (5)"},
			want: []string{"is VaultTest", `sightlineAttacker.thenCall(sightlineHeld(0, 0) /* vault */, 0, abi.encodeWithSignature("set(uint256)", 6));`}, lacks: []string{"OtherTest", "Counter"}},
		{name: "salted", sequence: []string{"user1 Salted.set(uint256) args (5)"}, refused: "depends on how its code is compiled"},
		{name: "cheater", sequence: []string{"user1 Cheater.set(uint256) args (5)"}, refused: "cheater calls Foundry's cheatcodes"},
	}
	files := map[string][]byte{"test.sol": []byte(parts)}
	texts := map[string]string{}
	for _, c := range cases {
		text, err := exported(t, s, c.name, c.sequence)
		switch {
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s: %v, want it refused", c.name, err)
			continue
		case c.refused == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
			continue
		case c.refused != "":
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, text)
			}
		}
		for _, lacks := range c.lacks {
			if strings.Contains(text, lacks) {
				t.Errorf("%s has %q:\n%s", c.name, lacks, text)
			}
		}
		texts[c.name] = text
		files[solidityName(c.name)+".t.sol"] = []byte(text)
		kept := keptTest(t, s, table, "kept-"+c.name, c.sequence)
		if strings.Contains(kept, " is VaultTest") {
			t.Errorf("%s, kept, runs all tests of VaultTest:\n%s", c.name, kept)
		}
		texts["kept-"+c.name], files[solidityName("kept-"+c.name)+".t.sol"] = kept, []byte(kept)
	}
	golden.Check(t, "testdata/foundryparts.sol", texts["both"])
	golden.Check(t, "testdata/keptparts.sol", texts["kept-both"])
	// Before London, blocks have no base fee, and before Paris difficulty is a number of its own.
	for _, version := range []string{"cancun", "berlin"} {
		results := testforge.TestOn(t, files, fmt.Sprintf("evm_version = %q\n", version))
		for name, text := range texts {
			id := solidityName(name)
			got := results[fmt.Sprintf("test/%s.t.sol:Sightline_%s", id, id)][fmt.Sprintf("test_%s()", id)]
			if got.Status != "Failure" || got.Reason != "five" || len(got.Logs) > 0 { // by the last call
				t.Errorf("%s on %s: %+v\n%s", name, version, got, text)
			}
		}
	}

	s.Told = false
	if _, err := exported(t, s, "untold", cases[0].sequence); err == nil || !strings.Contains(err.Error(), "from nothing") {
		t.Errorf("a World that something else made: %v", err)
	}
}

// keptTest is the test of such a sequence that is kept in the folder of its source.
func keptTest(t *testing.T, s *Snapshot, table *bytecode.Table, id string, sequence []string) string {
	t.Helper()
	l := &loaded{path: "reproducers/" + id + ".json", snapshot: s, table: table, reproducer: &Reproducer{
		Sequence: append([]string{"sightline-sequence v1"}, sequence...),
		Claim:    Claim{Kind: FindingClaim, ID: id, Oracle: "assertion", Contract: "test.sol:Vault", Message: "it reverts"},
	}}
	if err := l.prepare(); err != nil {
		t.Fatal(err)
	}
	machine, err := l.machine()
	if err != nil {
		t.Fatal(err)
	}
	exec, err := machine.Run(l.space.Encode(l.sequence, nil))
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFoundryTestIn(l, exec, &keeping{folder: ".", id: solidityName(id), said: "what it shows"})
	if err != nil {
		t.Fatal(err)
	}
	text, fails := f.source(exec)
	if !fails {
		t.Errorf("%s passes", id)
	}
	return sealed(text)
}

// exported is the Foundry test of a sequence whose last call is the finding.
func exported(t *testing.T, s *Snapshot, id string, sequence []string) (string, error) {
	t.Helper()
	dir, path := t.TempDir(), "reproducers/"+id+".json"
	f := &Files{Snapshot: s, Reproducers: map[string]*Reproducer{path: {
		Sequence: append([]string{"sightline-sequence v1"}, sequence...),
		Claim:    Claim{Kind: FindingClaim, ID: id, Oracle: "assertion", Contract: "test.sol:Vault", Message: "it reverts"},
	}}}
	b, err := Pack(&report.Report{Findings: []report.Finding{{Reproducer: path}}}, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	_, err = Run(&out, []string{id}, Options{Out: dir, FoundryTest: true})
	return out.String(), err
}

// snapshotOf is the snapshot of a World, with what made it.
func snapshotOf(w *evm.World, made *world.Report, table *bytecode.Table) *Snapshot {
	return &Snapshot{World: w, Contracts: table.Contracts(), Told: made.Told, Setups: UsedSetups(made.TestSetups), Tester: made.Tester, Made: made.Made}
}
