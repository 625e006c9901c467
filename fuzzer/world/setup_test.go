package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestMake lets the test contracts of each testdata/setups/NAME.sol make a World,
// and compares the report with a golden file. The first line names the targets.
func TestMake(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/setups/*.sol")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("fixtures: %v, %v", fixtures, err)
	}
	for _, path := range fixtures {
		name := strings.TrimSuffix(filepath.Base(path), ".sol")
		t.Run(name, func(t *testing.T) {
			table, options := setUpFixture(t, name)
			w, report, err := world.Make(context.Background(), table, options)
			if err != nil {
				t.Fatal(err)
			}
			checkSetUpWorld(t, w)
			golden.Check(t, "testdata/setups/"+name+".golden", setUpText(w, report))
		})
	}
}

// setUpFixture compiles a fixture, and aims at one line of each target.
func setUpFixture(t *testing.T, name string) (*bytecode.Table, world.Options) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "setups", name+".sol"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(source), "\n")
	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	setup := &world.SetupOptions{Lines: map[string][]bytecode.Position{}}
	options := world.Options{Machine: []evm.Option{evm.LiftCodeSizeLimits}, Setup: setup}
	for _, target := range strings.Split(strings.TrimPrefix(first, "// Targets: "), ", ") {
		c := testsolc.Contract(t, table.Contracts(), target)
		options.Targets = append(options.Targets, target)
		setup.Lines[c.QualifiedName()] = []bytecode.Position{{File: target, Line: 1}}
	}
	return table, options
}

func checkSetUpWorld(t *testing.T, w *evm.World) {
	t.Helper()
	for _, i := range w.Instances {
		if a := w.Accounts[i.Address]; a == nil || len(a.Code) == 0 {
			t.Errorf("%s has no code in the World", i.Name)
		}
	}
	for _, s := range w.Senders {
		if a := w.Accounts[s.Address]; a == nil || a.Balance.IsZero() {
			t.Errorf("%s has no funds", s.Name)
		}
	}
}

func setUpText(w *evm.World, r *world.Report) string {
	var b strings.Builder
	for _, up := range r.TestSetups {
		fmt.Fprintf(&b, "set-up %s", up.Contract.Name)
		if up.Function != "" {
			fmt.Fprintf(&b, ".%s", up.Function)
		}
		if up.Failure == "" {
			fmt.Fprintf(&b, " at %s\n", up.Address)
			continue
		}
		fmt.Fprintf(&b, " not used: %s\n", up.Failure)
	}
	for _, p := range r.Senders {
		fmt.Fprintf(&b, "sender %s at %s: %s\n", p.Name, p.Address, p.Why)
	}
	for _, calls := range r.Examples {
		b.WriteString("example:")
		for i := range calls {
			fmt.Fprintf(&b, " %s", callText(w, &calls[i]))
		}
		b.WriteByte('\n')
	}
	return b.String() + text(w, r)
}

// callText is a call as "alice Vault.deposit+60s".
func callText(w *evm.World, c *evm.Call) string {
	from, to := c.From.Hex(), c.To.Hex()
	for _, s := range w.Senders {
		if s.Address == c.From {
			from = s.Name
		}
	}
	for _, in := range w.Instances {
		if m, err := in.Contract.ABI.MethodById(c.Data); in.Address == c.To && err == nil {
			to = in.Name + "." + m.RawName
		}
	}
	text := from + " " + to
	if c.TimeAdvance > 0 {
		text += fmt.Sprintf("+%ds", c.TimeAdvance)
	}
	return text + ";"
}

// TestSetUpNamed: who names a test contract gets it, whatever it deploys, and an
// error that says what is wrong where it cannot be one.
func TestSetUpNamed(t *testing.T) {
	table, options := setUpFixture(t, "vault")
	names := func(setup world.SetupOptions) (string, error) {
		setup.Lines = options.Setup.Lines
		o := options
		o.Setup = &setup
		w, _, err := world.Make(context.Background(), table, o)
		if err != nil {
			return "", err
		}
		var list []string
		for _, in := range w.Instances {
			list = append(list, in.Name)
		}
		return strings.Join(list, " "), nil
	}
	for _, tc := range []struct {
		setup world.SetupOptions
		want  string
		err   string
	}{
		{world.SetupOptions{Contracts: []string{"TokenTest"}}, "Token Vault Registry", ""},
		{world.SetupOptions{Contracts: []string{"test.sol:TokenTest", "VaultTest"}}, "Token Token#2 Vault Registry", ""},
		{world.SetupOptions{Contracts: []string{"NoTest"}}, "", `no contract named "NoTest"`},
		{world.SetupOptions{Contracts: []string{"Vault"}}, "", "its constructor has parameters"},
		{world.SetupOptions{Contracts: []string{"Shares"}}, "", "a library"},
	} {
		got, err := names(tc.setup)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%v: error %v, want %q", tc.setup.Contracts, err, tc.err)
			}
			continue
		}
		if err != nil || got != tc.want {
			t.Errorf("%v: %q, %v, want %q", tc.setup.Contracts, got, err, tc.want)
		}
	}
}

// TestSetUpStrict: a World that is compared with another is made in the same way
// or not at all.
func TestSetUpStrict(t *testing.T) {
	table, options := setUpFixture(t, "failing")
	options.Setup.Contracts = []string{"MarketTest", "ForkTest"}
	if _, report, err := world.Make(context.Background(), table, options); err != nil || len(report.TestSetups) != 2 || report.TestSetups[1].Failure == "" {
		t.Errorf("one of two fails: %+v, %v", report, err)
	}
	options.Setup.Strict = true
	if _, _, err := world.Make(context.Background(), table, options); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("strict: error %v, want what the set-up said", err)
	}
}

// TestSetUpDeterministic: the same build gives the same World.
func TestSetUpDeterministic(t *testing.T) {
	var first string
	for range 3 {
		table, options := setUpFixture(t, "proxies")
		w, report, err := world.Make(context.Background(), table, options)
		if err != nil {
			t.Fatal(err)
		}
		got := setUpText(w, report)
		for _, in := range w.Instances {
			got += fmt.Sprintln(in.Name, in.Address)
		}
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("differs:\n%s", cmp.Diff(first, got))
		}
	}
}

// TestSetUpCheats: what cheatcodes have done to block, senders and mocks is in the
// World, and contracts under test find no cheatcodes there.
func TestSetUpCheats(t *testing.T) {
	table, options := setUpFixture(t, "cheats")
	w, _, err := world.Make(context.Background(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	if w.Block.Time != 1_000_000 || w.Block.Number != 500 || w.Block.ChainID != 31337 {
		t.Errorf("block %+v, want what the set-up left", w.Block)
	}
	test := common.HexToAddress("0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496")
	if w.Cheats == nil || len(w.Cheats.State.Mocks) != 1 || !slices.Equal(w.Cheats.Only, []common.Address{test}) {
		t.Fatalf("cheatcodes %+v, want the mock, for the test contract alone", w.Cheats)
	}
	i := slices.IndexFunc(w.Senders, func(s evm.Sender) bool { return s.Name == "alice" })
	if i < 0 || w.Senders[i].Key == nil || crypto.PubkeyToAddress(w.Senders[i].Key.PublicKey) != w.Senders[i].Address {
		t.Errorf("senders %+v, want alice with her key", w.Senders)
	}
	lender := w.Instances[slices.IndexFunc(w.Instances, func(in evm.Instance) bool { return in.Name == "Lender" })]
	borrow := func(amount, wei uint64) evm.Call {
		data, err := lender.Contract.ABI.Pack("borrow", new(big.Int).SetUint64(amount))
		if err != nil {
			t.Fatal(err)
		}
		return evm.Call{From: world.User1.Address, To: lender.Address, Data: data, Value: *uint256.NewInt(wei)}
	}
	deal := crypto.Keccak256([]byte("deal(address,uint256)"))[:4]
	rich := evm.Call{From: world.User1.Address, To: cheatcode.Address,
		Data: slices.Concat(deal, common.LeftPadBytes(lender.Address[:], 32), common.LeftPadBytes([]byte{99}, 32))}
	for name, machine := range map[string]func() (evm.Exporter, error){
		"interpreter": func() (evm.Exporter, error) { return interp.New(w, table) },
		"reference":   func() (evm.Exporter, error) { return gethvm.New(w, table) },
	} {
		m, err := machine()
		if err != nil {
			t.Fatal(err)
		}
		exec, err := m.Run(evm.Sequence{borrow(2, 6), borrow(2, 5), rich})
		if err != nil {
			t.Fatal(err)
		}
		if exec.Calls[0].Outcome != evm.Success || exec.Calls[1].Reason() != "too much" {
			t.Errorf("%s: %s, %s: want the price that is mocked", name, exec.Calls[0].Outcome, exec.Calls[1].Outcome)
		}
		if balance := m.Export().Accounts[lender.Address].Balance; balance.Uint64() != 12 {
			t.Errorf("%s: somebody but the test used a cheatcode: %s wei, want those of the set-up and of the call", name, balance.Dec())
		}
	}

	table, options = setUpFixture(t, "vault")
	if w, _, err = world.Make(context.Background(), table, options); err != nil {
		t.Fatal(err)
	}
	if w.Cheats != nil || w.Accounts[cheatcode.Address] != nil {
		t.Error("a World whose set-up mocks nothing has cheatcodes")
	}
}

// TestSetUpLoops: set-ups that do not end are given up, and after some of them
// no more are tried.
func TestSetUpLoops(t *testing.T) {
	source := "pragma solidity ^0.8.0; contract Test {} contract A { uint256 public x; function f(uint256 y) external { x = y; } }"
	for i := range 9 {
		source += fmt.Sprintf("contract Loop%dTest is Test { function setUp() public { new A(); while (true) {} } }", i)
	}
	table := bytecode.NewTable(testsolc.Compile(t, source, testsolc.Settings{}))
	chain := world.DefaultChain()
	chain.Gas = 1 << 22
	w, report, err := world.Make(context.Background(), table, world.Options{Targets: []string{"A"}, Setup: &world.SetupOptions{
		Chain: &chain, Lines: map[string][]bytecode.Position{"test.sol:A": {{File: "test.sol", Line: 1}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tried := slices.DeleteFunc(slices.Clone(report.TestSetups), func(up world.TestSetup) bool { return up.Idle })
	if n := len(tried); n < 2 || n > 5 || !strings.Contains(report.TestSetups[0].Failure, "out of gas") {
		t.Errorf("%d set-ups tried: %+v", n, tried)
	}
	if len(w.Instances) == 0 || w.Instances[0].Name != "A" {
		t.Errorf("instances %+v, want A without them", w.Instances)
	}
}

// TestSetUpSenders: a World that is made again has the senders of the first one,
// those included that only its test functions showed.
func TestSetUpSenders(t *testing.T) {
	table, options := setUpFixture(t, "cheats")
	first, _, err := world.Make(context.Background(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	options.Setup.Contracts, options.Setup.Strict, options.Setup.Senders = []string{"LenderTest"}, true, first.Senders
	options.Setup.Tests = world.Tests(first)
	again, report, err := world.Make(context.Background(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Examples) > 0 {
		t.Errorf("%d examples: the World it is compared with has them", len(report.Examples))
	}
	if diff := cmp.Diff(first.Senders, again.Senders, cmp.Comparer(func(a, b evm.Sender) bool {
		return a.Name == b.Name && a.Address == b.Address && a.TestsOnly == b.TestsOnly && (a.Key == nil) == (b.Key == nil)
	})); diff != "" {
		t.Errorf("senders (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(world.Tests(first), world.Tests(again)); diff != "" || len(world.Tests(again)) == 0 {
		t.Errorf("fuzz tests (-first +again):\n%s", diff)
	}
	checkSetUpWorld(t, again)
}

const readingTest = `pragma solidity ^0.8.0;

interface Vm {
    function readFile(string calldata) external view returns (string memory);
    function deployCode(string calldata) external returns (address);
}

contract Test {}
contract A { uint256 public x; function set(uint256 y) external { x = y; } }

contract ATest is Test {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    A a;

    function setUp() public { a = A(vm.deployCode("A")); }

    function testReads() public { a.set(bytes(vm.readFile("data.txt")).length); }
}
`

// TestSetUpFiles: what test functions read of the project's files is in the World, and
// stays with it when it is saved; a World made again has as much.
func TestSetUpFiles(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, readingTest, testsolc.Settings{}))
	options := world.Options{Targets: []string{"A", "ATest"}, Setup: &world.SetupOptions{
		Lines: map[string][]bytecode.Position{"test.sol:A": {{File: "test.sol", Line: 9}}, "test.sol:ATest": {{File: "test.sol", Line: 17}}},
		ReadFile: func(path string) ([]byte, error) {
			if path == "data.txt" {
				return []byte("hello"), nil
			}
			return nil, os.ErrNotExist
		},
	}}
	first, report, err := world.Make(context.Background(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(first.Instances, func(in evm.Instance) bool { return in.Name == "ATest" })
	if i < 0 || first.Cheats == nil {
		t.Fatalf("instances %+v, set-ups %+v", first.Instances, report.TestSetups)
	}
	again := *options.Setup
	again.Contracts, again.Strict, again.Asked = []string{"ATest"}, true, first.Cheats.Answers
	options.Setup = &again
	second, _, err := world.Make(context.Background(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	call := evm.Call{From: world.User1.Address, To: first.Instances[i].Address, Data: crypto.Keccak256([]byte("testReads()"))[:4]}
	for name, w := range map[string]*evm.World{"first": first, "again": second} {
		text, err := json.Marshal(w.Cheats)
		if err != nil {
			t.Fatal(err)
		}
		saved := *w
		saved.Cheats = new(evm.Cheats)
		if err := json.Unmarshal(text, saved.Cheats); err != nil {
			t.Fatal(err)
		}
		m, err := interp.New(&saved, table)
		if err != nil {
			t.Fatal(err)
		}
		exec, err := m.Run(evm.Sequence{call})
		if err != nil || exec.Calls[0].Outcome != evm.Success {
			t.Errorf("%s: %v, %s", name, err, exec.Calls[0].Reason())
		}
	}
}
