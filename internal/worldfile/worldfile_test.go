package worldfile_test

import (
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
	"github.com/sightline-evm/sightline/internal/worldfile"
)

// made is a World with its sources.
type made struct {
	t          *testing.T
	table      *bytecode.Table
	options    world.Options
	configured *deploy.Options
	world      *evm.World
	report     *world.Report
}

// configured are the options that a configuration sets.
func configured(t *testing.T, text string) *deploy.Options {
	t.Helper()
	settings := config.New(pflag.NewFlagSet("", pflag.ContinueOnError))
	settings.RegisterCampaign()
	if err := settings.Apply("sightline.yml", []byte(text)); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &settings.Unchecked().World
}

func (m *made) make(config string) {
	m.t.Helper()
	m.configured = configured(m.t, config)
	options := m.options
	options.Plan = &m.configured.Plan.World
	if options.Setup != nil {
		setup := *options.Setup
		setup.Contracts = m.configured.Setup
		options.Setup = &setup
	}
	var err error
	if m.world, m.report, err = world.Make(m.t.Context(), m.table, options); err != nil {
		m.t.Fatalf("%v, made of\n%s", err, config)
	}
}

func (m *made) file() string {
	m.t.Helper()
	return string(worldfile.Write(&deploy.Deployment{World: m.world, Setup: m.report}, &deploy.Recipe{Plan: m.configured.Plan}, m.configured))
}

// sameWorlds compares all of two Worlds of one table: accounts with their storage, the
// block, senders, and instances with their contracts.
var sameWorlds = cmp.Options{
	cmpopts.EquateEmpty(), cmp.AllowUnexported(cheatcode.State{}), cmpopts.IgnoreUnexported(cheatcode.Answers{}),
	cmp.Comparer(func(a, b *bytecode.Contract) bool { return a == b }),
	cmp.Comparer(func(a, b evm.Sender) bool { return a.Name == b.Name && a.Address == b.Address }),
}

// checkAgain makes the World of a configuration and of its file, and compares.
func (m *made) checkAgain(config string) {
	m.t.Helper()
	m.make(config)
	first, file := m.world, m.file()
	if len(first.Instances) == 0 {
		m.t.Error("nothing is deployed")
	}
	m.make(file)
	if diff := cmp.Diff(first, m.world, sameWorlds); diff != "" {
		m.t.Errorf("the World of the file differs (-first +again):\n%s\n%s", diff, file)
	}
	if again := m.file(); again != file {
		m.t.Errorf("the file of that World differs:\n%s", cmp.Diff(file, again))
	}
}

// TestWorldFile: for every fixture of package world and every example, however its World was
// made, the file makes the same one: with all contracts that are worth deploying, with every
// contract a target, with instances that stay uninitialized, and with twins.
func TestWorldFile(t *testing.T) {
	for name, contracts := range worldFixtures(t) {
		t.Run(name, func(t *testing.T) {
			table := bytecode.NewTable(contracts)
			var all, initialized []string
			for _, c := range contracts {
				if !c.Deployable() || c.Library {
					continue
				}
				all = append(all, c.QualifiedName())
				for _, m := range c.ABI.Methods {
					if world.IsInitializer(m.RawName) && !slices.Contains(initialized, c.QualifiedName()) {
						initialized = append(initialized, c.QualifiedName())
					}
				}
			}
			lifted := []evm.Option{evm.LiftCodeSizeLimits}
			for _, options := range []world.Options{
				{Machine: lifted},
				{Machine: lifted, Targets: all},
				{Machine: lifted, Targets: all, Uninitialized: initialized, Entries: runtimeBlocks(table)},
				{Machine: lifted, Targets: all, MaxInstances: 3},
			} {
				m := &made{t: t, table: table, options: options}
				m.checkAgain("")
			}
		})
	}
}

// runtimeBlocks are where the blocks start of all code that can be called: contracts that ran
// any of them only once have twins.
func runtimeBlocks(table *bytecode.Table) []bytecode.Location {
	var starts []bytecode.Location
	for _, c := range table.Contracts() {
		if c.Runtime == nil {
			continue
		}
		if p := table.Program(c.Runtime.ID); p != nil {
			for _, b := range p.Blocks {
				starts = append(starts, bytecode.Location{Code: p.ID, PC: b.Start})
			}
		}
	}
	return starts
}

// worldFixtures are the contracts of each.
func worldFixtures(t *testing.T) map[string][]*bytecode.Contract {
	t.Helper()
	fixtures := map[string][]*bytecode.Contract{}
	paths, err := filepath.Glob("../../fuzzer/world/testdata/*.sol")
	if err != nil || len(paths) == 0 {
		t.Fatalf("fixtures: %v, %v", paths, err)
	}
	for _, path := range append(paths, "../../fuzzer/world/testdata/plan/plan.sol") {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Endless burns all gas whenever it is tried, which takes seconds, and is in no World; TestAuto has it, and Impossible
		// is one more that cannot be deployed.
		fixtures[filepath.Base(path)] = slices.DeleteFunc(testsolc.Compile(t, string(source), testsolc.Settings{}),
			func(c *bytecode.Contract) bool { return c.Name == "Endless" })
	}
	outputs, err := filepath.Glob("../../examples/*/build/head.output.json")
	if err != nil || len(outputs) == 0 {
		t.Fatalf("examples: %v, %v", outputs, err)
	}
	for _, path := range outputs {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if fixtures[filepath.Base(filepath.Dir(filepath.Dir(path)))], err = testsolc.Read(raw); err != nil {
			t.Fatal(err)
		}
	}
	return fixtures
}

// TestWorldFileOfSetups: likewise for Worlds that tests set up.
func TestWorldFileOfSetups(t *testing.T) {
	paths, err := filepath.Glob("../../fuzzer/world/testdata/setups/*.sol")
	if err != nil || len(paths) == 0 {
		t.Fatalf("fixtures: %v, %v", paths, err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(source), "\n")
		table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
		setup := &world.SetupOptions{Lines: map[string][]bytecode.Position{}}
		m := &made{t: t, table: table, options: world.Options{Machine: []evm.Option{evm.LiftCodeSizeLimits}, Setup: setup}}
		for _, target := range strings.Split(strings.TrimPrefix(first, "// Targets: "), ", ") {
			c := testsolc.Contract(t, table.Contracts(), target)
			m.options.Targets = append(m.options.Targets, target)
			setup.Lines[c.QualifiedName()] = []bytecode.Position{{File: target, Line: 1}}
		}
		m.checkAgain("")
	}
}

// making is a test contract whose functions deploy what they test.
const making = `
contract DSTest { bool public IS_TEST = true; }
contract Vault {
    uint256 public n;
    constructor(uint256 n_) { require(n_ > 10); n = n_; }
    function set(uint256 m) external { n = m; }
}
contract VaultTest is DSTest {
    Vault vault;
    function testOpen() public { vault = new Vault(11); }
    function testMade(uint256 m, bool) public { vault = new Vault(m); require(m < 1000, "too much"); }
}
`

// TestWorldFileOfCalls: likewise for the test functions that became part of the set-up, with their
// arguments; one that fails leaves nothing, which is noted.
func TestWorldFileOfCalls(t *testing.T) {
	table := bytecode.NewTable(testsolc.Compile(t, making, testsolc.Settings{}))
	m := &made{t: t, table: table, options: world.Options{Machine: []evm.Option{evm.LiftCodeSizeLimits}, Setup: &world.SetupOptions{}}}
	pack := func(n int64) string {
		method := testsolc.Contract(t, table.Contracts(), "VaultTest").ABI.Methods["testMade"]
		packed, err := method.Inputs.Pack(big.NewInt(n), true)
		if err != nil {
			t.Fatal(err)
		}
		return hexutil.Encode(append(method.ID, packed...))
	}
	m.checkAgain("setup: [VaultTest, VaultTest.testOpen(), VaultTest." + pack(999) + "]")
	var names []string
	for _, in := range m.world.Instances {
		names = append(names, in.Name)
	}
	if want := []string{"Vault", "Vault#2"}; !slices.Equal(names, want) {
		t.Errorf("instances %q, want %q", names, want)
	}
	file := m.file()
	for _, want := range []string{"  - \"test.sol:VaultTest\"\n", "  - \"test.sol:VaultTest.testOpen()\"\n", "  - \"test.sol:VaultTest.0x", "\" # testMade(uint256,bool)\n"} {
		if !strings.Contains(file, want) {
			t.Errorf("the file lacks %s:\n%s", want, file)
		}
	}
	m.make("setup: [VaultTest." + pack(1000) + "]")
	if len(m.world.Instances) > 0 || !slices.Contains(m.report.Notes, "nothing of test.sol:VaultTest.testMade(uint256,bool) is in the World: its testMade(uint256,bool) fails: too much") {
		t.Errorf("%d instances, notes %q", len(m.world.Instances), m.report.Notes)
	}
	for name, want := range map[string]string{
		"VaultTest.testNone()":             "has no function testNone(); write a call with arguments as its calldata: VaultTest.0x",
		"VaultTest.testMade(uint256,bool)": "has no function testMade",
		"test.sol:VaultTest.0x01020304":    "has no function 0x01020304",
		"VaultTest.0x01":                   "has no function 0x01",
	} {
		if _, _, err := world.NamedTest(table.Contracts(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestWorldFileOfPlan: a plan is written again as the user wrote it, followed by the
// deployments that were added.
func TestWorldFileOfPlan(t *testing.T) {
	contracts := worldFixtures(t)["plan.sol"]
	m := &made{t: t, table: bytecode.NewTable(contracts), options: world.Options{Targets: []string{"Forgotten"}}}
	const config = `
senders:
  alice: "0x00000000000000000000000000000000000a11Ce"
environment:
  number: 77
  coinbase: "0x0000000000000000000000000000000000000001"
deploy:
  - contract: Token
    arguments: ["Gold: a #1 \"coin\"\n"]
    from: alice
  - contract: Vault
    name: logic
    arguments: [{takers: [user1, Token], exit: -5, entry: 0xff}, "0x00000000000000000000000000000000000000000000000000000000000000aa", false]
    value: 0.5 ether
  - contract: Proxy
    name: vault
    as: Vault
    arguments: [logic, {call: Vault.initialize, arguments: [Token, alice]}]
  - call: Token.mint(address,uint256)
    from: alice
    arguments: [vault, 1_000e2]
after:
  - call: Token.mint(address,uint256)
    from: alice
    arguments: [alice, 7]
  - contract: sightline:TestToken
    name: usdc
    address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
    arguments: []
`
	m.checkAgain(config)
	file := m.file()
	if usdc := m.world.Accounts[common.HexToAddress("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")]; usdc == nil || len(usdc.Code) == 0 {
		t.Error("nothing is at the address of a step of after")
	}
	for _, want := range []string{
		`{call: Vault.initialize, arguments: [Token, alice]}`, `["Gold: a #1 \"coin\"\n"]`, `value: "0.5 ether"`, `arguments: [vault, 1_000e2]`, "after:\n", `arguments: [alice, 7]`,
		"- contract: Forgotten\n", "number: 77\n", "alice: \"0x00000000000000000000000000000000000A11cE\"\n",
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the file lacks %s:\n%s", want, file)
		}
	}
}

// TestWorldFileNames: the file names the flags that its World needs.
func TestWorldFileNames(t *testing.T) {
	m := &made{t: t, table: bytecode.NewTable(worldFixtures(t)["plan.sol"])}
	m.make("")
	m.configured.State, m.configured.Fork = "anvil\n.json", "cancun"
	file := m.file()
	for _, want := range []string{"# It also needs these flags, as in this run: --state anvil", "evm-version: cancun\n"} {
		if !strings.Contains(file, want) {
			t.Errorf("the file lacks %s:\n%s", want, file)
		}
	}
	if strings.Contains(file, "\n.json") {
		t.Errorf("a name breaks the comment:\n%s", file)
	}
}
